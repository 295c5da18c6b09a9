"""Variants for ablations, not for the leaderboard: Table 28, and the way from the paper's CatBoost.

They are trained as every system is, on train alone; their files lie apart, in
``predictions/ablations/``.
"""

from __future__ import annotations

from dataclasses import replace

from lib.systems.registry import MAE_SETTINGS, SYSTEMS, published, tuned
from lib.systems.trees import Trees

FOLDER = "ablations"
LIBRARIES = {"catboost": "CatBoost", "lightgbm": "LightGBM", "xgboost": "XGBoost"}
TABLE_28 = ("X0", "X1", "X2", "public")

VARIANTS = {
    f"{library}-{features}": replace(
        tuned(library, f"{name}, {features}"), features=features, input=features
    )
    for library, name in LIBRARIES.items()
    for features in TABLE_28
}

# One step after another from the published CatBoost; † sees the forbidden beneficiary columns.
STEPS = {
    "published-X1": replace(published("catboost", "Published settings on X1"), features="X1"),
    "published-leak": replace(
        published("catboost", "Published settings on X1, beneficiary columns added"),
        features="leaking", diagnostic=True,
    ),
    "mae-objective": replace(
        SYSTEMS["catboost"], name="Absolute error in place of squared error",
        build=lambda: Trees("catboost", MAE_SETTINGS), settings=MAE_SETTINGS,
    ),
    "mae-X1": replace(
        SYSTEMS["catboost"], name="Absolute error on X1",
        build=lambda: Trees("catboost", MAE_SETTINGS), settings=MAE_SETTINGS, features="X1",
    ),
    "mae-leak": replace(
        SYSTEMS["catboost"], name="Absolute error on X1, beneficiary columns added",
        build=lambda: Trees("catboost", MAE_SETTINGS), settings=MAE_SETTINGS,
        features="leaking", diagnostic=True,
    ),
    "mae-recent": replace(
        SYSTEMS["catboost"], name="Absolute error, recent cases first (half-life 6 years)",
        build=lambda: Trees("catboost", MAE_SETTINGS, half_life=6),
        settings={**MAE_SETTINGS, "half_life": 6},
    ),
}  # fmt: skip
VARIANTS |= STEPS
