"""Bootstrap intervals and the paired bootstrap between systems (paper appendix D.1).

Cases are resampled with replacement, at full size. Resamples are drawn in blocks of bounded size
from one stream, so that memory stays flat at any number of cases and the block size never changes
a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd

RESAMPLES = 1000
SEED = 42
BLOCK_BYTES = 32 * 2**20


def resample_blocks(
    n: int, resamples: int, seed: int, block_bytes: int = BLOCK_BYTES
) -> Iterator[np.ndarray]:
    """Draw case indices with replacement, in blocks of shape (b, n) that add up to ``resamples``."""
    stream = np.random.default_rng(seed)
    block = max(1, int(block_bytes // (8 * n)))
    for start in range(0, resamples, block):
        yield stream.integers(0, n, size=(min(block, resamples - start), n))


def intervals(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    functions: dict[str, Callable[..., np.ndarray]],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> dict[str, tuple[float, float]]:
    """Percentile bootstrap intervals of several metrics over the same resamples.

    Args:
        y_true, y_pred: shape (n,), euros.
        functions: metrics that reduce the last axis, by name.

    Returns:
        ``{name: (low, high)}``; NaN where a metric is undefined on most resamples.
    """
    draws: dict[str, list[np.ndarray]] = {name: [] for name in functions}
    for index in resample_blocks(len(y_true), resamples, seed):
        true, pred = y_true[index], y_pred[index]
        for name, function in functions.items():
            draws[name].append(np.atleast_1d(function(true, pred)))
    tail = (1 - level) / 2
    bounds = {}
    for name, parts in draws.items():
        values = np.concatenate(parts)
        values = values[np.isfinite(values)]
        enough = len(values) > resamples / 2
        low, high = np.quantile(values, [tail, 1 - tail]) if enough else (np.nan, np.nan)
        bounds[name] = (float(low), float(high))
    return bounds


def resampled_means(
    errors: np.ndarray, resamples: int = RESAMPLES, seed: int = SEED, block_bytes: int = BLOCK_BYTES
) -> np.ndarray:
    """Mean of each column over full-size resamples of the rows.

    Args:
        errors: shape (n, s), absolute errors in euros of s systems on the same n cases.

    Returns:
        Shape (resamples, s): every system on the same resamples.
    """
    n = len(errors)
    means = []
    for index in resample_blocks(n, resamples, seed, block_bytes):
        counts = np.array([np.bincount(row, minlength=n) for row in index], dtype=float)
        means.append(counts @ errors / n)
    return np.concatenate(means)


def paired(
    errors: pd.DataFrame,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
    pairs: list[tuple[str, str]] | None = None,
) -> pd.DataFrame:
    """Compare systems pair by pair on the cases that both score.

    Args:
        errors: shape (n, s), absolute errors in euros, one column a system, NaN where a system
            gives no prediction.
        pairs: the pairs (A, B) to compare; by default every pair in column order.

    Returns:
        One row a pair: ``a``, ``b``, ``n`` (shared cases), ``mae_a``, ``mae_b``, ``delta`` =
        MAE(A) − MAE(B) (below 0 favours A), ``low`` and ``high`` (percentile interval),
        ``pr_below_0`` = Pr(Δ* < 0) over the resamples, ``p`` (two-sided, from Δ and its bootstrap
        standard error), ``p_holm`` (Holm-adjusted over all rows) and ``verdict``: "A lower",
        "B lower" or "no clear difference" at 1 − level.

    The p-value uses the bootstrap standard error because a share of 1,000 resamples cannot fall
    below 0.001, which Holm's correction over the 190 pairs of 20 systems would never let pass.

    Source: paper appendix D.1 (Δ, resamples, Pr(Δ* < 0)); Holm's correction is ours.
    """
    pairs = list(combinations(errors.columns, 2)) if pairs is None else pairs
    values = errors.to_numpy(float)
    column = {name: j for j, name in enumerate(errors.columns)}
    scored = ~np.isnan(values)
    drawn: dict[bytes, np.ndarray] = {}  # resampled means by the set of shared cases
    rows = []
    tail = (1 - level) / 2
    for a, b in pairs:
        i, j = column[a], column[b]
        shared = scored[:, i] & scored[:, j]
        n = int(shared.sum())
        if n == 0:
            rows.append({"a": a, "b": b, "n": 0})
            continue
        key = shared.tobytes()
        if key not in drawn:
            # systems that miss a shared case take no part in its means; 0 keeps the product finite
            filled = np.where(scored[shared], values[shared], 0.0)
            drawn[key] = resampled_means(filled, resamples, seed)
        deltas = drawn[key][:, i] - drawn[key][:, j]
        mae_a, mae_b = values[shared, i].mean(), values[shared, j].mean()
        low, high = np.quantile(deltas, [tail, 1 - tail])
        spread = deltas.std(ddof=1)
        rows.append(
            {
                "a": a, "b": b, "n": n, "mae_a": mae_a, "mae_b": mae_b, "delta": mae_a - mae_b,
                "low": low, "high": high, "pr_below_0": (deltas < 0).mean(),
                "p": _two_sided(mae_a - mae_b, spread),
            }
        )  # fmt: skip
    table = pd.DataFrame(
        rows,
        columns=["a", "b", "n", "mae_a", "mae_b", "delta", "low", "high", "pr_below_0", "p"],
    )
    table["p_holm"] = holm(table["p"].to_numpy(float))
    clear = table["p_holm"] < 1 - level
    table["verdict"] = np.select(
        [clear & (table["delta"] < 0), clear & (table["delta"] > 0)],
        ["A lower", "B lower"],
        "no clear difference",
    )
    return table


def square(pairs: pd.DataFrame, order: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of :func:`paired` as two (s, s) frames: Δ = row − column, and whether it is clear.

    The diagonal and pairs that were not compared are NaN and False.
    """
    delta = pd.DataFrame(np.nan, index=order, columns=order)
    clear = pd.DataFrame(False, index=order, columns=order)
    for row in pairs.itertuples():
        delta.loc[row.a, row.b], delta.loc[row.b, row.a] = row.delta, -row.delta
        verdict = row.verdict != "no clear difference"
        clear.loc[row.a, row.b] = clear.loc[row.b, row.a] = verdict
    return delta, clear


def _two_sided(delta: float, standard_error: float) -> float:
    from math import erfc, sqrt

    if standard_error == 0:
        return 1.0 if delta == 0 else 0.0
    return erfc(abs(delta) / standard_error / sqrt(2))


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment, shape (m,) → (m,); NaN stays NaN and is not counted."""
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    if len(known):
        from statsmodels.stats.multitest import multipletests

        adjusted[known] = multipletests(p[known], method="holm")[1]
    return adjusted
