"""A stack: a weighted mean of several systems, the weights fitted on out-of-time folds of train."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from lib.systems.trees import years

FOLDS = ((0.55, 0.70), (0.70, 0.85), (0.85, 1.0))  # fitted before, predicted up to


class Stack:
    """Convex combination of members that has the least absolute error on later cases.

    Each fold fits the members on the earliest cases and predicts those that follow, as the
    benchmark does; so the weights answer for the drift between training and use. Then every member
    is fitted on all cases.

    Args:
        members: name → a function that makes an unfitted estimator.
        distribution: the member whose probability of zero and quantiles the stack passes on.
    """

    def __init__(self, members: dict[str, Callable[[], Any]], distribution: str):
        self.members, self.distribution = members, distribution

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Stack:
        """Fit on training cases: the 20 public predictors, shape (n, 20), and awards in euros."""
        order = np.lexsort([X.index.to_numpy(str), years(X)])
        X, y = X.iloc[order], np.asarray(y, float)[order]
        later, guessed = [], []
        for before, until in FOLDS:
            cut, end = int(before * len(X)), int(until * len(X))
            fitted = {name: make().fit(X[:cut], y[:cut]) for name, make in self.members.items()}
            guessed.append(np.stack([one.predict(X[cut:end]) for one in fitted.values()], axis=1))
            later.append(y[cut:end])
        self.weights_ = least_absolute_weights(np.concatenate(guessed), np.concatenate(later))
        self.members_ = {name: make().fit(X, y) for name, make in self.members.items()}
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Awards in euros, shape (n,), none below 0."""
        return np.stack([one.predict(X) for one in self.members_.values()], axis=1) @ self.weights_

    def predict_zero(self, X: pd.DataFrame) -> np.ndarray:
        """Probability of a zero award, shape (n,)."""
        return self.members_[self.distribution].predict_zero(X)

    def predict_quantiles(self, X: pd.DataFrame, levels: np.ndarray) -> np.ndarray:
        """Quantiles of the award, euros, shape (n, k)."""
        return self.members_[self.distribution].predict_quantiles(X, levels)

    def report(self) -> dict[str, Any]:
        """What the card records of the fit: each member's weight."""
        weights = zip(self.members, self.weights_, strict=True)
        return {"weights": {name: round(float(weight), 4) for name, weight in weights}}


def least_absolute_weights(predicted: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights of at least 0 that add to 1 and minimise Σ|y − predicted · w|, a linear programme.

    Args:
        predicted: shape (n, m), euros.
        y: shape (n,), euros.

    Returns:
        Shape (m,).
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_array, coo_array, identity

    n, m = predicted.shape
    unit = max(float(np.abs(y).mean()), 1.0)  # keeps the solver's numbers near 1
    predicted, y = predicted / unit, y / unit
    # y = predicted · w + above − below, and Σw = 1; what is above or below costs its size
    excess, none = identity(n), coo_array((1, n))
    rows = [[coo_array(predicted), excess, -excess], [coo_array(np.ones((1, m))), none, none]]
    solved = linprog(
        np.concatenate([np.zeros(m), np.ones(2 * n)]),
        A_eq=block_array(rows, format="csr"),
        b_eq=np.append(y, 1.0),
        bounds=(0, None),
        method="highs",
    )
    weights = np.clip(solved.x[:m], 0, None)
    return weights / weights.sum()
