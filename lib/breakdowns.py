"""Score systems over any grouping of cases: award ranges, views, states, articles, error buckets.

A grouping is a boolean frame (cases × groups), so groups may overlap, as articles and views do.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib import bootstrap, metrics, predictions
from lib.metrics import ZERO_BELOW_EUR

AWARD_EDGES = (1_000, 5_000, 10_000, 20_000, 50_000)
TOP_STATES = 12
BUCKETS = ("exact", "within 10%", "10–25%", "25–50%", "more than 50%")


def euro_edge(amount: int) -> str:
    return f"€{amount // 1000}k"


def award_ranges(cases: pd.DataFrame) -> pd.DataFrame:
    """Groups by target award: 0, (0, 1k], … , > 50k, and "all up to €50k" (paper Table 8).

    Returns:
        Boolean frame, shape (n, 8); all but the last column partition the cases.
    """
    y = cases["y_amount_eur"]
    groups = {"€0": y == 0}
    low = 0
    for high in AWARD_EDGES:
        name = f"up to {euro_edge(high)}" if low == 0 else f"{euro_edge(low)}–{high // 1000}k"
        groups[name] = (y > low) & (y <= high)
        low = high
    groups[f"above {euro_edge(low)}"] = y > low
    groups[f"all up to {euro_edge(low)}"] = y <= low
    return pd.DataFrame(groups)


def respondent_states(cases: pd.DataFrame, top: int = TOP_STATES) -> pd.DataFrame:
    """The respondent states with most cases and "all other states" (paper Table 31).

    Ties in size go by name. Returns a boolean frame that partitions the cases.
    """
    sizes = cases["respondent_state"].value_counts()
    ranked = sorted(sizes.index, key=lambda state: (-sizes[state], state))[:top]
    groups = {state: cases["respondent_state"] == state for state in ranked}
    if len(sizes) > top:
        groups["all other states"] = ~cases["respondent_state"].isin(ranked)
    return pd.DataFrame(groups)


def articles(cases: pd.DataFrame, at_least: int = 1) -> pd.DataFrame:
    """Violated articles, largest first; a case is in every article that it violates (Table 32).

    Args:
        at_least: leave out articles with fewer cases.
    """
    flags = cases["violated_articles"].str.get_dummies(";").astype(bool)
    sizes = flags.sum()
    ranked = sorted(sizes[sizes >= at_least].index, key=lambda code: (-sizes[code], code))
    return flags[ranked].rename(columns=article_label)


def article_label(code: str) -> str:
    """``6`` → ``Art. 6``; ``P1-1`` → ``P1 Art. 1`` (Article 1 of Protocol No. 1)."""
    return f"{code.split('-')[0]} Art. {code.split('-')[1]}" if "-" in code else f"Art. {code}"


def composition(cases: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    """What each group is made of.

    Returns:
        Indexed by group: ``n``, ``zero_share``, ``multi_applicant_share`` (num_applicants > 1) and
        ``positive_p95`` (95th percentile of the positive awards, euros; NaN where there is none).
    """
    rows = {}
    for name in groups:
        inside = cases[groups[name].to_numpy(bool)]
        y = inside["y_amount_eur"]
        rows[name] = {
            "n": len(inside),
            "zero_share": (y == 0).mean(),
            "multi_applicant_share": (inside["num_applicants"] > 1).mean(),
            "positive_p95": y[y > 0].quantile(0.95),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group").astype({"n": "int64"})


def score(
    scored: pd.DataFrame,
    cases: pd.DataFrame,
    groups: pd.DataFrame,
    names: tuple[str, ...] = ("mae",),
) -> pd.DataFrame:
    """Score every system in every group.

    Args:
        scored: the frame from :func:`lib.predictions.align`.
        cases: the release's rows for the same cases, with ``case_id``.
        groups: boolean (len(cases), g), rows as in ``cases``.
        names: keys of :data:`lib.metrics.POINT_METRICS`.

    Returns:
        One row a (system, group): ``n`` (scored cases in the group) and one column a metric, NaN
        where a system scores no case of the group.
    """
    membership = groups.set_axis(cases["case_id"].to_numpy(), axis=0)
    rows = []
    for system, frame in scored.groupby("system", sort=False):
        inside = membership.reindex(frame["case_id"], fill_value=False).to_numpy(bool)
        true, pred = frame["y_true"].to_numpy(), frame["y_pred"].to_numpy()
        for j, group in enumerate(groups.columns):
            mask = inside[:, j]
            row = {"system": system, "group": group, "n": int(mask.sum())}
            for name in names:
                function = metrics.POINT_METRICS[name].function
                row[name] = float(function(true[mask], pred[mask])) if mask.any() else np.nan
            rows.append(row)
    return pd.DataFrame(rows, columns=["system", "group", "n", *names])


def differences(
    scored: pd.DataFrame,
    cases: pd.DataFrame,
    groups: pd.DataFrame,
    system: str,
    baseline: str,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> pd.DataFrame:
    """Paired difference in MAE between two systems within each group.

    Returns:
        Indexed by group: ``n`` (cases of the group that both score), ``delta`` = MAE(system) −
        MAE(baseline), euros, with its 95% interval ``low``, ``high``; NaN where n is 0. The
        intervals are pointwise: with many groups, some leave out 0 by chance.
    """
    errors = predictions.error_matrix(scored, [system, baseline]).reindex(cases["case_id"])
    rows = {}
    for name in groups:
        inside = errors[groups[name].to_numpy(bool)].dropna()
        if inside.empty:
            rows[name] = {"n": 0, "delta": np.nan, "low": np.nan, "high": np.nan}
            continue
        row = bootstrap.paired(inside, resamples, seed).iloc[0]
        rows[name] = {key: row[key] for key in ("n", "delta", "low", "high")}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group").astype({"n": "int64"})


def largest_errors(scored: pd.DataFrame, cases: pd.DataFrame, top: int) -> pd.DataFrame:
    """The cases with the largest absolute errors, with the cases' columns.

    Returns:
        At most ``top`` rows, largest first; ``hudoc`` is the judgment's address, "" for ids that
        are not HUDOC's (as in the demo).
    """
    joined = scored.merge(cases, on="case_id")
    joined = joined.sort_values(["abs_error", "case_id"], ascending=[False, True]).head(top)
    joined["judgment_date"] = joined["judgment_date"].dt.date.astype(str)
    return joined.assign(hudoc=joined["case_id"].map(hudoc_address)).reset_index(drop=True)


def hudoc_address(case_id: str) -> str:
    """Address of a judgment in the Court's database; "" for ids that are not its own."""
    own = case_id.startswith("00")
    return f"https://hudoc.echr.coe.int/eng?i={case_id}" if own else ""


