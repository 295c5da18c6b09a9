"""Rank systems: every metric with its interval, and where one system stands among the others."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib import bootstrap, metrics, predictions
from lib.metrics import POINT_METRICS


def leaderboard(
    scored: pd.DataFrame,
    cases: int,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> pd.DataFrame:
    """Every system's metrics on the cases that it scores, lowest MAE first.

    Args:
        scored: the frame from :func:`lib.predictions.align`.
        cases: how many cases there are to score; for coverage.

    Returns:
        One row a system: ``system``, ``n``, ``coverage`` and, for every point metric ``m``,
        ``m``, ``m_low`` and ``m_high`` (95% percentile bootstrap interval).
    """
    functions = {key: metric.function for key, metric in POINT_METRICS.items()}
    rows = []
    for system, frame in scored.groupby("system", sort=False):
        true, pred = frame["y_true"].to_numpy(), frame["y_pred"].to_numpy()
        bounds = bootstrap.intervals(true, pred, functions, resamples, seed)
        row = {"system": system, "n": len(frame), "coverage": len(frame) / cases}
        for key, value in metrics.score(true, pred).items():
            row |= {key: value, f"{key}_low": bounds[key][0], f"{key}_high": bounds[key][1]}
        rows.append(row)
    return pd.DataFrame(rows).sort_values(["mae", "system"], ignore_index=True)


def uncertainty(scored: pd.DataFrame) -> pd.DataFrame:
    """Probabilistic metrics of systems that give P(zero) or quantiles; empty where none does."""
    rows = [
        {"system": system, **metrics.score_uncertainty(frame["y_true"].to_numpy(), frame)}
        for system, frame in scored.groupby("system", sort=False)
    ]
    table = pd.DataFrame([row for row in rows if len(row) > 1])
    keys = [key for key in metrics.PROBABILISTIC_METRICS if key in table]
    return table[["system", *keys]] if len(table) else table


def standing(
    scored: pd.DataFrame,
    system: str,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> pd.DataFrame:
    """Compare one system with every other, each pair on the cases that both score.

    Returns:
        One row another system, lowest MAE first: ``system``, ``n`` (shared cases), ``mae`` (the
        other's), ``mae_own`` (on the same cases), and ``delta`` = own − other with ``low``,
        ``high``, ``p_holm`` and ``verdict`` from :func:`lib.bootstrap.paired`.
    """
    names = [name for name in scored["system"].unique() if name != system]
    errors = predictions.error_matrix(scored, [system, *names])
    table = bootstrap.paired(errors, resamples, seed, pairs=[(system, name) for name in names])
    table = table.rename(columns={"b": "system", "mae_b": "mae", "mae_a": "mae_own"})
    order = np.lexsort([table["system"], table["mae"]])
    columns = ["system", "n", "mae", "mae_own", "delta", "low", "high", "p_holm", "verdict"]
    return table.iloc[order][columns].reset_index(drop=True)


def rank(table: pd.DataFrame) -> int:
    """The place of the system that :func:`standing` compares, 1 being best; ties share a place."""
    return 1 + int((table["mae"] < table["mae_own"]).sum())
