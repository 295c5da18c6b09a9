"""The widgets of ``notebooks/explore.ipynb``: choose cases, see a system's errors on them."""

from __future__ import annotations

import html

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML, display

from lib import breakdowns, figures, metrics, splits, tables
from lib.report import Report

ALL = "all"


def groupings(cases: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """What cases can be chosen by: boolean frames (cases × groups)."""
    states = len(cases["respondent_state"].unique())
    return {
        "view": splits.views(cases),
        "state": breakdowns.respondent_states(cases, top=states),
        "article": breakdowns.articles(cases),
        "award_range": breakdowns.award_ranges(cases),
    }


def select(lab: Report, system: str, **chosen: str) -> pd.DataFrame:
    """One system's scored cases that are in every chosen group.

    Args:
        chosen: any of ``view``, ``state``, ``article`` and ``award_range``; "all" leaves one out.

    Returns:
        As :func:`lib.breakdowns.largest_errors`, largest error first.

    Raises:
        KeyError: for a group that does not exist.
    """
    inside = np.ones(len(lab.cases), dtype=bool)
    for name, group in chosen.items():
        if group != ALL:
            inside &= groupings(lab.cases)[name][group].to_numpy()
    cases = lab.cases[inside]
    scored = lab.scored[lab.scored["system"] == lab.system(system).system]
    return breakdowns.largest_errors(scored, cases, len(cases))


def show(lab: Report, system: str, worst: int = 10, **chosen: str) -> None:
    """Show the chosen cases' summary, the distribution of errors, and the worst cases."""
    selected = select(lab, system, **chosen)
    if selected.empty:
        display(HTML("<p>No test case is in all of these groups.</p>"))
        return
    scores = metrics.score(selected["y_true"], selected["y_pred"])
    display(
        HTML(
            f"<p><strong>{html.escape(lab.labels[system])}</strong> on {len(selected):,} cases: "
            f"MAE €{tables.euros(scores['mae'])}, median error €{tables.euros(scores['medae'])}, "
            f"bias {tables.money(scores['bias'])}.</p>"
        )
    )
    with figures.canvas(3.0) as (figure, axes):
        edges = np.geomspace(100, max(selected["abs_error"].max(), 200), 30)
        low, high = selected["error"] < 0, selected["error"] >= 0
        size = selected["abs_error"].clip(lower=100)
        axes.hist(
            [size[low], size[high]],
            bins=edges,
            stacked=True,
            color=[figures.BLUE, figures.ORANGE],
            label=["predicted too little", "predicted too much"],
        )
        axes.set_xscale("log")
        figures.euro_axis(axes.xaxis)
        axes.set_xlabel("Absolute error, nominal euros (log scale; up to €100 in the first bar)")
        axes.set_ylabel("Cases")
        axes.legend()
        svg = figures.to_svg(figure)
    alt = f"Histogram of absolute errors of {len(selected)} cases."
    display(HTML(figures.to_html(svg, "explore", "Distribution of absolute errors", alt)))
    shown = selected.head(worst)
    table = shown[
        ["case_id", "judgment_date", "respondent_state", "violated_articles", "y_true", "y_pred"]
    ]
    table = table.set_axis(
        ["Case", "Judgment", "Respondent state", "Articles", "Award, €", "Predicted, €"], axis=1
    )
    display(
        HTML(
            tables.to_html(
                table,
                "explore-worst",
                "The largest errors among the chosen cases",
                formats=dict.fromkeys(["Award, €", "Predicted, €"], tables.euros),
                links={"Case": shown["hudoc"]},
                download=False,
            )
        )
    )


def panel(lab: Report) -> widgets.Widget:
    """The controls and what they show."""
    choices = {
        "system": widgets.Dropdown(
            options=[(lab.labels[name], name) for name in lab.names], description="System"
        )
    }
    titles = {"view": "View", "state": "State", "article": "Article", "award_range": "Award"}
    for name, groups in groupings(lab.cases).items():
        choices[name] = widgets.Dropdown(options=[ALL, *groups], description=titles[name])
    out = widgets.interactive_output(lambda **chosen: show(lab, **chosen), choices)
    return widgets.VBox(
        [widgets.HBox(list(choices.values()), layout={"flex_flow": "row wrap"}), out]
    )
