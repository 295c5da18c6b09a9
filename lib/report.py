"""What a notebook of the report works with: the release, the systems, and where results go."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML, display
from matplotlib.figure import Figure

from lib import figures, metrics, predictions, release, tables
from lib.errors import UserError
from lib.files import report_folder, write_text
from lib.predictions import Card, Predictions
from lib.published import CATBOOST_GAIN, PUBLISHED, Published
from lib.release import Release
from lib.systems import training
from lib.systems.registry import BASELINE, REFITTED, REPORTED, known

REPRESENTATIVE = 5


class Sink:
    """Where a notebook's figures and tables go: shown in the notebook, kept in ``reports/``."""

    def __init__(self, profile: str):
        self.folder = report_folder(profile)

    def figure(self, figure: Figure, name: str, title: str, alt: str) -> None:
        """Show a figure and keep it as ``figures/<name>.svg``."""
        svg = figures.to_svg(figure)
        write_text(self.folder / "figures" / f"{name}.svg", '<?xml version="1.0"?>\n' + svg)
        display(HTML(figures.to_html(svg, name, title, alt)))

    def table(
        self,
        frame: pd.DataFrame,
        name: str,
        caption: str,
        data: pd.DataFrame | None = None,
        **kwargs: Any,
    ) -> None:
        """Show a table and keep its numbers as ``tables/<name>.csv`` and ``.json``.

        Args:
            data: what to keep where it is more than what is shown (such as interval bounds in
                columns of their own); by default ``frame``.
            kwargs: for :func:`lib.tables.to_html`.
        """
        tables.save(frame if data is None else data, self.folder / "tables", name)
        display(HTML(tables.to_html(frame, name, caption, **kwargs)))


class Report(Sink):
    """The scored systems of one profile.

    Attributes:
        release: the benchmark release.
        systems: every system with a prediction file, lowest test MAE first.
        scored: the scored frame (case × system) on test; see :func:`lib.predictions.align`.
        skipped: why a user's file takes no part, by file name (only when opened by hand: a run
            refuses bad files before it starts).
    """

    def __init__(
        self, release: Release, systems: list[Predictions], skipped: dict[str, str] | None = None
    ):
        super().__init__(release.profile)
        self.profile = release.profile
        self.release, self.skipped = release, skipped or {}
        self.scored = predictions.align(systems, release)
        order = overall(self.scored).set_index("system")["mae"]
        self.systems = sorted(
            systems, key=lambda one: (order.get(one.system, float("inf")), one.system)
        )

    @property
    def cases(self) -> pd.DataFrame:
        """The test cases, in the release's order."""
        return self.release.test

    @property
    def published(self) -> tuple[Published, ...]:
        """The paper's figures; none beside the demo's synthetic cases, where they say nothing."""
        return PUBLISHED if self.profile == "official" else ()

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
        """The system with the lowest test MAE among those that keep to the input contract.

        Systems that leave out cases come after those that score all: theirs is another average.
        """
        fair = [one.system for one in self.systems if not one.card.diagnostic]
        whole = [name for name in fair if name in self.competing]
        return (whole or fair or self.names)[0]

    @property
    def rival(self) -> str:
        """What the best is compared with: the train median, or the runner-up where that is best."""
        return BASELINE if self.best != BASELINE else next(n for n in self.names if n != BASELINE)

    @property
    def competing(self) -> set[str]:
        """Systems that score every case within the input contract, so that ranking them is fair."""
        sizes = self.scored["system"].value_counts()
        return {
            one.system
            for one in self.systems
            if not one.card.diagnostic and sizes.get(one.system, 0) == len(self.cases)
        }

    @property
    def representative(self) -> list[str]:
        """Systems for figures: the best of each family and the train median, at most five."""
        families: dict[str, str] = {}
        for one in self.systems:
            families.setdefault(one.card.family, one.system)
        chosen = dict.fromkeys([BASELINE, *families.values(), *self.names])
        chosen = [name for name in chosen if name in self.names]
        return sorted(chosen[:REPRESENTATIVE], key=self.names.index)

    def system(self, name: str) -> Predictions:
        """One system's predictions and card.

        Raises:
            UserError: where there is no such system.
        """
        for one in self.systems:
            if one.system == name:
                return one
        raise UserError(f"There is no system {name!r}.", hint="There are " + ", ".join(self.names))

    @cached_property
    def refitted(self) -> pd.DataFrame:
        """Our systems refitted on train and validation: a scored frame under the plain names."""
        names = [name for name in self.names if known(name) and not name.endswith(REFITTED)]
        paths = training.ensure(self.release, [name + REFITTED for name in names], announce)
        scored = predictions.align(predictions.load_all(paths, self.release), self.release)
        return scored.assign(system=scored["system"].str.removesuffix(REFITTED))

    def variants(self, names: Iterable[str]) -> list[Predictions]:
        """Variants of :mod:`lib.systems.ablations`, trained first where their files are missing."""
        paths = training.ensure(self.release, names, announce)
        return predictions.load_all(paths, self.release)

    def mae(self, systems: list[Predictions], split: str = "test") -> pd.Series:
        """MAE of systems on a split, euros, by system; NaN where a system predicts none of it."""
        scored = predictions.align(systems, self.release, split)
        found = scored.groupby("system")["abs_error"].mean()
        return found.reindex([one.system for one in systems])

    def on_validation(self, systems: list[Predictions] | None = None) -> pd.DataFrame:
        """The scored frame on validation, of systems that predict every validation case.

        Args:
            systems: by default those of the report. Refitted ones predict no validation case,
                since they were fitted on them.
        """
        scored = predictions.align(systems or self.systems, self.release, "validation")
        sizes = scored["system"].value_counts()
        whole = sizes.index[sizes == len(self.release.split("validation"))]
        return scored[scored["system"].isin(whole)]

    def page(self, system: str) -> str:
        """The address of a system's page, beside the other pages of the report."""
        return f"system-{system}.html"

    def pages(self, systems: pd.Series) -> pd.Series:
        """Addresses of the systems' pages; "" for names that are no system."""
        return systems.map(lambda name: self.page(name) if name in self.names else "")


