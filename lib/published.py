"""Figures that the ECtHR-NPD paper states in its text, shown as marked reference rows.

They were measured by the authors on their own feature sets and models, not by this project, and are
known only to the precision given here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One figure of the paper: ``metric`` is a key of :data:`lib.metrics.POINT_METRICS`."""

    system: str
    metric: str
    value: float
    where: str
    diagnostic: bool = False

    @property
    def label(self) -> str:
        return f"{self.system}{' †' if self.diagnostic else ''} (paper)"


PUBLISHED = (
    Published("CatBoost, features X1", "mae", 9_900, "section 5.1"),
    Published("Qwen3.5-9B, static CoT", "mae", 10_800, "section 5.1"),
    Published("ReAct agent, expanded input", "zero_f1", 0.99, "section 5.2", diagnostic=True),
)
CATBOOST_GAIN = 0.102  # "10.2% lower than the training-set median", section 5.1
CHALLENGING_FACTOR = 2.0  # "challenging-set MAE is roughly twice full-test MAE", section 5.3
