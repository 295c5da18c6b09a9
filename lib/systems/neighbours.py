"""Structured k-nearest-neighbour retrieval (paper section 4.1, appendix C.4, Table 21).

The prediction is the median award of the 20 nearest training cases that were judged strictly
earlier and share at least one violated Article; where there is none, the median of the training
awards. Ties go by item id.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.feature_sets import Vocabulary

BLOCK = 500  # cases compared with all references at once: some 40 MB of distances


class Neighbours:
    """Median award of the nearest earlier cases.

    Args:
        metric: "euclidean" or "cosine", on columns standardised with the references' means and
            deviations; unknown numbers are the references' median, categories are one column each.
        k: neighbours, at most.
    """

    def __init__(self, metric: str = "euclidean", k: int = 20):
        self.metric, self.k = metric, k

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Neighbours:
        """Keep training cases as references: the "retrieval" feature set, and awards in euros."""
        order = np.argsort(X.index.to_numpy(str), kind="stable")  # so that ties go by item id
        X, y = X.iloc[order], np.asarray(y, float)[order]
        self.awards_, self.dates_ = y, X["judgment_date"].to_numpy()
        self.vocabulary_ = Vocabulary().fit(self._described(X))
        dense = self._dense(X)
        self.medians_, self.means_, self.deviations_ = dense.median(), dense.mean(), dense.std()
        self.references_ = self._scaled(X)
        self.articles_ = X["violated_articles"].str.get_dummies(";").astype("float32")
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Awards in euros, shape (n,)."""
        return np.concatenate(
            [self._predict(X.iloc[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        )

    def neighbours(self, X: pd.DataFrame) -> np.ndarray:
        """Rows of the references (by item id) nearest to each case, shape (n, k); −1 for none."""
        from sklearn.metrics import pairwise_distances

        distances = pairwise_distances(self._scaled(X), self.references_, metric=self.metric)
        # one part in a million is rounding: such distances tie, and the item id decides
        distances = np.round(distances, 6)
        flags = X["violated_articles"].str.get_dummies(";").astype("float32")
        shared = flags.reindex(columns=self.articles_.columns, fill_value=0).to_numpy()
        eligible = (shared @ self.articles_.to_numpy().T > 0) & (
            self.dates_[None, :] < X["judgment_date"].to_numpy()[:, None]
        )
        distances[~eligible] = np.inf
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
        found = np.isfinite(np.take_along_axis(distances, nearest, axis=1))
        return np.where(found, nearest, -1)

    def _predict(self, X: pd.DataFrame) -> np.ndarray:
        nearest = self.neighbours(X)
        awards = np.where(nearest >= 0, self.awards_[nearest], np.nan)
        none = (nearest < 0).all(axis=1)
        awards[none] = np.median(self.awards_)
        return np.nanmedian(awards, axis=1)

    @staticmethod
    def _described(X: pd.DataFrame) -> pd.DataFrame:
        return X.drop(columns=["judgment_date", "violated_articles"])

    def _dense(self, X: pd.DataFrame) -> pd.DataFrame:
        return pd.get_dummies(self.vocabulary_.transform(self._described(X)), dtype=float)

    def _scaled(self, X: pd.DataFrame) -> np.ndarray:
        dense = self._dense(X).fillna(self.medians_)
        scaled = (dense - self.means_) / self.deviations_.replace(0, 1)
        return scaled.to_numpy("float64")
