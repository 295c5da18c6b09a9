"""The input contract of ECtHR-NPD and the features that systems are trained on.

A system sees only what a case's public table says about facts, parties and violations found. Award,
claim, beneficiary, status, split and view columns are refused by name and by value.

Source: paper sections 3.3 and 4.1, appendix C.3; the 20 public predictors are those that the
released case table supports.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from lib.errors import SHOWN, Problem, UserError

# Each predictor and the column of the release that it comes from.
PREDICTORS = {
    "country_alpha2": "country_alpha2",
    "hudoc_decision_body": "hudoc_decision_body",
    "case_importance": "case_importance",
    "has_separate_opinion": "has_separate_opinion",
    "represented": "represented",
    "num_applicants": "num_applicants",
    "hudoc_application_count": "hudoc_application_count",
    "judgment_year": "judgment_date",
    "judgment_month": "judgment_date",
    "num_violations_found": "num_violations_found",
    "violation_type": "violation_type",
    "violated_articles": "violated_articles",
    "violated_articles_count": "violated_articles_count",
    "violation_duration_months": "violation_duration_months",
    "applicant_sex": "applicant_sex",
    "applicant_age_group": "applicant_age_group",
    "applicant_birth_years": "applicant_birth_years",
    "applicant_nationality_scope": "applicant_nationality_scope",
    "log1p_gdp_per_capita": "gdp_per_capita_current_usd",
    "log1p_gdp": "gdp_constant_2015_usd",
}
CATEGORICAL = (
    "country_alpha2",
    "hudoc_decision_body",
    "case_importance",
    "has_separate_opinion",
    "represented",
    "violation_type",
    "applicant_nationality_scope",
)
SETS = ("violated_articles", "applicant_sex", "applicant_age_group")
FORBIDDEN = (
    "split",
    "test_view",
    "test_challenging_view",
    "beneficiary_type",
    "has_joint_beneficiary",
    "y_amount_eur",
    "y_binary",
    "target_status",
)
UNSEEN = "not seen in training"
AWARD_SIDE = re.compile(r"award|claim|beneficiar|eur\b|_eur|amount|target|label|status|split|view")


def public_predictors(cases: pd.DataFrame) -> pd.DataFrame:
    """The 20 public predictors of a release's cases.

    Args:
        cases: rows of a release (see :class:`lib.release.Release`); nothing award-side is read.

    Returns:
        Shape (n, 20), indexed by ``case_id``; columns as in ``PREDICTORS``. Sets stay as
        semicolon-separated text; an unknown duration stays NaN.
    """
    derived = {
        "judgment_year": lambda date: date.dt.year,
        "judgment_month": lambda date: date.dt.month,
        "log1p_gdp_per_capita": np.log1p,
        "log1p_gdp": np.log1p,
    }
    columns = {
        name: derived.get(name, lambda column: column)(cases[source])
        for name, source in PREDICTORS.items()
    }
    return pd.DataFrame(columns).set_axis(pd.Index(cases["case_id"], name="case_id"), axis=0)


def check_inputs(inputs: pd.DataFrame, cases: pd.DataFrame) -> None:
    """Refuse inputs that break the contract, by name or by value.

    A column is refused by value where it tells exactly what a forbidden column tells, under
    whatever name and in whatever units: its values and the forbidden ones map one to one.

    Args:
        inputs: what a system is to be given, indexed by ``case_id``.
        cases: the release's rows for the same cases.

    Raises:
        UserError: naming every column that may not be there.
    """
    problems = []
    named = [
        column
        for column in map(str, inputs.columns)
        if column in FORBIDDEN or (column not in PREDICTORS and AWARD_SIDE.search(column.lower()))
    ]
    if named:
        problems.append(Problem("award-side or split columns by name", tuple(named), len(named)))
    rows = cases.set_index("case_id").reindex(inputs.index)
    disguised = [
        f"{column} is {hidden} under another name"
        for hidden in FORBIDDEN
        if rows[hidden].nunique() > 1
        for column in inputs.columns
        if str(column) not in named and _one_to_one(inputs[column], rows[hidden])
    ]
    if disguised:
        problems.append(
            Problem("award-side or split columns by value", tuple(disguised), len(disguised))
        )
    unknown = [c for c in map(str, inputs.columns) if c not in PREDICTORS and c not in named]
    if unknown:
        problems.append(
            Problem("columns that are not allow-listed", tuple(unknown[:SHOWN]), len(unknown))
        )
    if problems:
        raise UserError("These inputs break the benchmark's input contract:", problems)


def _one_to_one(a: pd.Series, b: pd.Series) -> bool:
    a, b = pd.factorize(a, use_na_sentinel=False)[0], pd.factorize(b, use_na_sentinel=False)[0]
    return bool((a == b).all())  # factorize numbers values in order of appearance


class Encoder:
    """Turn the 20 predictors into model columns; vocabularies and medians come from ``fit`` alone.

    Categories keep their text (new ones become "unseen"), sets become one flag per value seen in
    training, birth years a median and a count, unknown numbers the training median beside a flag.

    Follows scikit-learn's transformer protocol without inheriting from it, so that importing the
    input contract does not import scikit-learn.
    """

    def fit(self, X: pd.DataFrame, y: object = None) -> Encoder:
        """Learn vocabularies and medians from training cases, shape (n, 20)."""
        self.categories_ = {name: sorted(X[name].unique()) for name in CATEGORICAL}
        self.flags_ = {
            name: sorted(set(X[name].str.split(";").explode()) - {"unknown"}) for name in SETS
        }
        self.medians_ = self._numbers(X).median()
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Encode cases; columns and their order depend on the training cases only."""
        columns: dict[str, pd.Series] = {}
        for name, known in self.categories_.items():
            text = X[name].where(X[name].isin(known), UNSEEN)
            columns[name] = text.astype(pd.CategoricalDtype([*known, UNSEEN]))
        numbers = self._numbers(X)
        for name in numbers:
            columns[name] = numbers[name].fillna(self.medians_[name])
        for name in ("violation_duration_months", "median_birth_year"):
            columns[f"{name}_unknown"] = numbers[name].isna().astype("int8")
        for name, values in self.flags_.items():
            sets = X[name].str.split(";").map(set)
            for value in values:
                columns[f"{name}={value}"] = sets.map(lambda s, v=value: v in s).astype("int8")
        return pd.DataFrame(columns, index=X.index)

    def fit_transform(self, X: pd.DataFrame, y: object = None) -> pd.DataFrame:
        return self.fit(X).transform(X)

    @staticmethod
    def _numbers(X: pd.DataFrame) -> pd.DataFrame:
        years = X["applicant_birth_years"].str.findall(r"\d{4}")
        numeric = [c for c in PREDICTORS if c not in (*CATEGORICAL, *SETS, "applicant_birth_years")]
        numbers = X[numeric].astype("float64")
        numbers["median_birth_year"] = years.map(
            lambda found: float(np.median([int(year) for year in found])) if found else np.nan
        )
        numbers["known_birth_years"] = years.map(len).astype("float64")
        return numbers