def say(text: str, **values: object) -> None:
    """Show a paragraph with values filled in; values are escaped, the text itself may be HTML."""
    filled = text.format(**{key: html.escape(str(value)) for key, value in values.items()})
    display(HTML(f'<p class="lab-finding">{filled}</p>'))


def compare(against: pd.Series | None, baseline: str) -> str:
    """A sentence on a system's paired difference from the baseline.

    Args:
        against: the baseline's row of :func:`lib.leaderboard.standing`; None for the baseline.
    """
    if against is None:
        return "It is what the other systems are compared with."
    change = tables.percent(abs(against["delta"]) / against["mae"])
    word = "below" if against["delta"] < 0 else "above"
    clear = "" if against["verdict"] != "no clear difference" else ", which is no clear difference"
    return (
        f"That is {change} {word} {baseline} (Δ {tables.money(against['delta'])}, 95% interval "
        f"{tables.euros(against['low'])} to {tables.euros(against['high'])}{clear})."
    )


def against_paper(profile: str) -> str:
    """A sentence that sets ours beside the paper's CatBoost; "" beside synthetic cases."""
    if profile != "official":
        return ""
    return (
        f"The paper reports its own CatBoost {CATBOOST_GAIN:.1%} below the train median, on a "
        "feature set (X1) that the public table holds only in part."
    )


def diamonds(published: dict[str, float]) -> str:
    """What a caption adds where a figure shows the paper's numbers."""
    return "; hollow diamonds are figures that the paper gives" if published else ""


def definition_list(items: dict[str, object]) -> None:
    """Show names and values as a two-column list; empty ones are left out, all is escaped."""
    rows = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>"
        for name, value in items.items()
        if str(value).strip()
    )
    display(HTML(f'<dl class="lab-list">{rows}</dl>'))


def describe(card: Card) -> dict[str, str]:
    """A card's recipe and what was measured of it, for a list; candidates have a table instead."""
    left_out = ("candidates", "coefficients")
    recipe = {key: value for key, value in card.recipe.items() if key not in left_out}
    measured = {key: value for key, value in card.measured.items() if key not in left_out}
    units = {"fit_seconds": " s", "peak_memory_mb": " MB"}
    return flat(recipe) | {
        name: value + units.get(name.replace(" ", "_"), "")
        for name, value in flat(measured).items()
    }


def candidates(card: Card) -> pd.DataFrame:
    """The settings that were tried for a system, in the order of their declaration.

    Returns:
        Columns ``settings`` (those in which the candidates differ, as text), ``validation_mae``,
        ``validation_medae`` (euros), ``chosen`` ("chosen" or ""); empty where there was nothing to
        choose.
    """
    measured = card.measured.get("candidates", [])
    given = [flat(tried["parameters"]) for tried in measured]
    told = [key for key in dict.fromkeys(k for one in given for k in one)
            if len({one.get(key) for one in given}) > 1]  # fmt: skip
    rows = [
        {
            "settings": "; ".join(
                f"{key.removeprefix('settings · ')} {one.get(key, 'as fixed')}" for key in told
            ),
            "validation_mae": tried["validation_mae"],
            "validation_medae": tried["validation_medae"],
            "chosen": "chosen" if tried["chosen"] else "",
        }
        for tried, one in zip(measured, given, strict=True)
    ]
    return pd.DataFrame(rows, columns=["settings", "validation_mae", "validation_medae", "chosen"])


