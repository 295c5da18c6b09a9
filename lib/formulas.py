"""Definitions on the methods page; formulas as MathML, so that no page needs a script for them."""

from __future__ import annotations

import html

from IPython.display import HTML, display
from latex2mathml.converter import convert

from lib.metrics import Metric

BETTER = {"lower": "lower is better", "higher": "higher is better", "zero": "nearest to 0 is best"}


def show(registry: dict[str, Metric]) -> None:
    """Show every metric of a registry: name, formula, unit, direction, meaning and source."""
    parts = []
    for metric in registry.values():
        unit = "nominal euros" if metric.unit else "no unit"
        parts.append(
            f'<dt id="metric-{metric.key}">{html.escape(metric.title)}</dt>'
            f"<dd>{convert(metric.formula, display='block')}"
            f"<p>{html.escape(metric.meaning)} <small>{unit}; {BETTER[metric.better]}; "
            f"source: {html.escape(metric.source)}</small></p></dd>"
        )
    display(HTML(f'<dl class="lab-metrics">{"".join(parts)}</dl>'))


def show_contract(predictors: dict[str, str]) -> None:
    """Show the allow-listed predictors, with the release's column where its name differs."""
    items = "".join(
        f"<li><code>{html.escape(name)}</code>"
        + (f" (from <code>{html.escape(column)}</code>)" if name != column else "")
        + "</li>"
        for name, column in predictors.items()
    )
    display(HTML(f'<ul class="lab-columns">{items}</ul>'))
