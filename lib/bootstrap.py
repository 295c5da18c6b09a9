"""Bootstrap intervals and the paired bootstrap between systems (paper appendix D.1).

Cases are resampled with replacement, at full size. Resamples are drawn in blocks of bounded size
from one stream, so that memory stays flat at any number of resamples and the block size never
changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import erfc, sqrt

import numpy as np
import pandas as pd

RESAMPLES = 1000
SEED = 42
BLOCK_BYTES = 2**18  # a block and its copies stay in the processor's cache


def resample_blocks(
    n: int, resamples: int, seed: int, block_bytes: int = BLOCK_BYTES
) -> Iterator[np.ndarray]:
    """Draw case indices with replacement, in blocks (b, n) that add up to ``resamples`` rows.

    Raises:
        ValueError: where there is no case to draw (n < 1).
    """
    if n < 1:
        raise ValueError("there is no case to resample")
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
        level: the intervals' confidence level, in (0, 1).

    Returns:
        ``{name: (low, high)}`` in the metrics' units; NaN where a metric is undefined on most
        resamples, else the undefined ones are left out.

    Raises:
        ValueError: where there is no case.
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
        Shape (resamples, s), euros: every system on the same resamples. A column's means depend on
        nothing but that column, to the last bit: two equal systems have equal means.

    Raises:
        ValueError: where there is no case.
    """
    n = len(errors)
    systems = np.ascontiguousarray(errors.T)
    means = []
    for index in resample_blocks(n, resamples, seed, block_bytes):
        for drawn in index:
            times = np.bincount(drawn, minlength=n).astype(float)
            # Not `times @ errors`: how BLAS rounds that depends on the other columns.
            means.append(np.einsum("n,sn->s", times, systems))
    return np.array(means) / n


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
        level: the intervals' confidence level, in (0, 1).
        pairs: the pairs (A, B) to compare; by default every pair in column order.

    Returns:
        One row a pair: ``a``, ``b``, ``n`` (shared cases), ``mae_a``, ``mae_b``, ``delta`` =
        MAE(A) − MAE(B) (below 0 favours A), ``low`` and ``high`` (percentile interval),
        ``pr_below_0`` = Pr(Δ* < 0) over the resamples, ``p`` (two-sided, from Δ and its bootstrap
        standard error), ``p_holm`` (Holm-adjusted over all rows) and ``verdict``: "A lower",
        "B lower" or "no clear difference" at 1 − level. A pair that shares no case has n = 0 and
        NaN elsewhere; one that shares a single case has no p-value either.

    Raises:
        KeyError: for a pair with a system that is no column.

    The p-value uses the bootstrap standard error because a share of 1,000 resamples cannot fall
    below 0.001, which Holm's correction over the 190 pairs of 20 systems would never let pass.

    Source: paper appendix D.1 (Δ, resamples, Pr(Δ* < 0)); Holm's correction is ours.
    """
    pairs = list(combinations(errors.columns, 2)) if pairs is None else pairs
    values = errors.to_numpy(float)
    scored = ~np.isnan(values.T)
    a = np.array([errors.columns.get_loc(first) for first, _ in pairs], int)
    b = np.array([errors.columns.get_loc(second) for _, second in pairs], int)
    columns = ["n", "mae_a", "mae_b", "delta", "low", "high", "pr_below_0", "p"]
    table = pd.DataFrame(np.nan, index=range(len(pairs)), columns=columns)
    by_cases: dict[bytes, list[int]] = {}  # pairs that share the same cases share resamples
    for k in range(len(pairs)):
        by_cases.setdefault(np.packbits(scored[a[k]] & scored[b[k]]).tobytes(), []).append(k)
    for rows in by_cases.values():
        shared = scored[a[rows[0]]] & scored[b[rows[0]]]
        table.loc[rows, "n"] = shared.sum()
        if shared.any():
            table.loc[rows, columns[1:]] = _compare(
                values[shared], a[rows], b[rows], resamples, seed, (1 - level) / 2
            )
    table.insert(0, "a", [first for first, _ in pairs])
    table.insert(1, "b", [second for _, second in pairs])
    table["n"] = table["n"].astype("int64")
    table["p_holm"] = holm(table["p"].to_numpy())
    clear = table["p_holm"] < 1 - level
    table["verdict"] = np.select(
        [clear & (table["delta"] < 0), clear & (table["delta"] > 0)],
        ["A lower", "B lower"],
        "no clear difference",
    )
    return table


def _compare(
    errors: np.ndarray, a: np.ndarray, b: np.ndarray, resamples: int, seed: int, tail: float
) -> np.ndarray:
    """Compare columns a[k] and b[k] of errors that both score everywhere, shape (pairs, 7)."""
    used, at = np.unique(np.concatenate([a, b]), return_inverse=True)
    a, b = at[: len(a)], at[len(a) :]
    errors = errors[:, used]
    means, mae = resampled_means(errors, resamples, seed), errors.mean(axis=0)
    draws, delta = means[:, a] - means[:, b], mae[a] - mae[b]
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    below = (draws < 0).mean(axis=0)
    p = two_sided(delta, draws.std(axis=0, ddof=1))
    if len(errors) == 1:  # one case has no spread to judge by
        p[:] = np.nan
    return np.column_stack([mae[a], mae[b], delta, low, high, below, p])


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


def two_sided(delta: np.ndarray, standard_error: np.ndarray) -> np.ndarray:
    """Two-sided p-values of differences under a normal approximation, shape (m,)."""
    certain = np.where(delta == 0, 0.0, np.inf)  # no spread: equal, or different in every resample
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(standard_error == 0, certain, np.abs(delta) / standard_error)
    return np.array([erfc(one / sqrt(2)) for one in z])


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment, shape (m,) → (m,); NaN stays NaN and is not counted.

    Written out because importing statsmodels for it takes two seconds; a test holds it to theirs.
    """
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]  # NaN sorts last
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