def coefficients(card: Card, cases: pd.DataFrame) -> pd.DataFrame:
    """A linear system's coefficients from its card, without the constant, clearest first.

    Args:
        cases: of the release, for the names of states.

    Returns:
        ``term``, ``coefficient`` with its 95% interval ``low``, ``high``, the multiplier ``factor``
        = exp(coefficient) with ``factor_low``, ``factor_high``, and ``p``.
    """
    table = pd.DataFrame(card.measured["coefficients"])
    table = table[table["term"] != "constant"]
    names = cases.drop_duplicates("country_alpha2").set_index("country_alpha2")["respondent_state"]
    table["term"] = table["term"].replace({f"state {c.upper()}": n for c, n in names.items()})
    for source, target in (("coefficient", ""), ("low", "_low"), ("high", "_high")):
        table[f"factor{target}"] = np.exp(table[source])
    clearness = table["coefficient"].abs() / (table["high"] - table["low"]).clip(lower=1e-12)
    return table.iloc[np.lexsort([table["term"], -clearness])].reset_index(drop=True)


def all_candidates(systems: list[Predictions]) -> pd.DataFrame:
    """:func:`candidates` of several systems, with a column ``system`` in front."""
    tables = {
        one.system: candidates(one.card) for one in systems if not one.system.endswith(REFITTED)
    }
    frame = pd.concat({name: table for name, table in tables.items() if len(table)})
    return frame.reset_index(level=0, names="system").reset_index(drop=True)


def rank_agreement(first: pd.Series, second: pd.Series) -> float:
    """Kendall's τ-b between two orders of the same systems, on those that both have."""
    from scipy.stats import kendalltau

    both = pd.concat([first, second], axis=1).dropna()
    return float(kendalltau(both.iloc[:, 0], both.iloc[:, 1]).statistic)


def flat(recipe: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """A nested mapping as one level, names joined by " · "."""
    items: dict[str, str] = {}
    for key, value in recipe.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, dict):
            items |= flat(value, f"{name} · ")
        else:
            items[name] = str(value)
    return items


def open_report(profile: str = "", systems: list[str] | None = None) -> Report:
    """Open the report of a profile, training our own systems first where their files are missing.

    Args:
        profile: "demo" or "official"; "" takes the official release where it is at hand.
        systems: restrict to these, beside the baseline that all are compared with; by default
            every system of the project and of the user.

    Raises:
        UserError: where the release is not at hand or a named system has no prediction file.
    """
    data = release.load(profile or None)
    wanted = [name for name in [BASELINE, *systems] if known(name)] if systems else REPORTED
    loaded = predictions.load_all(training.ensure(data, dict.fromkeys(wanted), announce), data)
    skipped = {}
    for path in predictions.user_files():
        try:
            one = predictions.load(path, data)
        except UserError as error:
            skipped[path.name] = error.summary
            continue
        if one.system.lower() in {other.system.lower() for other in loaded}:
            skipped[path.name] = f"another file names the system {one.system}"
        else:
            loaded.append(one)
    if systems:
        unknown = sorted(set(systems) - {one.system for one in loaded})
        if unknown:
            raise UserError(
                f"No prediction file for {', '.join(unknown)}.",
                hint="There are " + ", ".join(one.system for one in loaded),
            )
        loaded = [one for one in loaded if one.system in {*systems, BASELINE}]
    return Report(data, loaded, skipped)


def announce(name: str) -> None:
    """Say on the error stream what is being trained; NPD_QUIET=1 keeps stored notebooks clean."""
    if not os.environ.get("NPD_QUIET"):
        print(f"training {name} …", file=sys.stderr, flush=True)


def overall(scored: pd.DataFrame) -> pd.DataFrame:
    """Every system's point metrics on all its scored cases: ``system``, ``n`` and the metrics."""
    rows = [
        {"system": system, "n": len(frame), **metrics.score(frame["y_true"], frame["y_pred"])}
        for system, frame in scored.groupby("system", sort=False)
    ]
    return pd.DataFrame(rows, columns=["system", "n", *metrics.POINT_METRICS])
