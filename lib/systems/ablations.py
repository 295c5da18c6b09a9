"""Variants, not for the leaderboard: Table 28, the way from the paper's CatBoost, a second look.

They are trained as every system is, on train alone; their files lie apart, in
``predictions/ablations/``.
"""

from __future__ import annotations

from dataclasses import replace

from lib.systems.registry import MAE_SETTINGS, SYSTEMS, published, tuned
from lib.systems.trees import Trees
from lib.systems.zero_inflated import Hurdle

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

# Each candidate of the chosen system by itself, to show how much of its test error the choice
# decides; the last came up after the test set had been read, so it is no candidate.
_HURDLE = SYSTEMS["hurdle"]
LATER = {"half_life": 6, "timeless": True, "positive": _HURDLE.candidates[-1]["positive"]}
HURDLES = {
    f"hurdle-{number}": replace(
        _HURDLE, name=f"Hurdle, {title}", build=lambda given=parameters: Hurdle(**given),
        settings={**_HURDLE.settings, **parameters}, candidates=(),
    )
    for number, (title, parameters) in enumerate(
        [(f"candidate {i}", each) for i, each in enumerate(_HURDLE.candidates, 1)]
        + [("timeless, declared later", LATER)], 1,
    )
}  # fmt: skip
VARIANTS |= HURDLES
