"""The systems of this project, by name; a new one is a line here and a class to fit and predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from lib.systems.constants import Constant
from lib.systems.neighbours import Neighbours
from lib.systems.regression import MedianRegression
from lib.systems.stack import FOLDS, Stack
from lib.systems.trees import SEED, SETTINGS, Trees
from lib.systems.tuning import candidates
from lib.systems.zero_inflated import (
    LEVELS,
    POSITIVE_SETTINGS,
    ZERO_SETTINGS,
    Hurdle,
    MultiQuantile,
    ZeroInflatedLogNormal,
)


@dataclass(frozen=True)
class System:
    """What a system's card says, and how to make an unfitted estimator.

    Attributes:
        build: gives an object with ``fit(X, y)`` and ``predict(X)``, both in euros; it takes a
            candidate's parameters where there are candidates. ``predict_zero(X)`` and
            ``predict_quantiles(X, levels)``, where the object has them, join the predictions.
        features: the feature set that it is given, a key of
            :data:`lib.feature_sets.FEATURE_SETS`.
        packages: whose versions the card records, since they decide the numbers.
        settings: the estimator's fixed parameters, for the card.
        candidates: parameters to choose among on validation; see :mod:`lib.systems.tuning`.
        diagnostic: whether it sees more than the input contract allows (†).
        short: whether the demo gets a tenth of its trees, so that it trains in seconds.
    """

    name: str
    family: str
    input: str
    source: str
    build: Callable[..., Any]
    features: str = "public"
    packages: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    candidates: tuple[dict[str, Any], ...] = ()
    notes: str = ""
    diagnostic: bool = False
    short: bool = False


PUBLIC = "20 public predictors"
BEYOND = "beyond the paper (its section 6.4 names such models as future work)"
CATBOOST, LIGHTGBM, XGBOOST = (
    ("catboost", "numpy", "pandas"),
    ("lightgbm", "numpy", "pandas"),
    ("xgboost-cpu", "numpy", "pandas"),
)
PACKAGES = {"catboost": CATBOOST, "lightgbm": LIGHTGBM, "xgboost": XGBOOST}
FIXED = {"seed": SEED, "threads": 1}
MAE_SETTINGS = {**SETTINGS["catboost"], "loss_function": "MAE"}


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


def published(library: str, name: str) -> System:
    """A tree library with the paper's settings."""
    return System(
        name=name,
        family="gradient-boosted trees",
        input=PUBLIC,
        source="paper appendix C.3, published settings",
        build=lambda: Trees(library),
        packages=PACKAGES[library],
        settings={**SETTINGS[library], **FIXED, "target": "log1p(y)"},
        notes="Fits log1p(y) on train without early stopping; predictions are expm1, clipped at 0.",
    )


def tuned(library: str, name: str) -> System:
    """A tree library with settings chosen on validation, fitted as published otherwise."""
    return replace(
        published(library, name),
        source="paper appendix C.3, settings chosen on validation",
        build=lambda **chosen: Trees(library, **chosen),
        settings={**FIXED, "target": "log1p(y)"},
        candidates=candidates(f"{library}-tuned"),
        short=True,
        notes="As published, with settings chosen by validation MAE among declared candidates.",
    )


def _boosted(key: str, library: str, name: str, notes: str) -> System:
    return System(
        name=name,
        family="boosting for absolute error",
        input=PUBLIC,
        source=BEYOND,
        build=lambda **chosen: Trees(library, **chosen),
        packages=PACKAGES[library],
        settings=FIXED,
        candidates=candidates(key),
        short=True,
        notes=notes,
    )


def _distribution(
    key: str, build: Callable[..., Any], name: str, settings: dict[str, Any], notes: str
) -> System:
    return System(
        name=name,
        family="distributional",
        input=PUBLIC,
        source=BEYOND,
        build=build,
        packages=(*CATBOOST, "crepes"),
        settings={**FIXED, **settings},
        candidates=candidates(key),
        short=True,
        notes=f"{notes} 90% intervals are conformal, calibrated on validation.",
    )


def _neighbours(metric: str) -> System:
    return System(
        name=f"kNN, {metric}",
        family="retrieval",
        input="X1 (public part), date, articles",
        source="paper appendix C.4, Table 21",
        build=lambda: Neighbours(metric),
        features="retrieval",
        packages=("scikit-learn", "numpy", "pandas"),
        settings={"k": 20, "metric": metric, "aggregation": "median"},
        notes="Median award of the 20 nearest training cases, strictly earlier and sharing an "
        "Article; the train median where there is none. Columns are standardised on train.",
    )


