"""The input contract of ECtHR-NPD and the features that systems are trained on.

A system sees only what a case's public table says about facts, parties and violations found. Award,
claim, beneficiary, status, split and view columns are refused by name and by value.

Source: paper sections 3.3 and 4.1, appendix C.3; the 20 public predictors are those that the
released case table supports.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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


def check_inputs(
    inputs: pd.DataFrame,
    cases: pd.DataFrame,
    make: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> None:
    """Refuse inputs that break the contract, by name or by value.

    A column is refused by value where a forbidden column alone decides it: the award in other
    units, rounded or cut into ranges, under whatever name. Columns that are exactly what the
    feature set gives are let through.

    Args:
        inputs: what a system is to be given, indexed by ``case_id``.
        cases: the release's rows for the same cases.
        make: the feature set, cases → inputs (see :mod:`lib.feature_sets`); by default
            :func:`public_predictors`. Its columns are the allow-list.

    Raises:
        UserError: naming every column that may not be there, and ids that no case has.
    """
    genuine = (make or public_predictors)(cases).reindex(inputs.index)
    names = [str(column) for column in inputs.columns]
    named = [
        name
        for name in names
        if name in FORBIDDEN or (name not in genuine and AWARD_SIDE.search(name.lower()))
    ]
    hidden = cases.set_index("case_id").reindex(inputs.index)[list(FORBIDDEN)]
    disguised = []
    for i, name in enumerate(names):
        column = inputs.iloc[:, i]
        if name not in named and not (name in genuine and column.equals(genuine[name])):
            disguised += [f"{name} tells {h}" for h in FORBIDDEN if _decides(hidden[h], column)]
    found = {
        "award-side or split columns by name": named,
        "award-side or split columns by value": disguised,
        "columns that are not allow-listed": [
            name for name in names if name not in genuine and name not in named
        ],
        "columns given more than once": sorted({n for n in names if names.count(n) > 1}),
        # without its case a row could not be held against the award
        "case ids that the release does not have": [
            str(case) for case in inputs.index[~inputs.index.isin(cases["case_id"])]
        ],
    }
    problems = [
        Problem(what, tuple(offenders[:SHOWN]), len(offenders))
        for what, offenders in found.items()
        if offenders
    ]
    if problems:
        raise UserError("These inputs break the benchmark's input contract:", problems)


def _decides(hidden: pd.Series, column: pd.Series) -> bool:
    """Whether equal values of ``hidden`` always come with equal values of a varying ``column``."""
    told, teller = _codes(column), _codes(hidden)
    pairs = np.unique(np.stack([teller, told]), axis=1).shape[1]
    return told.any() and pairs == len(np.unique(teller))


def _codes(values: pd.Series) -> np.ndarray:
    values = values.map(repr) if values.dtype == object else values  # lists have no hash
    return pd.factorize(values, use_na_sentinel=False)[0]


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
