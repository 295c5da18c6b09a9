"""The systems of this project, by name; a new one is a line here and a class to fit and predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lib.systems.constants import Constant
from lib.systems.trees import SEED, SETTINGS, Trees


@dataclass(frozen=True)
class System:
    """What a system's card says, and how to make an unfitted estimator.

    Attributes:
        build: gives an object with ``fit(X, y)`` and ``predict(X)``, both in euros.
        packages: whose versions the card records, since they decide the numbers.
        settings: the estimator's parameters, for the card.
    """

    name: str
    family: str
    input: str
    source: str
    build: Callable[[], Any]
    packages: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    notes: str = ""


def _constant(statistic: str) -> System:
    zero = statistic == "zero"
    return System(
        name="Zero" if zero else f"Train {statistic}",
        family="constant",
        input="none",
        source="paper appendix C.2",
        build=lambda: Constant(statistic),
        notes=f"Predicts {'€0' if zero else f'the training {statistic}'} for every case.",
    )


def _trees(library: str, name: str) -> System:
    return System(
        name=name,
        family="gradient-boosted trees",
        input="20 public predictors",
        source="paper appendix C.3, published settings",
        build=lambda: Trees(library),
        packages=({"xgboost": "xgboost-cpu"}.get(library, library), "numpy", "pandas"),
        settings={**SETTINGS[library], "seed": SEED, "target": "log1p(y)", "threads": 1},
        notes="Fits log1p(y) on train without early stopping; predictions are expm1, clipped at 0.",
    )


BASELINE = "train-median"  # what other systems are compared with
SYSTEMS = {
    "train-median": _constant("median"),
    "train-mean": _constant("mean"),
    "zero": _constant("zero"),
    "train-positive-median": _constant("positive median"),
    "train-positive-mean": _constant("positive mean"),
    "catboost": _trees("catboost", "CatBoost"),
    "lightgbm": _trees("lightgbm", "LightGBM"),
    "xgboost": _trees("xgboost", "XGBoost"),
}
