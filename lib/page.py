"""One page of a report: which notebook, run with which parameters.

Kept apart and light: a job that runs a page imports nothing else of the plan.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Page:
    """What one run of a notebook is to make.

    Attributes:
        name: the page's address without its suffix.
        source: the notebook, relative to the checkout.
        parameters: what papermill injects.
        title: in place of the notebook's own, where several pages come from one notebook.
    """

    name: str
    source: Path
    parameters: dict[str, Any]
    title: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"source": self.source.as_posix()}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Page:
        fields = json.loads(text)
        return cls(**fields | {"source": Path(fields["source"])})
