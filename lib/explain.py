"""What drives a boosted system: SHAP values, permutation importance, partial dependence.

All describe the fitted model, not the Court: a column may stand in for others that go with it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from lib.features import PREDICTORS, public_predictors
from lib.metrics import ZERO_BELOW_EUR, mae
from lib.release import Release
from lib.systems.registry import MAE_SETTINGS
from lib.systems.training import shortened
from lib.systems.trees import SEED, Trees

HALF_LIFE = 6
MANY_APPLICANTS = 5

# Groups of predictors that go together, for permuting and reading.
GROUPS = {
    "articles and findings": (
        "violated_articles", "violated_articles_count", "num_violations_found", "violation_type",
    ),
    "number of applicants": ("num_applicants", "hudoc_application_count"),
    "who the applicants are": (
        "applicant_sex", "applicant_age_group", "applicant_birth_years",
        "applicant_nationality_scope",
    ),
    "duration of the violation": ("violation_duration_months",),
    "respondent state and economy": ("country_alpha2", "log1p_gdp_per_capita", "log1p_gdp"),
    "formation and importance": (
        "hudoc_decision_body", "case_importance", "has_separate_opinion", "represented",
    ),
    "time of judgment": ("judgment_year", "judgment_month"),
}  # fmt: skip
# Each predictor in words.
TITLES = {
    "country_alpha2": "respondent state", "hudoc_decision_body": "formation",
    "case_importance": "case importance", "has_separate_opinion": "separate opinion",
    "represented": "applicant represented", "num_applicants": "applicants",
    "hudoc_application_count": "applications", "judgment_year": "year of judgment",
    "judgment_month": "month of judgment", "num_violations_found": "violations found",
    "violation_type": "substantive or procedural", "violated_articles": "violated articles",
    "violated_articles_count": "number of articles",
    "violation_duration_months": "duration of the violation", "applicant_sex": "sex",
    "applicant_age_group": "age group", "applicant_birth_years": "years of birth",
    "applicant_nationality_scope": "nationalities", "log1p_gdp_per_capita": "GDP per capita",
    "log1p_gdp": "GDP",
}  # fmt: skip


def fit(release: Release) -> Trees:
    """The model to take apart: CatBoost for absolute error on log1p(y), fitted on train.

    Recent cases weigh more (half-life six years). On the demo it has a tenth of the trees.
    """
    train = release.split("train")
    model = Trees("catboost", MAE_SETTINGS, half_life=HALF_LIFE)
    model = shortened(model) if release.profile == "demo" else model
    return model.fit(public_predictors(train), train["y_amount_eur"].to_numpy(float))


def shap_values(system: Trees, X: pd.DataFrame) -> pd.DataFrame:
    """CatBoost's own SHAP values (Lundberg et al. 2020), summed over each predictor's columns.

    Args:
        system: fitted with CatBoost on the 20 public predictors.
        X: those predictors, shape (n, 20).

    Returns:
        Shape (n, 20), on the scale that the model fits; a row's sum and the base value make up the
        prediction.
    """
    from catboost import Pool

    encoded = system.columns_.transform(X)
    pool = Pool(encoded, cat_features=system.columns_.text)
    values = system.model_.get_feature_importance(pool, type="ShapValues", thread_count=1)[:, :-1]
    by_column = pd.DataFrame(values, index=X.index, columns=encoded.columns)
    return by_column.T.groupby([source_of(name) for name in by_column]).sum().T


def source_of(column: str) -> str:
    """The predictor that an encoded column comes from."""
    if "birth_year" in column:
        return "applicant_birth_years"
    return next(
        name
        for name in sorted(PREDICTORS, key=len, reverse=True)
        if column.removesuffix("_unknown").split("=")[0] == name
    )


def importance(values: pd.DataFrame) -> pd.Series:
    """Mean absolute SHAP value of each predictor, largest first."""
    return values.abs().mean().sort_values(ascending=False, kind="stable")


def permutation_importance(
    predict: Callable[[pd.DataFrame], np.ndarray],
    X: pd.DataFrame,
    y: np.ndarray,
    repeats: int = 10,
    seed: int = SEED,
) -> pd.DataFrame:
    """How much the MAE rises when a group of predictors is shuffled among the cases.

    A group's columns are shuffled together, so that what they say jointly stays possible.

    Args:
        predict: inputs → euros.
        X, y: cases not fitted on, and their awards, euros.

    Returns:
        Indexed by group of ``GROUPS``, largest first: ``value``, the mean rise in MAE, euros; and
        ``low``, ``high``, the smallest and largest over the repeats.
    """
    base = float(mae(y, predict(X)))
    rows = {}
    for i, (group, columns) in enumerate(GROUPS.items()):
        stream = np.random.default_rng([seed, i])
        rises = []
        for _ in range(repeats):
            order = stream.permutation(len(X))
            shuffled = X.assign(**{name: X[name].to_numpy()[order] for name in columns})
            rises.append(float(mae(y, predict(shuffled))) - base)
        rows[group] = {"value": np.mean(rises), "low": min(rises), "high": max(rises)}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
    return table.sort_values("value", ascending=False, kind="stable")


def partial_dependence(
    predict: Callable[[pd.DataFrame], np.ndarray],
    X: pd.DataFrame,
    column: str,
    grid: np.ndarray,
) -> pd.DataFrame:
    """The prediction when one number is set to each value of a grid, all else as it is.

    Source: Friedman (2001), with the median over cases beside the quartiles, since awards are
    skewed.

    Returns:
        One row a grid value: ``value``, and ``median``, ``low``, ``high`` (quartiles) of the
        predictions, euros.
    """
    rows = []
    for value in grid:
        predicted = predict(X.assign(**{column: value}))
        low, median, high = np.quantile(predicted, [0.25, 0.5, 0.75])
        rows.append({"value": value, "median": median, "low": low, "high": high})
    return pd.DataFrame(rows)


def concentration(abs_error: pd.Series) -> pd.DataFrame:
    """Share of the total error that the worst cases make up.

    Returns:
        ``cases`` and ``error``, both cumulative shares from 0 to 1, worst case first.
    """
    ordered = np.sort(abs_error.to_numpy())[::-1]
    total = max(ordered.sum(), np.finfo(float).tiny)
    cases = np.arange(len(ordered) + 1) / max(len(ordered), 1)
    return pd.DataFrame({"cases": cases, "error": np.append(0, np.cumsum(ordered)) / total})


def share_of_worst(abs_error: pd.Series, part: float) -> float:
    """Share of the total error in the worst ``part`` of the cases, at least one case."""
    worst = max(int(part * len(abs_error)), 1)
    return float(concentration(abs_error)["error"].iloc[worst])


def kind_of_error(y_true: np.ndarray, y_pred: np.ndarray) -> np.ndarray:
    """What sort of miss each prediction is, in words; shape (n,). Below €0.50 counts as zero."""
    none, said_none = np.asarray(y_true) == 0, np.asarray(y_pred) < ZERO_BELOW_EUR
    ratio = np.asarray(y_pred) / np.where(none, 1, y_true)
    return np.select(
        [
            none & said_none, none, said_none, ratio < 0.5, ratio > 2,
        ],
        [
            "zero award, recognised", "zero award, an amount predicted",
            "award made, zero predicted", "less than half of the award",
            "more than twice the award",
        ],
        "within a factor of two",
    )  # fmt: skip


def kinds_of_error(scored: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """How much each kind of error costs one system.

    Returns:
        One row a kind, largest share of the error first: ``kind``, ``n``, ``case_share``,
        ``error_share`` and ``mae`` (euros).
    """
    frame = scored[scored["case_id"].isin(cases["case_id"])]
    kinds = pd.Series(kind_of_error(frame["y_true"], frame["y_pred"]), index=frame.index)
    table = frame["abs_error"].groupby(kinds).agg(["size", "sum", "mean"])
    table = table.sort_values("sum", ascending=False, kind="stable")
    return pd.DataFrame(
        {
            "kind": table.index,
            "n": table["size"].to_numpy(),
            "case_share": (table["size"] / table["size"].sum()).to_numpy(),
            "error_share": (table["sum"] / max(table["sum"].sum(), 1e-9)).to_numpy(),
            "mae": table["mean"].to_numpy(),
        }
    )


def worked_examples(largest: pd.DataFrame) -> pd.DataFrame:
    """The largest errors with what the columns of the case suggest that the input cannot see.

    Args:
        largest: from :func:`lib.breakdowns.largest_errors`.

    Returns:
        Columns ``case_id``, ``y_pred``, ``error`` (euros), ``kind`` and ``unseen``; nothing else of
        the release.
    """
    unseen = np.select(
        [
            largest["y_true"] == 0,
            largest["num_applicants"] >= MANY_APPLICANTS,
            largest["num_applicants"] > 1,
            largest["hudoc_decision_body"] == "GRANDCHAMBER",
        ],
        [
            "why no sum was awarded: no claim, a late one, or the finding held to be enough",
            "whether the sum is one for all of many applicants, or one for each",
            "whether the applicants get one sum or one each, and who of them gets one",
            "what makes the case one of principle, and how the Court weighed the harm",
        ],
        "how severe the harm was, and what was claimed",
    )
    return pd.DataFrame(
        {
            "case_id": largest["case_id"],
            "y_pred": largest["y_pred"],
            "error": largest["error"],
            "kind": kind_of_error(largest["y_true"], largest["y_pred"]),
            "unseen": unseen,
        }
    )
