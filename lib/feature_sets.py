"""Feature sets by name: what of the paper's X0, X1 and X2 the public case table supports.

A feature set is a function from a release's cases to a frame of inputs, indexed by ``case_id``; its
columns are documented one by one with the release's column that each comes from, and
:func:`lib.features.check_inputs` lets through exactly what it gives. Columns of the paper that rest
on awards, beneficiaries or the Court's reasoning have no source here: see ``WITHHELD``.

Source: paper appendix C.3 and Table 28; the release's documentation of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.features import CATEGORICAL, PREDICTORS, SETS, UNSEEN, public_predictors

ARTICLES = (
    "6", "3", "5", "13", "8", "P1-1", "2", "10", "11", "14", "34", "9", "P1-3", "38", "P4-2", "7",
    "P7-4", "P1-2", "18", "P7-2",
)  # fmt: skip
PASSED_ON = (
    "country_alpha2", "hudoc_decision_body", "case_importance", "has_separate_opinion",
    "represented", "num_violations_found", "violation_type", "num_applicants", "judgment_year",
    "judgment_month", "violated_articles_count", "log1p_gdp_per_capita", "log1p_gdp",
)  # fmt: skip

X0_COLUMNS = {
    **{name: (PREDICTORS[name], "as released") for name in PASSED_ON},
    "log1p_gdp_per_capita": ("gdp_per_capita_current_usd", "natural logarithm of 1 + US dollars"),
    "log1p_gdp": ("gdp_constant_2015_usd", "natural logarithm of 1 + US dollars"),
    "judgment_year": ("judgment_date", "year"),
    "judgment_month": ("judgment_date", "month, 1 to 12"),
    **{f"article_{code}": ("violated_articles", f"whether it has {code}") for code in ARTICLES},
    "has_male": ("applicant_sex", "whether the set holds it; the paper has the ratio"),
    "has_female": ("applicant_sex", "whether the set holds it; the paper has the ratio"),
    "has_unknown_sex": ("applicant_sex", "whether the set holds it; the paper has the ratio"),
    "has_adult": ("applicant_age_group", "whether the set holds it; the paper has the ratio"),
    "median_birth_year": ("applicant_birth_years", "median of the distinct years"),
    "several_nationalities": ("applicant_nationality_scope", "multiple; the paper has the number"),
    "nationality_unknown": ("applicant_nationality_scope", "unknown"),
    "procedural": ("violation_type", "procedural or both; the paper has the ratio"),
    "both_limbs": ("violation_type", "both; the paper has the ratio"),
    "violation_duration_months": ("violation_duration_months", "months, missing where unknown"),
    "duration_missing": ("violation_duration_months", "unknown"),
}  # fmt: skip
X1_COLUMNS = {
    "hudoc_application_count": ("hudoc_application_count", "in place of the applicant rows"),
    "known_birth_year_ratio": ("applicant_birth_years", "distinct known years per applicant"),
    "has_child": ("applicant_age_group", "whether the set holds a child"),
    "has_elderly": ("applicant_age_group", "whether the set holds an elderly person"),
    "has_unknown_age": ("applicant_age_group", "whether the set holds an unknown age"),
}
X2_COLUMNS = {
    "article_set": ("violated_articles", "the articles together, sorted"),
    "first_article": ("violated_articles", "the first one listed"),
    "violations_per_article": ("num_violations_found", "divided by the number of articles"),
    "procedural_only": ("violation_type", "procedural"),
}

# Columns of the paper's sets that this project leaves out, and why.
WITHHELD = {
    "X0": "two beneficiary-label columns: their lineage is on the award side",
    "X1": "award-allocation counts (award side) and the applicant file's row count, in whose place "
    "stands the number of applications",
    "X2": "features of the Court's reasoning, which the public table does not hold; the columns "
    "here describe the findings of a violation instead",
}


@dataclass(frozen=True)
class FeatureSet:
    """A named set of inputs.

    Attributes:
        make: cases of a release → inputs, shape (n, len(columns)), indexed by ``case_id``.
        columns: each input's source column in the release, and what is done to it.
    """

    title: str
    make: Callable[[pd.DataFrame], pd.DataFrame]
    columns: dict[str, tuple[str, str]]


def _has(values: pd.Series, wanted: str) -> pd.Series:
    return values.str.split(";").map(lambda found: wanted in found).astype("int8")


def x0(cases: pd.DataFrame) -> pd.DataFrame:
    """The paper's X0 as far as the public table has it; unknown numbers stay NaN."""
    public = public_predictors(cases)
    columns = {name: public[name] for name in PASSED_ON}
    for code in ARTICLES:
        columns[f"article_{code}"] = _has(public["violated_articles"], code)
    sex, age = public["applicant_sex"], public["applicant_age_group"]
    scope, kind = public["applicant_nationality_scope"], public["violation_type"]
    columns |= {
        "has_male": _has(sex, "male"),
        "has_female": _has(sex, "female"),
        "has_unknown_sex": _has(sex, "unknown"),
        "has_adult": _has(age, "adult"),
        "median_birth_year": _birth_years(public).map(
            lambda years: float(np.median(years)) if years else np.nan
        ),
        "several_nationalities": (scope == "multiple").astype("int8"),
        "nationality_unknown": (scope == "unknown").astype("int8"),
        "procedural": kind.isin(["procedural", "both"]).astype("int8"),
        "both_limbs": (kind == "both").astype("int8"),
        "violation_duration_months": public["violation_duration_months"],
        "duration_missing": public["violation_duration_months"].isna().astype("int8"),
    }
    return pd.DataFrame(columns)[list(X0_COLUMNS)]