def error_bucket(y_true: np.ndarray, y_pred: np.ndarray) -> np.ndarray:
    """Bucket of each prediction by relative error, shape (n,), values from ``BUCKETS``.

    A prediction less than €0.50 off is exact. For a zero award, anything else falls in "more
    than 50%". The buckets are mutually exclusive and exhaustive (paper appendix D.6, Table 34; the
    inner edges at 25% are ours).
    """
    y_true, y_pred = np.asarray(y_true, float), np.asarray(y_pred, float)
    off = np.abs(y_pred - y_true)
    exact = off < ZERO_BELOW_EUR
    relative = off / np.where(y_true > 0, y_true, 1.0)
    positive = y_true > 0
    return np.select(
        [exact, *((positive & (relative <= edge)) for edge in (0.10, 0.25, 0.50))],
        BUCKETS[:4],
        BUCKETS[4],
    )


def bucket_shares(scored: pd.DataFrame) -> pd.DataFrame:
    """Share of each system's predictions in each error bucket.

    Returns:
        Indexed by system, by name, one column a bucket of ``BUCKETS``; rows add to 1.
    """
    bucket = pd.Categorical(
        error_bucket(scored["y_true"], scored["y_pred"]), categories=list(BUCKETS)
    )
    counts = pd.crosstab(scored["system"], bucket, dropna=False).reindex(columns=list(BUCKETS))
    return counts.fillna(0).div(counts.sum(axis=1), axis=0).rename_axis(columns=None)
