"""Choose a system's settings on validation, among candidates declared in ``candidates.yaml``.

Paper section 4.2 and appendix C.3: model selection uses the validation split; lowest validation
MAE, MedAE as tie-break, then fit on train only. The scores of all candidates stay on the card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from lib.metrics import mae, medae

FILE = Path(__file__).with_name("candidates.yaml")


@cache
def _declared() -> dict[str, list[dict[str, Any]]]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def candidates(name: str) -> tuple[dict[str, Any], ...]:
    """The parameters declared for a tuned system.

    Raises:
        KeyError: where the file declares none.
    """
    return tuple(_declared()[name])


def choose(scores: Sequence[tuple[float, float]]) -> int:
    """The candidate to take: lowest MAE, of equal ones lowest MedAE, then the first.

    Args:
        scores: validation MAE and MedAE of each candidate, euros.
    """
    return min(range(len(scores)), key=lambda i: (*scores[i], i))


def fit_best(
    build: Callable[..., Any],
    declared: Sequence[dict[str, Any]],
    fitting: tuple[pd.DataFrame, np.ndarray],
    validation: tuple[pd.DataFrame, np.ndarray],
) -> tuple[Any, dict[str, Any], list[dict[str, Any]]]:
    """Fit every candidate on train, and keep the one with the lowest validation MAE.

    Args:
        build: makes an unfitted estimator from a candidate's parameters.
        fitting: inputs and awards of the training cases.
        validation: inputs and awards of the validation cases.

    Returns:
        The chosen estimator, fitted; its parameters; and one record a candidate: its parameters,
        ``validation_mae`` and ``validation_medae`` (euros), and ``chosen``.
    """
    best, records, scores = None, [], []
    for parameters in declared:
        estimator = build(**parameters).fit(*fitting)
        predicted = estimator.predict(validation[0])
        scores.append(
            (float(mae(validation[1], predicted)), float(medae(validation[1], predicted)))
        )
        if choose(scores) == len(scores) - 1:  # the others need not stay in memory
            best = estimator
        records.append(
            {
                "parameters": parameters,
                "validation_mae": round(scores[-1][0], 2),
                "validation_medae": round(scores[-1][1], 2),
            }
        )
    chosen = choose(scores)
    return best, declared[chosen], [r | {"chosen": i == chosen} for i, r in enumerate(records)]
