"""Two-stage models: is the award zero, and if not, how large? Decided for absolute error.

The award's distribution is a mixture: an atom at €0 with probability p, and a continuous part above
it. Absolute error is least at the mixture's median: €0 where p is at least one half, else the
positive part's quantile at level (0.5 − p) / (1 − p). The paper names hurdle models and
distributional regression as future work (section 6.4); Cragg (1971) and Rigby and Stasinopoulos
(2005) are the sources that it gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lib.systems import trees
from lib.systems.trees import Columns, recency_weights

ZERO_SETTINGS = {
    "iterations": 400, "depth": 4, "learning_rate": 0.04, "l2_leaf_reg": 5, "rsm": 0.4,
    "bootstrap_type": "Bernoulli", "subsample": 0.7,
}  # fmt: skip
POSITIVE_SETTINGS = {"iterations": 500, "depth": 4, "learning_rate": 0.05, "l2_leaf_reg": 5}
# What tells the time of a judgment. The share of zero awards swings from year to year, and trees
# carry the last years' share on into the future.
TIME = ("judgment_year", "judgment_month", "log1p_gdp_per_capita", "log1p_gdp")
LEVELS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.85, 0.95)


class ZeroInflated:
    """A probability of zero and quantiles of the positive awards; subclasses give the latter.

    Args:
        half_life: years; see :func:`lib.systems.trees.recency_weights`.
        timeless: whether the probability of a zero award is not to rest on ``TIME``.
        zero: CatBoost's settings for the probability of a zero award.
        positive: CatBoost's settings for the positive awards.
    """

    def __init__(
        self,
        half_life: float | None = 6,
        timeless: bool = False,
        zero: dict[str, Any] | None = None,
        positive: dict[str, Any] | None = None,
    ):
        self.half_life, self.timeless = half_life, timeless
        self.zero, self.positive = zero or ZERO_SETTINGS, positive or POSITIVE_SETTINGS

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> ZeroInflated:
        """Fit on training cases: a feature set's columns, shape (n, p), and awards in euros."""
        y = np.asarray(y, float)
        self.columns_ = Columns("catboost").fit(X)
        encoded, weights = self.columns_.transform(X), recency_weights(X, self.half_life)
        weights = np.ones(len(y)) if weights is None else weights
        self.zero_ = trees.model("catboost", self.zero, self.columns_.text, classify=True)
        self.zero_.fit(self._telling_zero(encoded), (y == 0).astype(int), sample_weight=weights)
        above = y > 0
        self._fit_positive(encoded[above], np.log(y[above]), weights[above])
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """The distribution's median, euros, shape (n,)."""
        return self.predict_quantiles(X, [0.5])[:, 0]

    def predict_zero(self, X: pd.DataFrame) -> np.ndarray:
        """Probability of a zero award, shape (n,)."""
        return self.zero_.predict_proba(self._telling_zero(self.columns_.transform(X)))[:, 1]

    def predict_quantiles(self, X: pd.DataFrame, levels: np.ndarray) -> np.ndarray:
        """Quantiles of the award, euros.

        Args:
            levels: between 0 and 1, shape (k,) for all cases or (n, k) for each.

        Returns:
            Shape (n, k); along a row no quantile is below one of a lower level.
        """
        zero = self.predict_zero(X)[:, None]
        levels = np.broadcast_to(levels, (len(X), np.shape(levels)[-1]))
        within = np.clip((levels - zero) / (1 - zero), 0, 1)  # the level among positive awards
        amounts = np.exp(self._positive_quantiles(self.columns_.transform(X), within))
        return np.where(levels <= zero, 0.0, amounts)

    def _telling_zero(self, encoded: pd.DataFrame) -> pd.DataFrame:
        return encoded.drop(columns=list(TIME)) if self.timeless else encoded

    def _fit_positive(self, encoded: pd.DataFrame, log_y: np.ndarray, weights: np.ndarray) -> None:
        raise NotImplementedError

    def _positive_quantiles(self, encoded: pd.DataFrame, levels: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class Hurdle(ZeroInflated):
    """Quantile boosting for the positive awards: one model a level, sorted so as not to cross.

    Between the levels fitted, the logarithm of the award is interpolated; beyond the outer ones
    the outermost quantile stands. Sorting is the rearrangement of Chernozhukov, Fernández-Val and
    Galichon (2010), which never raises the pinball loss.
    """

    def _fit_positive(self, encoded: pd.DataFrame, log_y: np.ndarray, weights: np.ndarray) -> None:
        self.positive_ = [
            trees.model(
                "catboost",
                {**self.positive, "loss_function": f"Quantile:alpha={level}"},
                self.columns_.text,
            ).fit(encoded, log_y, sample_weight=weights)
            for level in LEVELS
        ]

    def _positive_quantiles(self, encoded: pd.DataFrame, levels: np.ndarray) -> np.ndarray:
        fitted = np.sort(np.stack([one.predict(encoded) for one in self.positive_], axis=1), axis=1)
        return interpolate(fitted, np.array(LEVELS), levels)


class ZeroInflatedLogNormal(ZeroInflated):
    """A normal distribution for the logarithm of positive awards; CatBoost fits both parameters."""

    def _fit_positive(self, encoded: pd.DataFrame, log_y: np.ndarray, weights: np.ndarray) -> None:
        settings = {**self.positive, "loss_function": "RMSEWithUncertainty"}
        self.positive_ = trees.model("catboost", settings, self.columns_.text)
        self.positive_.fit(encoded, log_y, sample_weight=weights)

    def _positive_quantiles(self, encoded: pd.DataFrame, levels: np.ndarray) -> np.ndarray:
        from scipy.stats import norm

        mean, variance = self.positive_.predict(encoded).T
        # the outermost levels are infinite; no award is beyond one in a thousand
        return mean[:, None] + np.sqrt(variance)[:, None] * norm.ppf(np.clip(levels, 1e-3, 0.999))


class MultiQuantile:
    """All quantiles of log1p(y) from one CatBoost model, sorted so as not to cross.

    Args:
        settings: CatBoost's own parameters.
        half_life: years; see :func:`lib.systems.trees.recency_weights`.
    """

    LEVELS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98)

    def __init__(self, settings: dict[str, Any] | None = None, half_life: float | None = 6):
        self.settings, self.half_life = settings or POSITIVE_SETTINGS, half_life

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> MultiQuantile:
        """Fit on training cases: a feature set's columns, shape (n, p), and awards in euros."""
        self.columns_ = Columns("catboost").fit(X)
        levels = ", ".join(map(str, self.LEVELS))
        settings = {**self.settings, "loss_function": f"MultiQuantile:alpha={levels}"}
        self.model_ = trees.model("catboost", settings, self.columns_.text)
        self.model_.fit(
            self.columns_.transform(X),
            np.log1p(np.asarray(y, float)),
            sample_weight=recency_weights(X, self.half_life),
        )
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """The median, euros, shape (n,)."""
        return self.predict_quantiles(X, [0.5])[:, 0]

    def predict_quantiles(self, X: pd.DataFrame, levels: np.ndarray) -> np.ndarray:
        """Quantiles of the award, euros; as :meth:`ZeroInflated.predict_quantiles`."""
        fitted = np.sort(self.model_.predict(self.columns_.transform(X)), axis=1)
        levels = np.broadcast_to(levels, (len(X), np.shape(levels)[-1]))
        return np.expm1(np.clip(interpolate(fitted, np.array(self.LEVELS), levels), 0, None))


def interpolate(values: np.ndarray, at: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Linear interpolation along each row; the outermost values stand beyond ``at``.

    Args:
        values: shape (n, m), at the levels ``at``, shape (m,), rising.
        wanted: levels, shape (n, k).

    Returns:
        Shape (n, k).
    """
    wanted = np.clip(wanted, at[0], at[-1])
    right = np.clip(np.searchsorted(at, wanted, side="right"), 1, len(at) - 1)
    share = (wanted - at[right - 1]) / (at[right] - at[right - 1])
    rows = np.arange(len(values))[:, None]
    return values[rows, right - 1] * (1 - share) + values[rows, right] * share
