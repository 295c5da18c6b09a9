"""Train a system and write its predictions, under two protocols; train again only what has changed.

``<name>.csv`` is fitted on train (the paper's protocol) and predicts validation and test;
``<name>-refit.csv`` is fitted on train and validation, with the settings chosen before, and
predicts test. Training reads no award of a test case: see :func:`for_training`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib import features, predictions
from lib.errors import UserError
from lib.feature_sets import FEATURE_SETS
from lib.files import ROOT, report_folder
from lib.predictions import Card
from lib.release import Release, load
from lib.systems import ablations, intervals, resources, tuning
from lib.systems.registry import REFITTED, REPORTED, SYSTEMS, System

FITTED_ON = {False: ("train",), True: ("train", "validation")}  # by whether it is refitted
PREDICTED = {False: ("validation", "test"), True: ("test",)}
AWARDS = ("y_amount_eur", "y_binary", "target_status")
BENEFICIARIES = ("beneficiary_type", "has_joint_beneficiary")
SHORT = 0.1  # the share of the trees that the demo gets, where a system is marked `short`


def folder(profile: str) -> Path:
    """Where our systems' prediction files of a profile are kept."""
    return report_folder(profile) / "predictions"


def find(name: str) -> System:
    """A system by its name, with or without the suffix of the refitted protocol.

    Raises:
        UserError: for a name that is not in the registry.
    """
    base = name.removesuffix(REFITTED)
    found = SYSTEMS.get(base) or ablations.VARIANTS.get(base)
    if found is None:
        raise UserError(
            f"There is no system {name!r}.", hint="The systems are " + ", ".join(REPORTED)
        )
    return found if base == name else replace(found, name=f"{found.name}, refitted")


def path_of(name: str, profile: str) -> Path:
    """Where a system's or a variant's prediction file is."""
    beside = ablations.FOLDER if name in ablations.VARIANTS else ""
    return folder(profile) / beside / f"{name}.csv"


def card(name: str, release: Release) -> Card:
    """The card that a system trained on this release gets, recipe included.

    Raises:
        UserError: for a name that is not in the registry.
    """
    system, refitted = find(name), name.endswith(REFITTED)
    cases = sum(len(release.split(split)) for split in FITTED_ON[refitted])
    short = system.short and release.profile == "demo"
    recipe: dict[str, Any] = {
        "trained_on": f"{' and '.join(FITTED_ON[refitted])}, {cases:,} cases",
        "data_sha256": release.sha256,
        "features": FEATURE_SETS[system.features].title,
        "settings": system.settings,
        "versions": {package: version(package) for package in system.packages},
    }
    if system.candidates:
        recipe["candidates"] = list(system.candidates)
    if short:
        recipe["trees"] = f"{SHORT:.0%} of those stated, on the demo"
    return Card(
        name=system.name,
        family=system.family,
        input=system.input,
        source=system.source,
        notes=system.notes,
        diagnostic=system.diagnostic,
        recipe=recipe,
    )


def is_current(name: str, release: Release) -> bool:
    """Whether a system's files are there and were made from this release with this recipe."""
    names = [name] if name in ablations.VARIANTS else [name, name + REFITTED]
    try:
        return all(
            path_of(one, release.profile).is_file()
            and (found := predictions.read_card(path_of(one, release.profile))) is not None
            and found.model_copy(update={"measured": {}}) == card(one, release)
            for one in names
        )
    except UserError:  # a card that cannot be read is not current
        return False


def for_training(release: Release, diagnostic: bool = False) -> pd.DataFrame:
    """The release's cases without the awards of the test split, and what describes them.

    Args:
        diagnostic: leave the beneficiary columns, for a variant that shows what they give away.
    """
    cases = release.cases.copy()
    test = cases["split"] == "test"
    for column in AWARDS if diagnostic else AWARDS + BENEFICIARIES:
        cases[column] = cases[column].mask(test)
    return cases


