"""The metrics of ECtHR-NPD and a few more, as functions of arrays.

Every point metric takes ``y_true`` and ``y_pred`` in nominal euros and reduces their last axis, so
that one call scores one system (shape ``(n,)``) or a thousand bootstrap resamples of it (shape
``(1000, n)``). They raise ValueError for empty samples and samples of two lengths. They are written
in NumPy because scikit-learn's and SciPy's versions take one sample at a time and cost three
seconds to import; the tests hold each against theirs.

Source: paper section 4.2 and Table 2; those marked "ours" go beyond the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

ZERO_BELOW_EUR = 0.5  # a prediction below €0.50 counts as zero (the paper's rule)


def _pair(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    y_true, y_pred = np.asarray(y_true, float), np.asarray(y_pred, float)
    if y_true.shape[-1:] != y_pred.shape[-1:] or y_true.shape[-1:] in ((), (0,)):
        raise ValueError(f"need two samples of one length, got {y_true.shape} and {y_pred.shape}")
    return y_true, y_pred


def mae(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Mean absolute error, euros. The benchmark's primary metric."""
    y_true, y_pred = _pair(y_true, y_pred)
    return np.abs(y_pred - y_true).mean(axis=-1)


def rmse(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Root mean squared error, euros."""
    y_true, y_pred = _pair(y_true, y_pred)
    return np.sqrt(np.square(y_pred - y_true).mean(axis=-1))


def medae(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Median absolute error, euros."""
    y_true, y_pred = _pair(y_true, y_pred)
    return np.median(np.abs(y_pred - y_true), axis=-1)


def p95_ae(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """95th percentile of the absolute error (linear interpolation), euros."""
    y_true, y_pred = _pair(y_true, y_pred)
    return np.quantile(np.abs(y_pred - y_true), 0.95, axis=-1)


def r2(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Coefficient of determination; NaN where every award is the same."""
    y_true, y_pred = _pair(y_true, y_pred)
    residual = np.square(y_true - y_pred).sum(axis=-1)
    total = np.square(y_true - y_true.mean(axis=-1, keepdims=True)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(_constant(y_true), np.nan, 1 - residual / total)[()]


def pearson(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Pearson's r; NaN where either side is constant."""
    y_true, y_pred = _pair(y_true, y_pred)
    constant = _constant(y_true) | _constant(y_pred)
    a = y_true - y_true.mean(axis=-1, keepdims=True)
    b = y_pred - y_pred.mean(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # scaling keeps the squares in range
        a = a / np.abs(a).max(axis=-1, keepdims=True)
        b = b / np.abs(b).max(axis=-1, keepdims=True)
        scale = np.sqrt(np.square(a).sum(axis=-1) * np.square(b).sum(axis=-1))
        r = (a * b).sum(axis=-1) / scale
    return np.where(constant, np.nan, np.clip(r, -1, 1))[()]


def spearman(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Spearman's ρ: Pearson's r of the ranks, ties at their mean rank."""
    y_true, y_pred = _pair(y_true, y_pred)
    return pearson(_ranks(y_true), _ranks(y_pred))


def zero_f1(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """F1 of the class "zero award"; a prediction below €0.50 counts as zero. 0 where undefined."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _f1(y_true == 0, y_pred < ZERO_BELOW_EUR)


def positive_f1(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """F1 of the class "positive award"; a prediction of at least €0.50 counts as positive."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _f1(y_true > 0, y_pred >= ZERO_BELOW_EUR)


def mean_absolute_log_error(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Mean of |log(1 + ŷ) − log(1 + y)|, no unit (ours): a factor weighs the same at any size."""
    y_true, y_pred = _pair(y_true, y_pred)
    return np.abs(np.log1p(y_pred) - np.log1p(y_true)).mean(axis=-1)


def mean_signed_error(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    """Mean of ŷ − y, euros (ours): above 0 the system predicts too much on average."""
    y_true, y_pred = _pair(y_true, y_pred)
    return (y_pred - y_true).mean(axis=-1)


def _constant(values: np.ndarray) -> np.ndarray:
    # By its range: a constant's deviations from its mean are rounding noise, not always zero.
    return np.ptp(values, axis=-1) == 0


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, ties at their mean; three times as fast as pandas and SciPy."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.arange(values.shape[-1])
    starts = np.ones(values.shape, bool)  # where a run of equal values starts, and where it ends
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.roll(starts, -1, axis=-1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, len(place))[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def _f1(is_true: np.ndarray, is_predicted: np.ndarray) -> np.ndarray:
    hits = (is_true & is_predicted).sum(axis=-1)
    all_ = is_true.sum(axis=-1) + is_predicted.sum(axis=-1)
    return np.where(all_ == 0, 0.0, 2 * hits / np.maximum(all_, 1))[()]


# Metrics of systems that also say how sure they are. They take one sample, shape (n,).


def auroc_zero(y_true: ArrayLike, p_zero: ArrayLike) -> float:
    """Area under the ROC curve of P(zero) for zero awards (ours). NaN with one class.

    It is the share of (zero, positive) pairs in which the zero award has the higher P(zero), ties
    counting half: the Mann–Whitney U statistic, from ranks.
    """
    y_true, p_zero = _pair(y_true, p_zero)
    zero = y_true == 0
    zeros, pairs = zero.sum(), zero.sum() * (~zero).sum()
    if pairs == 0:
        return float("nan")
    return float((_ranks(p_zero)[zero].sum() - zeros * (zeros + 1) / 2) / pairs)


def average_precision_zero(y_true: ArrayLike, p_zero: ArrayLike) -> float:
    """Average precision of P(zero) for zero awards (ours). NaN where no award is zero."""
    y_true, p_zero = _pair(y_true, p_zero)
    if (y_true != 0).all():
        return float("nan")
    order = np.argsort(-p_zero)
    falls = np.append(np.diff(p_zero[order]) != 0, True)  # equal P(zero) share one threshold
    found = np.cumsum(y_true[order] == 0)[falls]
    precision = found / (np.flatnonzero(falls) + 1)
    return float(np.diff(found, prepend=0) @ precision / found[-1])


def brier_zero(y_true: ArrayLike, p_zero: ArrayLike) -> float:
    """Brier score of P(zero): the mean squared difference from 1 (zero) or 0 (positive) (ours)."""
    y_true, p_zero = _pair(y_true, p_zero)
    return float(np.square(p_zero - (y_true == 0)).mean())


def pinball(y_true: ArrayLike, y_quantile: ArrayLike, level: float) -> float:
    """Pinball (quantile) loss at a level in (0, 1), euros (Koenker and Bassett 1978).

    Raises:
        ValueError: where the level is not strictly between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"a quantile level lies strictly between 0 and 1, not at {level}")
    y_true, y_quantile = _pair(y_true, y_quantile)
    short = y_true - y_quantile
    return float(np.maximum(level * short, (level - 1) * short).mean())


def interval_coverage(y_true: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """Share of awards inside [low, high], both ends included (ours)."""
    y_true, low = _pair(y_true, low)
    y_true, high = _pair(y_true, high)
    return float(((low <= y_true) & (y_true <= high)).mean())


def interval_width(low: ArrayLike, high: ArrayLike) -> float:
    """Mean width of the intervals, euros (ours)."""
    low, high = _pair(low, high)
    return float((high - low).mean())


def crps_from_quantiles(y_true: ArrayLike, quantiles: ArrayLike, levels: ArrayLike) -> float:
    """Continuous ranked probability score, euros, approximated from quantiles.

    CRPS is twice the integral over all levels of the pinball loss (Gneiting and Raftery 2007); the
    integral is taken by the trapezoidal rule over the levels at hand, the outermost losses held
    constant to 0 and 1.

    Args:
        y_true: shape (n,), awards in euros.
        quantiles: shape (n, q), predicted quantiles in euros.
        levels: shape (q,), rising levels in (0, 1).

    Raises:
        ValueError: where levels do not rise strictly within (0, 1) or do not fit the quantiles.
    """
    y_true, quantiles = np.asarray(y_true, float), np.asarray(quantiles, float)
    levels = np.asarray(levels, float)
    if quantiles.shape != (len(y_true), len(levels)) or np.any(np.diff(levels) <= 0):
        raise ValueError("quantiles must be (cases, levels), the levels strictly rising")
    losses = np.array([pinball(y_true, quantiles[:, j], level) for j, level in enumerate(levels)])
    at = np.concatenate([[0.0], levels, [1.0]])
    losses = np.concatenate([losses[:1], losses, losses[-1:]])
    return float(np.diff(at) @ (losses[1:] + losses[:-1]))  # twice the trapezoids


@dataclass(frozen=True)
class Metric:
    """How a metric is shown: its column title, unit, direction and LaTeX formula."""

    key: str
    title: str
    function: Callable[..., np.ndarray]
    unit: str  # "€" or ""
    better: str  # "lower", "higher" or "zero" (nearest to 0)
    formula: str
    meaning: str
    source: str = "paper, Table 2"


POINT_METRICS = {
    metric.key: metric
    for metric in (
        Metric("mae", "MAE", mae, "€", "lower",
               r"\frac{1}{n}\sum_{i=1}^{n}\left|\hat{y}_i-y_i\right|",
               "Average absolute error per case. The primary metric."),
        Metric("rmse", "RMSE", rmse, "€", "lower",
               r"\sqrt{\frac{1}{n}\sum_{i=1}^{n}(\hat{y}_i-y_i)^2}",
               "Dominated by the few very large awards."),
        Metric("medae", "MedAE", medae, "€", "lower",
               r"\operatorname{median}_i\left|\hat{y}_i-y_i\right|",
               "The typical error: half of the cases are nearer."),
        Metric("p95_ae", "P95 AE", p95_ae, "€", "lower",
               r"Q_{0.95}\left(\left|\hat{y}_i-y_i\right|\right)",
               "One case in twenty is further off than this."),
        Metric("r2", "R²", r2, "", "higher",
               r"1-\frac{\sum_i(y_i-\hat{y}_i)^2}{\sum_i(y_i-\bar{y})^2}",
               "Share of variance explained on the euro scale; below 0, worse than the mean."),
        Metric("pearson", "Pearson r", pearson, "", "higher",
               r"\frac{\sum_i(y_i-\bar{y})(\hat{y}_i-\bar{\hat{y}})}"
               r"{\sqrt{\sum_i(y_i-\bar{y})^2\sum_i(\hat{y}_i-\bar{\hat{y}})^2}}",
               "Linear association with the awards. Undefined for a constant prediction."),
        Metric("spearman", "Spearman ρ", spearman, "", "higher",
               r"r\left(\operatorname{rank}(y),\operatorname{rank}(\hat{y})\right)",
               "Whether larger awards get larger predictions. "
               "Undefined for a constant prediction."),
        Metric("zero_f1", "Zero-F1", zero_f1, "", "higher",
               r"\frac{2\,|Z\cap\hat{Z}|}{|Z|+|\hat{Z}|},"
               r"\quad Z=\{y_i=0\},\ \hat{Z}=\{\hat{y}_i<0.5\}",
               "Recognition of zero awards; a prediction below €0.50 counts as zero."),
        Metric("positive_f1", "Positive-F1", positive_f1, "", "higher",
               r"\frac{2\,|P\cap\hat{P}|}{|P|+|\hat{P}|},"
               r"\quad P=\{y_i>0\},\ \hat{P}=\{\hat{y}_i\geq 0.5\}",
               "Recognition of positive awards."),
        Metric("male", "MALE", mean_absolute_log_error, "", "lower",
               r"\frac{1}{n}\sum_{i=1}^{n}\left|\log(1+\hat{y}_i)-\log(1+y_i)\right|",
               "Mean absolute log error: being off by a factor weighs the same at any size.",
               "ours"),
        Metric("bias", "Bias", mean_signed_error, "€", "zero",
               r"\frac{1}{n}\sum_{i=1}^{n}(\hat{y}_i-y_i)",
               "Mean signed error: above 0 the system predicts too much on average.", "ours"),
    )
}  # fmt: skip

PROBABILISTIC_METRICS = {
    metric.key: metric
    for metric in (
        Metric("auroc_zero", "Zero AUROC", auroc_zero, "", "higher",
               r"\Pr\left(p_i>p_j\mid y_i=0,\ y_j>0\right)",
               "How well P(zero) ranks zero awards above positive ones; 0.5 is chance.", "ours"),
        Metric("ap_zero", "Zero AP", average_precision_zero, "", "higher",
               r"\sum_k(R_k-R_{k-1})P_k",
               "Average precision of P(zero) over all thresholds.", "ours"),
        Metric("brier_zero", "Zero Brier", brier_zero, "", "lower",
               r"\frac{1}{n}\sum_i\left(p_i-\mathbb{1}[y_i=0]\right)^2",
               "Mean squared error of P(zero).", "ours"),
        Metric("coverage_90", "90% coverage", interval_coverage, "", "higher",
               r"\frac{1}{n}\sum_i\mathbb{1}\left[q_{05,i}\leq y_i\leq q_{95,i}\right]",
               "Share of awards inside the 5%–95% interval; should be 0.90.", "ours"),
        Metric("width_90", "90% width", interval_width, "€", "lower",
               r"\frac{1}{n}\sum_i\left(q_{95,i}-q_{05,i}\right)",
               "Mean width of that interval.", "ours"),
        Metric("pinball_50", "Pinball (median)", pinball, "€", "lower",
               r"\frac{1}{n}\sum_i\max\left(\tau(y_i-q_{\tau,i}),(\tau-1)(y_i-q_{\tau,i})\right)",
               "Quantile loss at τ = 0.5.", "ours"),
        Metric("crps", "CRPS", crps_from_quantiles, "€", "lower",
               r"2\int_0^1\frac{1}{n}\sum_i\rho_\tau(y_i-q_{\tau,i})\,d\tau",
               "Error of the whole predicted distribution, by the trapezoidal rule over the "
               "quantiles.", "ours"),
    )
}  # fmt: skip


def score(y_true: ArrayLike, y_pred: ArrayLike) -> dict[str, float]:
    """All point metrics of one system: ``{key: value}`` in the order of ``POINT_METRICS``."""
    return {key: float(metric.function(y_true, y_pred)) for key, metric in POINT_METRICS.items()}


def score_uncertainty(y_true: ArrayLike, predictions: pd.DataFrame) -> dict[str, float]:
    """The probabilistic metrics that a prediction table has columns for.

    Args:
        y_true: shape (n,), awards in euros.
        predictions: shape (n, …) with ``p_zero`` and/or quantile columns ``q01`` … ``q99``; a
            column with a gap counts as absent, and so does ``q00``, which is no level in (0, 1).

    Returns:
        ``{key: value}`` with keys of ``PROBABILISTIC_METRICS``; empty where no column serves.
    """
    scores: dict[str, float] = {}
    if "p_zero" in predictions and predictions["p_zero"].notna().all():
        p_zero = predictions["p_zero"].to_numpy()
        scores["auroc_zero"] = auroc_zero(y_true, p_zero)
        scores["ap_zero"] = average_precision_zero(y_true, p_zero)
        scores["brier_zero"] = brier_zero(y_true, p_zero)
    names = sorted(c for c in predictions if len(c) == 3 and c[0] == "q" and c[1:].isdigit())
    names = [name for name in names if name != "q00" and predictions[name].notna().all()]
    if {"q05", "q95"} <= set(names):
        low, high = predictions["q05"].to_numpy(), predictions["q95"].to_numpy()
        scores["coverage_90"] = interval_coverage(y_true, low, high)
        scores["width_90"] = interval_width(low, high)
    if "q50" in names:
        scores["pinball_50"] = pinball(y_true, predictions["q50"].to_numpy(), 0.5)
    if len(names) >= 2:
        levels = [int(name[1:]) / 100 for name in names]
        scores["crps"] = crps_from_quantiles(y_true, predictions[names].to_numpy(), levels)
    return scores
