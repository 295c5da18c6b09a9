"""What a notebook of the report works with: the release, the systems, and where results go."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from lib import figures, metrics, predictions, release, tables
from lib.errors import UserError
from lib.files import ROOT, write_text
from lib.predictions import Predictions
from lib.release import Release
from lib.systems import training

BASELINE = "train-median"
REPRESENTATIVE = 5


def folder(profile: str) -> Path:
    """``reports/<profile>``: everything that a run writes."""
    return training.folder(profile).parent


def user_files() -> list[Path]:
    """The prediction files that users put in ``predictions/`` (or the folder NPD_PREDICTIONS)."""
    return predictions.find(Path(os.environ.get("NPD_PREDICTIONS") or ROOT / "predictions"))


@dataclass
class Report:
    """The scored systems of one profile, and the sinks for figures, tables and text.

    Attributes:
        release: the benchmark release.
        systems: every system with a prediction file, lowest test MAE first.
        skipped: why a user's file takes no part, by file name (only when opened by hand: a run
            refuses bad files before it starts).
    """

    release: Release
    systems: list[Predictions]
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def profile(self) -> str:
        return self.release.profile

    @property
    def folder(self) -> Path:
        return folder(self.profile)

    @property
    def cases(self) -> pd.DataFrame:
        """The test cases, in the release's order."""
        return self.release.test

    @cached_property
    def scored(self) -> pd.DataFrame:
        """The scored frame (case × system) on test; see :func:`lib.predictions.align`."""
        return predictions.align(self.systems, self.release)

    @property
    def names(self) -> list[str]:
        return [one.system for one in self.systems]

    @property
    def labels(self) -> dict[str, str]:
        """What readers see for each system; a card's name, with the system's id where two agree."""
        names = [one.card.label for one in self.systems]
        return {
            one.system: one.card.label
            if names.count(one.card.label) == 1
            else f"{one.card.label} ({one.system})"
            for one in self.systems
        }

    @property
    def best(self) -> str:
        """The system with the lowest test MAE among those that keep to the input contract."""
        return next((s.system for s in self.systems if not s.card.diagnostic), self.names[0])

    @property
    def representative(self) -> list[str]:
        """Systems for figures: the best of each family and the train median, at most five."""
        families: dict[str, str] = {}
        for one in self.systems:
            families.setdefault(one.card.family, one.system)
        chosen = [BASELINE, *(name for name in families.values() if name != BASELINE)]
        chosen += [name for name in self.names if name not in chosen]
        return sorted(chosen[:REPRESENTATIVE], key=self.names.index)

    def page(self, system: str) -> str:
        """The address of a system's page, beside the other pages of the report."""
        return f"system-{system}.html"

    def pages(self, systems: pd.Series) -> pd.Series:
        """Addresses of the systems' pages; "" for names that are no system."""
        return systems.map(lambda name: self.page(name) if name in self.names else "")

    def figure(self, figure, name: str, title: str, alt: str) -> None:
        """Show a figure and keep it as ``figures/<name>.svg``."""
        from IPython.display import HTML, display

        svg = figures.to_svg(figure)
        write_text(self.folder / "figures" / f"{name}.svg", '<?xml version="1.0"?>\n' + svg)
        display(HTML(figures.to_html(svg, name, title, alt)))

    def table(self, frame: pd.DataFrame, name: str, caption: str, data=None, **kwargs) -> None:
        """Show a table and keep its numbers as ``tables/<name>.csv`` and ``.json``.

        Args:
            data: what to keep where it is more than what is shown (such as interval bounds in
                columns of their own); by default ``frame``.
            kwargs: for :func:`lib.tables.to_html`.
        """
        from IPython.display import HTML, display

        tables.save(frame if data is None else data, self.folder / "tables", name)
        display(HTML(tables.to_html(frame, name, caption, **kwargs)))


def say(text: str, **values: object) -> None:
    """Show a paragraph with values filled in; values are escaped, the text itself may be HTML."""
    from IPython.display import HTML, display

    filled = text.format(**{key: html.escape(str(value)) for key, value in values.items()})
    display(HTML(f'<p class="lab-finding">{filled}</p>'))


def open_report(profile: str = "", systems: list[str] | None = None) -> Report:
    """Open the report of a profile, training our own systems first where their files are missing.

    Args:
        profile: "demo" or "official"; "" takes the official release where it is at hand.
        systems: restrict to these; by default every system of the project and of the user.

    Raises:
        UserError: where the release is not at hand or a named system has no prediction file.
    """
    data = release.load(profile or None)
    own = training.ensure(data)
    loaded = predictions.load_all(own, data)
    skipped = {}
    for path in user_files():
        try:
            loaded += predictions.load_all([path], data)
        except UserError as error:
            skipped[path.name] = error.summary
    if systems:
        unknown = sorted(set(systems) - {one.system for one in loaded})
        if unknown:
            raise UserError(
                f"No prediction file for {', '.join(unknown)}.",
                hint="There are " + ", ".join(one.system for one in loaded),
            )
        loaded = [one for one in loaded if one.system in systems]
    report = Report(data, loaded, skipped)
    order = overall(report.scored).set_index("system")["mae"]
    report.systems = sorted(
        loaded, key=lambda one: (order.get(one.system, float("inf")), one.system)
    )
    report.__dict__.pop("scored")  # cached in the files' order
    return report


def overall(scored: pd.DataFrame) -> pd.DataFrame:
    """Every system's point metrics on all its scored cases: ``system``, ``n`` and the metrics."""
    rows = [
        {"system": system, "n": len(frame), **metrics.score(frame["y_true"], frame["y_pred"])}
        for system, frame in scored.groupby("system", sort=False)
    ]
    return pd.DataFrame(rows, columns=["system", "n", *metrics.POINT_METRICS])
