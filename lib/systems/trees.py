"""Gradient-boosted trees: the published settings (paper appendix C.3), and other objectives.

As published, each library fits log1p(y) by squared error on the encoded public predictors, without
early stopping; predictions are brought back to euros and clipped at 0. One thread, so that the same
data gives the same bytes on any machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from lib.feature_sets import Vocabulary
from lib.features import PREDICTORS, Encoder

SEED = 42
SETTINGS: dict[str, dict[str, Any]] = {
    "catboost": {"depth": 4, "iterations": 700, "learning_rate": 0.04, "l2_leaf_reg": 5},
    "lightgbm": {
        "n_estimators": 900, "learning_rate": 0.04, "num_leaves": 31, "min_child_samples": 20,
        "reg_lambda": 5, "subsample": 0.9, "subsample_freq": 1, "colsample_bytree": 0.9,
    },
    "xgboost": {
        "n_estimators": 600, "max_depth": 4, "learning_rate": 0.04, "subsample": 0.9,
        "colsample_bytree": 0.9, "tree_method": "hist",
    },
}  # fmt: skip
# Target scales: from euros, and back (for values of at least 0).
SCALES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]] = {
    "log1p": (np.log1p, np.expm1),
    "cube root": (np.cbrt, lambda z: z**3),
    "square root": (np.sqrt, np.square),
    "euros": (np.array, np.array),
}


class Trees:
    """One of the three libraries behind one face.

    Args:
        library: a key of ``SETTINGS``.
        settings: the library's own parameters, its objective among them; by default the published
            ones, which fit by squared error.
        scale: of the target, a key of ``SCALES``.
        half_life: years after which a training case counts half (see :func:`recency_weights`);
            None weighs all the same.
    """

    def __init__(
        self,
        library: str,
        settings: dict[str, Any] | None = None,
        scale: str = "log1p",
        half_life: float | None = None,
    ):
        self.library, self.settings = library, settings or SETTINGS[library]
        self.scale, self.half_life = scale, half_life

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Trees:
        """Fit on training cases: a feature set's columns, shape (n, p), and awards in euros."""
        self.columns_ = Columns(self.library).fit(X)
        self.model_ = model(self.library, self.settings, self.columns_.text)
        target = SCALES[self.scale][0](np.asarray(y, float))
        weights = recency_weights(X, self.half_life)
        self.model_.fit(self.columns_.transform(X), target, sample_weight=weights)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Awards in euros, shape (n,), none below 0."""
        scaled = np.clip(self.model_.predict(self.columns_.transform(X)), 0, None)
        return np.asarray(SCALES[self.scale][1](scaled), float)


class Columns:
    """A feature set's frame as the columns that a library takes; learnt on training cases."""

    def __init__(self, library: str):
        self.library = library

    def fit(self, X: pd.DataFrame) -> Columns:
        # the public predictors hold sets, which become flags; other feature sets come encoded
        self.encoder_ = (Encoder() if list(X) == list(PREDICTORS) else Vocabulary()).fit(X)
        return self

    @property
    def text(self) -> list[str]:
        """The columns that are categories."""
        return list(self.encoder_.categories_)

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        encoded = self.encoder_.transform(X)
        # LightGBM and XGBoost take pandas categories; CatBoost takes text columns
        text = self.text if self.library == "catboost" else ()
        return encoded.astype(dict.fromkeys(text, str))


def years(X: pd.DataFrame) -> np.ndarray:
    """When each case was judged, in years, to the month; shape (n,)."""
    return X["judgment_year"].to_numpy(float) + (X["judgment_month"].to_numpy(float) - 0.5) / 12


def recency_weights(X: pd.DataFrame, half_life: float | None) -> np.ndarray | None:
    """Weights that halve every ``half_life`` years before the last case; None where it is None."""
    if half_life is None:
        return None
    when = years(X)
    return 0.5 ** ((when.max() - when) / half_life)


def model(library: str, settings: dict[str, Any], text: list[str], classify: bool = False) -> Any:
    """An unfitted regressor or classifier of a library, single-threaded and seeded.

    Args:
        text: the columns that are categories.
    """
    if library == "catboost":
        import catboost

        kind = catboost.CatBoostClassifier if classify else catboost.CatBoostRegressor
        return kind(
            **settings,
            cat_features=text,
            random_seed=SEED,
            thread_count=1,
            allow_writing_files=False,
            verbose=False,
        )
    if library == "lightgbm":
        import lightgbm

        kind = lightgbm.LGBMClassifier if classify else lightgbm.LGBMRegressor
        return kind(
            **settings,
            random_state=SEED,
            n_jobs=1,
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
        )
    import xgboost

    kind = xgboost.XGBClassifier if classify else xgboost.XGBRegressor
    return kind(**settings, enable_categorical=True, random_state=SEED, n_jobs=1, verbosity=0)
