"""Constant predictors (paper appendix C.2): the same award for every case."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

STATISTICS: dict[str, Callable[[np.ndarray], float]] = {
    "median": np.median,
    "mean": np.mean,
    "zero": lambda y: 0.0,
    "positive median": lambda y: np.median(y[y > 0]),
    "positive mean": lambda y: np.mean(y[y > 0]),
}


class Constant:
    """Predicts a statistic of the training awards.

    Args:
        statistic: a key of ``STATISTICS``.
    """

    def __init__(self, statistic: str):
        self.statistic = statistic

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Constant:
        """Learn the constant from training awards, shape (n,), euros."""
        self.constant_ = float(STATISTICS[self.statistic](np.asarray(y, float)))
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """The constant for every row of ``X``, shape (n,), euros."""
        return np.full(len(X), self.constant_)
