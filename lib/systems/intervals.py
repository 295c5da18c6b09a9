"""Conformal prediction intervals: from a system's quantiles, calibrated on validation.

Where does the award fall in the distribution that a system predicts? On validation its level's
distance from the median, |F(y) − ½|, is measured; the conformal quantile of that distance (crepes)
says how far from the median an interval must reach to cover what it promises. This is
distributional conformal prediction (Chernozhukov, Wüthrich and Zhu 2021), for a distribution with
an atom at €0. An interval ends where the predicted distribution does: no calibration reaches awards
that a system holds to be impossible.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pandas as pd

COVERAGE = 0.9
GRID = np.arange(1, 200) / 200  # levels at which a distribution is looked up


class Distributional(Protocol):
    """A system that gives quantiles, shape (n, k), for levels of shape (k,) or (n, k)."""

    def predict_quantiles(self, X: pd.DataFrame, levels: np.ndarray) -> np.ndarray: ...


def distance(quantiles: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far from level ½ the interval [Q(½ − d), Q(½ + d)] must reach to hold the award.

    Args:
        quantiles: at ``GRID``, euros, shape (n, 199), rising along a row.
        y: awards, euros, shape (n,).

    Returns:
        Shape (n,), between 0 and ½.
    """
    below = (quantiles < y[:, None]).sum(axis=1)  # levels whose quantile falls short
    up_to = (quantiles <= y[:, None]).sum(axis=1)
    # the award sits at every level from `first` to `last`; a jump or an atom makes them differ
    step = GRID[1] - GRID[0]
    first, last = (below + 1) * step, up_to * step
    inside = (first <= 0.5) & (last >= 0.5)
    return np.where(inside, 0.0, np.minimum(np.abs(first - 0.5), np.abs(last - 0.5)))


def calibrate(system: Distributional, X: pd.DataFrame, y: np.ndarray) -> float:
    """The distance from level ½ that covers 90% of new cases, learnt on cases not fitted on.

    Args:
        X: inputs of the calibration cases (validation).
        y: their awards, euros.
    """
    from crepes import ConformalRegressor

    scores = distance(system.predict_quantiles(X, GRID), np.asarray(y, float))
    fitted = ConformalRegressor().fit(residuals=scores)
    half = fitted.predict_int(y_hat=np.array([0.5]), confidence=COVERAGE)
    return float(np.clip(half[0, 1] - 0.5, 0, 0.5 - 1e-3))


def bounds(system: Distributional, X: pd.DataFrame, reach: float) -> np.ndarray:
    """Lower and upper bound of each case's 90% interval, euros, shape (n, 2)."""
    return system.predict_quantiles(X, np.array([0.5 - reach, 0.5 + reach]))
