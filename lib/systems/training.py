"""Train a system and write its predictions; train again only what has changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from lib import features, predictions
from lib.errors import UserError
from lib.files import ROOT, report_folder
from lib.predictions import Card
from lib.release import Release, load
from lib.systems.registry import SYSTEMS

PREDICTED = ("validation", "test")


def folder(profile: str) -> Path:
    """Where our systems' prediction files of a profile are kept."""
    return report_folder(profile) / "predictions"


def card(name: str, release: Release) -> Card:
    """The card that a system trained on this release gets, recipe included.

    Raises:
        UserError: for a name that is not in the registry.
    """
    if name not in SYSTEMS:
        raise UserError(
            f"There is no system {name!r}.", hint="The systems are " + ", ".join(SYSTEMS)
        )
    system = SYSTEMS[name]
    return Card(
        name=system.name,
        family=system.family,
        input=system.input,
        source=system.source,
        notes=system.notes,
        recipe={
            "trained_on": f"train, {len(release.split('train')):,} cases",
            "data_sha256": release.sha256,
            "settings": system.settings,
            "versions": {package: version(package) for package in system.packages},
        },
    )


def is_current(name: str, release: Release) -> bool:
    """Whether a system's file is there and was made from this release with this recipe."""
    path, stated = folder(release.profile) / f"{name}.csv", card(name, release)
    try:
        return path.is_file() and predictions.read_card(path) == stated
    except UserError:  # a card that cannot be read is not current
        return False


def train(name: str, release: Release) -> Path:
    """Fit one system on train, predict validation and test, and write the file with its card.

    The estimator is given the public predictors only, checked against the input contract, and the
    training awards; awards of other splits are not in its reach.

    Returns:
        The prediction file's path.
    """
    stated = card(name, release)
    fitting = release.split("train")
    X = features.public_predictors(fitting)
    features.check_inputs(X, fitting)
    estimator = SYSTEMS[name].build().fit(X, fitting["y_amount_eur"].to_numpy())
    tables = []
    for split in PREDICTED:
        cases = release.split(split)
        inputs = features.public_predictors(cases)
        features.check_inputs(inputs, cases)
        tables.append(pd.DataFrame({"case_id": inputs.index, "y_pred": estimator.predict(inputs)}))
    # an old file must never stand beside the new card, were this process stopped in between
    (folder(release.profile) / f"{name}.csv").unlink(missing_ok=True)
    return predictions.write(folder(release.profile), name, pd.concat(tables), stated)


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
        names: keys of the registry; by default all.
        progress: told each name before its training starts.

    Returns:
        The prediction files, in the order of the names.

    Raises:
        UserError: for a name that is not in the registry, before anything is trained.
    """
    names = list(SYSTEMS if names is None else names)
    stale = [name for name in names if not is_current(name, release)]
    for name in stale:
        with locked(name, release.profile):
            if not is_current(name, release):
                progress(name)
                train(name, release)
    return [folder(release.profile) / f"{name}.csv" for name in names]


def main(name: str, profile: str) -> int:
    """Train one system of a profile."""
    with locked(name, profile):
        train(name, load(profile))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
