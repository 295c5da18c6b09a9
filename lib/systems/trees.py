"""Gradient-boosted trees with the published settings (paper appendix C.3).

Each fits log1p(y) on the encoded public predictors; predictions are expm1, clipped at 0. There is
no early stopping. One thread, so that the same data gives the same bytes on any machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lib.features import CATEGORICAL, Encoder

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


class Trees:
    """One of the three libraries behind one face.

    Args:
        library: a key of ``SETTINGS``.
        settings: the library's own parameters; by default the published ones.
    """

    def __init__(self, library: str, settings: dict[str, Any] | None = None):
        self.library, self.settings = library, settings or SETTINGS[library]

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Trees:
        """Fit on training cases: the 20 public predictors, shape (n, 20), and awards in euros."""
        self.encoder_ = Encoder().fit(X)
        self.model_ = self._model()
        self.model_.fit(self._columns(X), np.log1p(np.asarray(y, float)))
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Awards in euros, shape (n,), none below 0."""
        return np.clip(np.expm1(self.model_.predict(self._columns(X))), 0, None)

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        encoded = self.encoder_.transform(X)
        # LightGBM and XGBoost take pandas categories; CatBoost takes text columns
        return (
            encoded.astype(dict.fromkeys(CATEGORICAL, str))
            if self.library == "catboost"
            else encoded
        )

    def _model(self) -> Any:
        if self.library == "catboost":
            from catboost import CatBoostRegressor

            return CatBoostRegressor(
                **self.settings,
                cat_features=list(CATEGORICAL),
                random_seed=SEED,
                thread_count=1,
                allow_writing_files=False,
                verbose=False,
            )
        if self.library == "lightgbm":
            from lightgbm import LGBMRegressor

            return LGBMRegressor(
                **self.settings,
                random_state=SEED,
                n_jobs=1,
                deterministic=True,
                force_row_wise=True,
                verbose=-1,
            )
        from xgboost import XGBRegressor

        return XGBRegressor(
            **self.settings, enable_categorical=True, random_state=SEED, n_jobs=1, verbosity=0
        )
