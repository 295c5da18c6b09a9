"""Is what a system says of its uncertainty true? Zero awards, magnitudes, bands, intervals, drift.

Functions of the scored frame (:func:`lib.predictions.align`); amounts are nominal euros. All go
beyond the paper's tables; section 6.4 asks for calibration work.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import norm

from lib import bootstrap
from lib.breakdowns import AWARD_EDGES
from lib.metrics import ZERO_BELOW_EUR

BANDS = (0.25, 0.50)  # relative error
BINS = 10


def wilson(hits: np.ndarray, n: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval of a share (Wilson 1927); NaN where n is 0."""
    hits, n = np.asarray(hits, float), np.asarray(n, float)
    z = norm.ppf(0.5 + level / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = hits / n
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return centre - half, centre + half


def with_column(scored: pd.DataFrame, column: str) -> list[str]:
    """The systems that give a column for every case that they score, in the frame's order."""
    if column not in scored:
        return []
    full = scored[column].notna().groupby(scored["system"], sort=False).all()
    return list(full.index[full])


def auroc_intervals(
    scored: pd.DataFrame, systems: list[str], resamples: int = 1000, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """95% bootstrap intervals of AUROC for zero awards.

    Returns:
        Indexed by system: ``low``, ``high``; NaN where all awards, or none, are zero.
    """
    rows = {}
    for system in systems:
        frame = scored[scored["system"] == system]
        zero = (frame["y_true"] == 0).to_numpy()
        # cases of one probability tie: they are counted together, in rising order
        group = np.unique(frame["p_zero"].to_numpy(), return_inverse=True)[1]
        stream, areas, n = np.random.default_rng(seed), [], len(frame)
        for _ in range(resamples if 0 < zero.sum() < n else 0):
            drawn = stream.integers(0, n, n)
            zeros = np.bincount(group[drawn][zero[drawn]], minlength=group.max() + 1)
            others = np.bincount(group[drawn][~zero[drawn]], minlength=group.max() + 1)
            won = zeros * (np.cumsum(others) - others / 2)
            areas.append(won.sum() / max(zeros.sum() * others.sum(), 1))
        low, high = np.quantile(areas, [0.025, 0.975]) if areas else (np.nan, np.nan)
        rows[system] = {"low": low, "high": high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("system")


def roc(frame: pd.DataFrame) -> pd.DataFrame:
    """One system's ROC curve for zero awards: ``false_positive_rate``, ``true_positive_rate``."""
    from sklearn.metrics import roc_curve

    false, true, _ = roc_curve(frame["y_true"] == 0, frame["p_zero"])
    return pd.DataFrame({"false_positive_rate": false, "true_positive_rate": true})


def precision_recall(frame: pd.DataFrame) -> pd.DataFrame:
    """One system's precision–recall curve for zero awards: ``recall``, ``precision``."""
    from sklearn.metrics import precision_recall_curve

    precision, recall, _ = precision_recall_curve(frame["y_true"] == 0, frame["p_zero"])
    return pd.DataFrame({"recall": recall, "precision": precision})


def reliability(frame: pd.DataFrame, bins: int = BINS) -> pd.DataFrame:
    """Predicted probabilities of zero against how often the award was zero.

    Args:
        frame: one system's rows with ``p_zero`` and ``y_true``.
        bins: groups of equal size, by probability.

    Returns:
        One row a bin: ``n``, ``predicted`` (mean), ``observed`` with its 95% Wilson interval
        ``low``, ``high``.
    """
    return _shares(frame, _equal_bins(frame["p_zero"], bins), frame["y_true"] == 0)


def _shares(frame: pd.DataFrame, groups: np.ndarray, happened: pd.Series) -> pd.DataFrame:
    table = (
        pd.DataFrame({"group": groups, "predicted": frame["p_zero"], "happened": happened})
        .groupby("group")
        .agg(n=("happened", "size"), predicted=("predicted", "mean"), observed=("happened", "mean"))
    )
    low, high = wilson(table["observed"] * table["n"], table["n"])
    return table.assign(low=low, high=high).reset_index(drop=True)


def _equal_bins(values: pd.Series, bins: int) -> np.ndarray:
    """Group of each value, 0 to bins − 1, of equal sizes; equal values go by their order."""
    order = np.argsort(np.argsort(values.to_numpy(), kind="stable"), kind="stable")
    return order * bins // max(len(values), 1)


def magnitude(
    frame: pd.DataFrame, bins: int = BINS, resamples: int = 1000, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """Predicted against realised awards by decile of the prediction.

    Returns:
        One row a decile, lowest first: ``n``, ``predicted`` (median), ``realised`` (median) with
        its 95% bootstrap interval ``low``, ``high``, and ``mean_predicted``, ``mean_realised``;
        euros.
    """
    groups = _equal_bins(frame["y_pred"], bins)
    rows = []
    for group in range(bins):
        inside = frame[groups == group]
        if inside.empty:
            continue
        y = inside["y_true"].to_numpy()
        stream = np.random.default_rng([seed, group])
        drawn = np.median(y[stream.integers(0, len(y), (resamples, len(y)))], axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        rows.append(
            {
                "n": len(y),
                "predicted": inside["y_pred"].median(),
                "realised": np.median(y),
                "low": low,
                "high": high,
                "mean_predicted": inside["y_pred"].mean(),
                "mean_realised": y.mean(),
            }
        )
    return pd.DataFrame(rows)


def award_band(amount: np.ndarray) -> np.ndarray:
    """Which range of :func:`lib.breakdowns.award_ranges` an amount falls in, 0 for zero awards.

    An amount below €0.50 counts as zero, as it does for Zero-F1.
    """
    amount = np.asarray(amount, float)
    band = 1 + np.searchsorted(AWARD_EDGES, amount, side="left")
    return np.where(amount < ZERO_BELOW_EUR, 0, band)


def bands(scored: pd.DataFrame) -> pd.DataFrame:
    """How often a prediction comes near, by system.

    Returns:
        Indexed by system: ``n``; ``within_25`` and ``within_50``, shares of predictions off by at
        most that part of the award (a zero award is met only by zero); ``same_band``, the share in
        the same award range; each with its 95% Wilson interval ``…_low``, ``…_high``.
    """
    rows = {}
    for system, frame in scored.groupby("system", sort=False):
        true, pred = frame["y_true"].to_numpy(), frame["y_pred"].to_numpy()
        off = np.abs(true - pred)
        hits = {f"within_{int(100 * b)}": off <= b * true for b in BANDS}
        for name in hits:
            hits[name] = np.where(true == 0, pred < ZERO_BELOW_EUR, hits[name])
        hits["same_band"] = award_band(true) == award_band(pred)
        row: dict[str, float] = {"n": len(frame)}
        for name, hit in hits.items():
            low, high = wilson(hit.sum(), len(hit))
            row |= {name: hit.mean(), f"{name}_low": float(low), f"{name}_high": float(high)}
        rows[system] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("system")


def coverage(frame: pd.DataFrame, cases: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    """How often one system's 90% interval holds the award, by group of cases.

    Args:
        frame: one system's rows with ``q05`` and ``q95``.
        cases: the release's rows for the same cases.
        groups: boolean (len(cases), g), rows as in ``cases``.

    Returns:
        Indexed by group: ``n``, ``value`` (coverage) with its 95% Wilson interval ``low``,
        ``high``; ``above`` and ``below``, the shares of awards beyond either bound; and
        ``width``, the intervals' median width, euros.
    """
    ordered = frame.set_index("case_id").reindex(cases["case_id"])
    over = (ordered["y_true"] > ordered["q95"]).to_numpy()
    under = (ordered["y_true"] < ordered["q05"]).to_numpy()
    width = (ordered["q95"] - ordered["q05"]).to_numpy()
    scored = ordered["y_true"].notna().to_numpy()
    rows = {}
    for name in groups:
        inside = groups[name].to_numpy(bool) & scored
        n = int(inside.sum())
        held = int((inside & ~over & ~under).sum())
        low, high = wilson(held, n)
        rows[name] = {
            "n": n,
            "value": held / n if n else np.nan,
            "low": float(low),
            "high": float(high),
            "above": over[inside].mean() if n else np.nan,
            "below": under[inside].mean() if n else np.nan,
            "width": float(np.median(width[inside])) if n else np.nan,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group").astype({"n": "int64"})


def half_years(cases: pd.DataFrame) -> pd.Series:
    """The half-year of each judgment, such as ``2022 H1``."""
    date = cases["judgment_date"].dt
    return date.year.astype(str) + " H" + ((date.month > 6) + 1).astype(str)


def drift(
    frame: pd.DataFrame, cases: pd.DataFrame, resamples: int = 1000, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """One system's residuals by half-year of judgment.

    Returns:
        Indexed by half-year: ``n``; ``median_log`` = median of log1p(ŷ) − log1p(y) among positive
        awards, with its 95% bootstrap interval ``low``, ``high``; ``mean_error`` (ŷ − y, euros,
        mean over all); ``zero_share`` of the awards, and ``p_zero``, what was expected of it (NaN
        where the system gives none).
    """
    joined = frame.merge(cases[["case_id", "judgment_date"]], on="case_id")
    joined["half"] = half_years(joined)
    rows = {}
    for i, (half, inside) in enumerate(joined.groupby("half")):
        positive = inside[inside["y_true"] > 0]
        ratio = (np.log1p(positive["y_pred"]) - np.log1p(positive["y_true"])).to_numpy()
        low = high = np.nan
        if len(ratio):
            stream = np.random.default_rng([seed, i])
            picked = stream.integers(0, len(ratio), (resamples, len(ratio)))
            low, high = np.quantile(np.median(ratio[picked], axis=1), [0.025, 0.975])
        rows[half] = {
            "n": len(inside),
            "median_log": float(np.median(ratio)) if len(ratio) else np.nan,
            "low": low,
            "high": high,
            "mean_error": inside["error"].mean(),
            "zero_share": (inside["y_true"] == 0).mean(),
            "p_zero": inside["p_zero"].mean() if "p_zero" in inside else np.nan,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("half_year")


def ratio(median_log: pd.Series | pd.DataFrame | float) -> pd.Series | pd.DataFrame | float:
    """A difference of logarithms as prediction ÷ award; 1 is no bias."""
    return np.exp(median_log)


def trend(values: pd.Series) -> float:
    """Kendall's τ of a series with time; NaN where it does not vary."""
    from scipy.stats import kendalltau

    known = values.dropna()
    return float(kendalltau(np.arange(len(known)), known).statistic)