def train(name: str, release: Release) -> Path:
    """Fit one system under both protocols and write its files with their cards.

    The estimator is given its feature set only, checked against the input contract, and the awards
    of the cases that it is fitted on. Settings are chosen, and intervals calibrated, on validation.

    Returns:
        The path of the prediction file of the paper's protocol.
    """
    system = find(name)
    cases = for_training(release, system.diagnostic)
    given = {}
    for split in ("train", "validation", "test"):
        of_split = cases[cases["split"] == split]
        make = FEATURE_SETS[system.features].make
        inputs = make(of_split)
        if not system.diagnostic:
            features.check_inputs(inputs, of_split, make)
        given[split] = inputs, of_split["y_amount_eur"].to_numpy(float)

    def build(**parameters: Any) -> Any:
        made = system.build(**parameters)
        return shortened(made) if system.short and release.profile == "demo" else made

    measured: dict[str, Any] = {}
    with resources.measured() as used:
        if system.candidates:
            fitted, chosen, tried = tuning.fit_best(
                build, system.candidates, given["train"], given["validation"]
            )
            measured["candidates"] = tried
        else:
            fitted, chosen = build().fit(*given["train"]), {}
        reach = None
        if hasattr(fitted, "predict_quantiles"):
            reach = intervals.calibrate(fitted, *given["validation"])
            measured["interval_reach"] = round(reach, 6)
    # old files must never stand beside a new card, were this process stopped in between
    for one in (name, name + REFITTED):
        path_of(one, release.profile).unlink(missing_ok=True)
    if name not in ablations.VARIANTS:
        with resources.measured() as again:
            both = [
                pd.concat(part) if isinstance(part[0], pd.DataFrame) else np.concatenate(part)
                for part in zip(*(given[split] for split in FITTED_ON[True]), strict=True)
            ]
            refitted = build(**chosen).fit(*both)
        _write(name + REFITTED, release, refitted, reach, given, {**measured, **again})
    return _write(name, release, fitted, reach, given, {**measured, **used})


def _write(
    name: str,
    release: Release,
    fitted: Any,
    reach: float | None,
    given: dict[str, tuple[pd.DataFrame, np.ndarray]],
    measured: dict[str, Any],
) -> Path:
    tables = [
        _table(fitted, given[split][0], reach) for split in PREDICTED[name.endswith(REFITTED)]
    ]
    if hasattr(fitted, "report"):
        measured = {**measured, **fitted.report()}
    path = path_of(name, release.profile)
    stated = card(name, release).model_copy(update={"measured": measured})
    return predictions.write(path.parent, name, pd.concat(tables), stated)


def _table(fitted: Any, inputs: pd.DataFrame, reach: float | None) -> pd.DataFrame:
    """A system's predictions for some cases, with what it tells of their uncertainty."""
    table = pd.DataFrame({"case_id": inputs.index, "y_pred": fitted.predict(inputs)})
    if hasattr(fitted, "predict_zero"):
        table["p_zero"] = fitted.predict_zero(inputs)
    if reach is not None:
        low, high = intervals.bounds(fitted, inputs, reach).T
        inner = fitted.predict_quantiles(inputs, np.array([0.25, 0.5, 0.75])).T
        levels = dict(zip(("q25", "q50", "q75"), inner, strict=True))
        table = table.assign(
            q05=np.minimum(low, inner[0]), **levels, q95=np.maximum(high, inner[2])
        )
    return table


def shortened(estimator: Any) -> Any:
    """The same estimator with a tenth of its trees, so that the demo trains in seconds."""
    for part in ("settings", "zero", "positive"):
        settings = dict(getattr(estimator, part, {}))
        for key in ("iterations", "n_estimators"):
            if key in settings:
                settings[key] = max(round(settings[key] * SHORT), 20)
        if settings:
            setattr(estimator, part, settings)
    if hasattr(estimator, "members"):
        estimator.members = {
            name: lambda make=make: shortened(make()) for name, make in estimator.members.items()
        }
    return estimator


@contextmanager
def locked(name: str, profile: str) -> Iterator[None]:
    """Let one process at a time train a system; others wait and then find its file."""
    from filelock import FileLock

    path = ROOT / ".cache" / "locks" / f"{profile}-{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path):
        yield


def ensure(
    release: Release,
    names: Iterable[str] | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Path]:
    """Train the systems whose files are missing or out of date; safe in parallel processes.

    Args:
        names: systems, or variants of :mod:`lib.systems.ablations`; by default all systems.
        progress: told each name before its training starts.

    Returns:
        The prediction files, in the order of the names.

    Raises:
        UserError: for a name that is not in the registry, before anything is trained.
    """
    names = list(REPORTED if names is None else names)
    for name in names:
        find(name)
    trained = dict.fromkeys(name.removesuffix(REFITTED) for name in names)
    for name in [name for name in trained if not is_current(name, release)]:
        with locked(name, release.profile):
            if not is_current(name, release):
                progress(name)
                train(name, release)
    return [path_of(name, release.profile) for name in names]


def main(name: str, profile: str) -> int:
    """Train one system of a profile."""
    with locked(name, profile):
        train(name, load(profile))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