def x1(cases: pd.DataFrame) -> pd.DataFrame:
    """X0 and what the public table tells about the applicants."""
    public = public_predictors(cases)
    age = public["applicant_age_group"]
    return x0(cases).assign(
        hudoc_application_count=public["hudoc_application_count"],
        known_birth_year_ratio=_birth_years(public).map(len) / public["num_applicants"],
        has_child=_has(age, "child"),
        has_elderly=_has(age, "elderly"),
        has_unknown_age=_has(age, "unknown"),
    )


def x2(cases: pd.DataFrame) -> pd.DataFrame:
    """X1 and the combination of articles in which violations were found."""
    public = public_predictors(cases)
    articles = public["violated_articles"].str.split(";")
    return x1(cases).assign(
        article_set=articles.map(lambda codes: ";".join(sorted(codes))),
        first_article=articles.str[0],
        violations_per_article=public["num_violations_found"]
        / public["violated_articles_count"].clip(lower=1),
        procedural_only=(public["violation_type"] == "procedural").astype("int8"),
    )


def dated(cases: pd.DataFrame) -> pd.DataFrame:
    """X1, the judgment's date and its articles: what retrieval filters by (paper Table 21)."""
    return x1(cases).assign(
        judgment_date=cases["judgment_date"].to_numpy(),
        violated_articles=cases["violated_articles"].to_numpy(),
    )


def leaking(cases: pd.DataFrame) -> pd.DataFrame:
    """X1 and the beneficiary columns that the contract forbids: to show what the leak is worth.

    The paper's X0 has two columns of this lineage. Systems given these are diagnostic (†).
    """
    return x1(cases).assign(
        beneficiary_type=cases["beneficiary_type"].to_numpy(),
        has_joint_beneficiary=cases["has_joint_beneficiary"].to_numpy(),
    )


def _birth_years(public: pd.DataFrame) -> pd.Series:
    found = public["applicant_birth_years"].str.findall(r"\d{4}")
    return found.map(lambda years: [int(year) for year in years])


_KINDS = dict.fromkeys(CATEGORICAL, "as released") | dict.fromkeys(SETS, "as released, a set")
FEATURE_SETS = {
    "public": FeatureSet(
        "20 public predictors",
        public_predictors,
        {
            name: (source, _KINDS.get(name, X0_COLUMNS.get(name, ("", "as released"))[1]))
            for name, source in PREDICTORS.items()
        },
    ),
    "X0": FeatureSet("X0, public part", x0, X0_COLUMNS),
    "X1": FeatureSet("X1, public part", x1, X0_COLUMNS | X1_COLUMNS),
    "X2": FeatureSet("X2, public part", x2, X0_COLUMNS | X1_COLUMNS | X2_COLUMNS),
    "leaking": FeatureSet(
        "X1, public part, with the forbidden beneficiary columns",
        leaking,
        X0_COLUMNS
        | X1_COLUMNS
        | dict.fromkeys(("beneficiary_type", "has_joint_beneficiary"), ("award side", "forbidden")),
    ),
    "retrieval": FeatureSet(
        "X1, public part, with date and articles",
        dated,
        X0_COLUMNS
        | X1_COLUMNS
        | {
            "judgment_date": ("judgment_date", "as released, to the day"),
            "violated_articles": ("violated_articles", "as released, a set"),
        },
    ),
}


def documentation(names: Iterable[str]) -> pd.DataFrame:
    """Every column of some feature sets, each once.

    Returns:
        Columns ``column``, ``source`` (in the release), ``how`` and ``sets`` (those that hold it).
    """
    rows: dict[str, dict[str, str]] = {}
    for name in names:
        for column, (source, how) in FEATURE_SETS[name].columns.items():
            row = rows.setdefault(
                column, {"column": column, "source": source, "how": how, "sets": ""}
            )
            row["sets"] += f", {name}" if row["sets"] else name
    return pd.DataFrame(list(rows.values()))


class Vocabulary:
    """Turn a feature set's text columns into categories known from ``fit``; numbers stay."""

    def fit(self, X: pd.DataFrame, y: object = None) -> Vocabulary:
        """Learn the categories from training cases."""
        text = X.select_dtypes(exclude="number").columns
        self.categories_ = {name: sorted(X[name].unique()) for name in text}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """The same columns; text not seen in training becomes one category of its own."""
        return X.assign(
            **{
                name: X[name]
                .where(X[name].isin(known), UNSEEN)
                .astype(pd.CategoricalDtype([*known, UNSEEN]))
                for name, known in self.categories_.items()
            }
        )
