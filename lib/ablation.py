"""What the variants of :mod:`lib.systems.ablations` show: Table 28, steps, leaks, a second look."""

from __future__ import annotations

import pandas as pd

from lib import bootstrap, predictions
from lib.feature_sets import FEATURE_SETS
from lib.predictions import Predictions
from lib.report import Report
from lib.systems.ablations import HURDLES, LIBRARIES, TABLE_28
from lib.systems.registry import BASELINE, CHOSEN, REFITTED
from lib.systems.training import find

# From the paper's recipe to the chosen system: variants, systems and refitted systems.
STEPS = (
    "published-leak", "published-X1", "catboost", "catboost-tuned", "mae-objective", "mae-recent",
    "recency", CHOSEN, CHOSEN + REFITTED,
)  # fmt: skip
LEAKS = {
    "published settings": ("published-X1", "published-leak"),
    "absolute error": ("mae-X1", "mae-leak"),
}


def table_28(
    lab: Report, resamples: int = bootstrap.RESAMPLES, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """MAE by library and feature set, settings chosen on validation (paper Table 28).

    Returns:
        One row a (library, feature set): ``library``, ``features``, ``columns`` (how many), and
        ``validation`` and ``test`` MAE, euros; ``delta``, the test MAE's difference from the same
        library on the 20 public predictors, with its paired 95% interval ``low``, ``high``.
    """
    names = [f"{library}-{features}" for library in LIBRARIES for features in TABLE_28]
    variants = lab.variants(names)
    validation, test = lab.mae(variants, "validation"), lab.mae(variants)
    pairs = [
        (f"{library}-{features}", f"{library}-public")
        for library in LIBRARIES
        for features in TABLE_28
    ]
    errors = _errors(lab, variants)
    compared = bootstrap.paired(errors, resamples, seed, pairs=[p for p in pairs if p[0] != p[1]])
    compared = compared.set_index("a")[["delta", "low", "high"]].reindex(names)
    rows = [
        {
            "library": LIBRARIES[library],
            "features": features,
            "columns": len(FEATURE_SETS[features].columns),
            "validation": validation[name],
            "test": test[name],
            **compared.loc[name],
        }
        for name, (library, features) in zip(
            names, [(lib, f) for lib in LIBRARIES for f in TABLE_28], strict=True
        )
    ]
    return pd.DataFrame(rows)


def steps(
    lab: Report, resamples: int = bootstrap.RESAMPLES, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """From the published recipe to the chosen system, one change a row.

    Returns:
        In the order of ``STEPS``: ``name``, ``step`` (what it is), ``features``, ``fitted`` (on
        what), ``validation`` (NaN where refitted on it) and ``test`` MAE, euros; ``relative``, the
        test MAE's difference from the train median as a part of it, with its paired 95% interval
        ``low``, ``high``.
    """
    table = _against_median(lab, list(STEPS), resamples, seed)
    described = {
        "name": STEPS,
        "step": [find(name).name + " †" * find(name).diagnostic for name in STEPS],
        "features": [FEATURE_SETS[find(name).features].title for name in STEPS],
        "fitted": ["train + validation" if n.endswith(REFITTED) else "train" for n in STEPS],
    }
    return pd.DataFrame(described).join(table.reset_index(drop=True))


def leak(
    lab: Report, resamples: int = bootstrap.RESAMPLES, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """What the forbidden beneficiary columns are worth.

    Returns:
        One row a recipe: ``recipe``, test MAE ``without`` and ``with`` the columns, ``delta`` with
        its paired 95% interval ``low``, ``high``, euros, and ``gain``, delta as a part of the
        train median's MAE.
    """
    systems = lab.variants([BASELINE, *(name for pair in LEAKS.values() for name in pair)])
    test = lab.mae(systems)
    pairs = [(leaking, honest) for honest, leaking in LEAKS.values()]
    compared = bootstrap.paired(_errors(lab, systems), resamples, seed, pairs=pairs)
    return pd.DataFrame(
        {
            "recipe": list(LEAKS),
            "without": compared["mae_b"],
            "with": compared["mae_a"],
            "delta": compared["delta"],
            "low": compared["low"],
            "high": compared["high"],
            "gain": compared["delta"] / test[BASELINE],
        }
    )


def second_look(
    lab: Report, resamples: int = bootstrap.RESAMPLES, seed: int = bootstrap.SEED
) -> pd.DataFrame:
    """What each setting of the chosen system does on test; for scrutiny, not for choice.

    Returns:
        Lowest validation MAE first: ``system``, ``validation`` and ``test`` MAE, euros; and
        ``relative``, ``low``, ``high`` as in :func:`steps`.
    """
    table = _against_median(lab, list(HURDLES), resamples, seed)
    table.insert(0, "system", [find(name).name for name in HURDLES])
    return table.sort_values("validation", kind="stable", ignore_index=True)


def _against_median(lab: Report, names: list[str], resamples: int, seed: int) -> pd.DataFrame:
    systems = lab.variants([BASELINE, *names])
    validation, test = lab.mae(systems, "validation"), lab.mae(systems)
    compared = bootstrap.paired(
        _errors(lab, systems), resamples, seed, pairs=[(name, BASELINE) for name in names]
    ).set_index("a")
    relative = compared.loc[names, ["delta", "low", "high"]] / test[BASELINE]
    table = pd.DataFrame({"validation": validation[names], "test": test[names]})
    return table.join(relative.rename(columns={"delta": "relative"}))


def _errors(lab: Report, systems: list[Predictions]) -> pd.DataFrame:
    scored = predictions.align(systems, lab.release)
    return predictions.error_matrix(scored, [one.system for one in systems])