_LIGHTGBM_MAE = candidates("lightgbm-mae")[0]["settings"]
# The stack's members, with fixed recipes: what each is made of, and how it is made.
MEMBERS: dict[str, tuple[dict[str, Any], Callable[[], Any]]] = {
    "catboost-mae": (
        {**MAE_SETTINGS, "half_life": 4},
        lambda: Trees("catboost", MAE_SETTINGS, half_life=4),
    ),
    "lightgbm-mae": (_LIGHTGBM_MAE, lambda: Trees("lightgbm", _LIGHTGBM_MAE)),
    "median-regression": ({}, MedianRegression),
    "log-normal": ({"half_life": 6}, ZeroInflatedLogNormal),
    "hurdle": ({"half_life": 6}, Hurdle),
}

BASELINE = "train-median"  # what other systems are compared with
SYSTEMS = {
    "train-median": _constant("median"),
    "train-mean": _constant("mean"),
    "zero": _constant("zero"),
    "train-positive-median": _constant("positive median"),
    "train-positive-mean": _constant("positive mean"),
    "catboost": published("catboost", "CatBoost"),
    "lightgbm": published("lightgbm", "LightGBM"),
    "xgboost": published("xgboost", "XGBoost"),
    "catboost-tuned": tuned("catboost", "CatBoost, tuned"),
    "lightgbm-tuned": tuned("lightgbm", "LightGBM, tuned"),
    "xgboost-tuned": tuned("xgboost", "XGBoost, tuned"),
    "knn-euclidean": _neighbours("euclidean"),
    "knn-cosine": _neighbours("cosine"),
    "median-regression": System(
        name="Median regression",
        family="linear",
        input=PUBLIC,
        source=BEYOND,
        build=MedianRegression,
        packages=("statsmodels", "numpy", "pandas"),
        settings={"target": "log1p(y)", "quantile": 0.5},
        notes="Linear quantile regression at the median; its coefficients are on a page apart.",
    ),
    "catboost-mae": _boosted(
        "catboost-mae", "catboost", "CatBoost, absolute error", "Fits absolute error."
    ),
    "lightgbm-mae": _boosted(
        "lightgbm-mae", "lightgbm", "LightGBM, absolute error", "Fits absolute error."
    ),
    "lightgbm-quantile": _boosted(
        "lightgbm-quantile", "lightgbm", "LightGBM, quantile", "Fits the pinball loss."
    ),
    "tweedie": replace(
        _boosted("tweedie", "lightgbm", "LightGBM, Tweedie", "Fits a Tweedie mean, not a median."),
        family="distributional",
    ),
    "recency": replace(
        _boosted(
            "recency", "catboost", "CatBoost, absolute error, recent cases first",
            "Fits absolute error on log1p(y); a training case's weight halves with age.",
        ),
        build=lambda **chosen: Trees("catboost", **{"settings": MAE_SETTINGS, **chosen}),
        settings={**FIXED, **MAE_SETTINGS},
    ),
    "multi-quantile": _distribution(
        "multi-quantile", MultiQuantile, "CatBoost, multi-quantile",
        {**POSITIVE_SETTINGS, "target": "log1p(y)", "levels": list(MultiQuantile.LEVELS)},
        "Eleven quantiles of log1p(y) at once, sorted so as not to cross; predicts the median.",
    ),
    "log-normal": _distribution(
        "log-normal", ZeroInflatedLogNormal, "Zero-inflated log-normal",
        {"zero": ZERO_SETTINGS, "positive": POSITIVE_SETTINGS},
        "Probability of zero and a log-normal for positive awards; predicts the median of both.",
    ),
    "hurdle": _distribution(
        "hurdle", Hurdle, "Hurdle",
        {"zero": ZERO_SETTINGS, "positive": POSITIVE_SETTINGS, "levels": list(LEVELS)},
        "Probability of zero and quantiles of positive awards; predicts the median of both.",
    ),
    "stack": System(
        name="Stack",
        family="ensemble",
        input=PUBLIC,
        source=BEYOND,
        build=lambda: Stack({key: make for key, (_, make) in MEMBERS.items()}, "hurdle"),
        short=True,
        packages=(*CATBOOST, "lightgbm", "statsmodels", "scipy", "crepes"),
        settings={
            **FIXED,
            "members": {key: settings for key, (settings, _) in MEMBERS.items()},
            "folds": [list(fold) for fold in FOLDS],
        },
        notes="Weighted mean of five systems; weights come from out-of-time folds inside the "
        "training cases. Probability of zero and quantiles are the hurdle's.",
    ),
}  # fmt: skip

# The system with the lowest validation MAE; it joins the report as refitted on train + validation.
CHOSEN = "hurdle"
REFITTED = "-refit"
QUICK = [name for name, system in SYSTEMS.items() if not system.candidates and name != "stack"]
REPORTED = (*SYSTEMS, CHOSEN + REFITTED)


def known(name: str) -> bool:
    """Whether a system has this name, with or without the suffix of the refitted protocol."""
    return name.removesuffix(REFITTED) in SYSTEMS
