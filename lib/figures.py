"""One look for every figure: inline SVG that follows the page's colours, in light and dark.

Text and axes take the page's text colour (``currentColor``); data colours are a colour-blind-safe
set, mid-tones that read on white and on near-black. The same figure gives the same bytes.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

WIDTH = 4.6  # inches: readable on a phone; wider screens scale it up by at most ENLARGED
ENLARGED = 1.35
INK = "#010203"  # stands for the page's text colour until the SVG is written
BLUE, ORANGE, GREEN, PURPLE, RED, GREY = (
    "#3a87c8", "#d98324", "#23966f", "#a06fc0", "#d0504f", "#8c8c8c",
)  # fmt: skip
SEQUENCE = (BLUE, ORANGE, GREEN, PURPLE, RED)
MARKERS = ("o", "s", "^", "D", "v")
NUMBERED = 8  # systems up to which a matrix has room for numbers
BUCKET_COLOURS = ("#23966f", "#3a87c8", "#8fb7d9", "#d9b98a", "#d98324")

STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "human-rights-benchmark-lab",
    "text.parse_math": False,  # names of systems are text: no "$" starts a formula
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.titlesize": 9,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@contextmanager
def canvas(
    height: float = 3.6, columns: int = 1, width: float = WIDTH, **kwargs
) -> Iterator[tuple[Figure, Axes]]:
    """Open a figure in the house style and close it at the end of the block."""
    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(1, columns, figsize=(width, height), **kwargs)
        try:
            yield figure, axes
        finally:
            plt.close(figure)


def to_svg(figure: Figure) -> str:
    """The figure as an SVG element in the page's colours, without date or XML declaration."""
    sink = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(sink, format="svg", metadata={"Date": None}, bbox_inches="tight")
    svg = sink.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    # a page holds several figures: no rule for the whole page, and no id but those that are used
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, count=1, flags=re.DOTALL)
    used = set(re.findall(r'#([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: match[0] if match[1] in used else "", svg)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    if size:
        style = f"width:100%;max-width:{float(size[1]) * 4 / 3 * ENLARGED:.0f}px;height:auto;"
        style += "stroke-linejoin:round;stroke-linecap:butt"
        svg = svg.replace(size[0], f'style="{style}"', 1)
    return re.sub(r"\n\s*", "\n", svg)


def to_html(svg: str, name: str, title: str, alt: str) -> str:
    """An HTML figure: the title as its caption, and a text alternative for those who cannot see."""
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}" class="lab-svg"', 1)
    return (
        f'<figure class="lab-figure" id="fig-{html.escape(name)}">{svg}'
        f"<figcaption>{html.escape(title)}</figcaption></figure>"
    )


def euros(value: float, _: object = None) -> str:
    """€950, €3.2k, €1.6M: short enough for an axis; the sign comes first."""
    if pd.isna(value):
        return "–"
    sign, size = ("−" if value < 0 else ""), abs(value)
    for unit, factor in (("bn", 1e9), ("M", 1e6), ("k", 1e3)):
        if size >= 0.9995 * factor:  # what three digits round up to the factor
            return f"{sign}€{size / factor:.3g}{unit}"
    return f"{sign}€{size:.3g}"


def euro_axis(axis: mpl.axis.Axis) -> None:
    """Label an axis in short euros."""
    axis.set_major_formatter(FuncFormatter(euros))
    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator(5))
    elif axis.get_scale() == "log":
        low, high = axis.get_view_interval()
        subs = (1, 2, 5) if high <= 200 * low else (1,)  # so that labels do not run together
        axis.set_major_locator(LogLocator(subs=subs, numticks=8))
    axis.set_minor_locator(NullLocator())


def signed_log_axis(axes: Axes, linear_below: float) -> None:
    """Make the x axis logarithmic on both sides of €0, and linear next to it.

    Args:
        linear_below: euros; the scale is linear between minus this and this.
    """
    low, high = axes.get_xlim()
    axes.set_xscale("symlog", linthresh=linear_below, linscale=0.5)
    decades = linear_below * 10.0 ** np.arange(0, 8)
    for kept in (decades, decades[1::2]):  # every other one where labels would run together
        ticks = np.concatenate([-kept[::-1], [0], kept])
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        if len(ticks) <= 7:
            break
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(euros))
    axes.xaxis.set_minor_locator(NullLocator())


def _rows(axes: Axes, labels: list[str]) -> np.ndarray:
    at = np.arange(len(labels))[::-1]
    axes.set_yticks(at, [str(label) for label in labels])
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.grid(visible=False, axis="y")
    return at


def dots(
    axes: Axes,
    table: pd.DataFrame,
    references: dict[str, float] | None = None,
    colour: str = BLUE,
) -> None:
    """Values with their intervals, one row each, top to bottom as in the table.

    Args:
        table: indexed by label, columns ``value``, ``low`` and ``high``.
        references: further rows without an interval, such as published figures; hollow diamonds.
    """
    references = references or {}
    at = _rows(axes, [*table.index, *references])
    value = table["value"].to_numpy()
    axes.hlines(at[: len(table)], table["low"], table["high"], color=colour, lw=2, alpha=0.6)
    axes.plot(value, at[: len(table)], "o", color=colour, ms=6)
    if references:
        axes.plot(
            list(references.values()), at[len(table) :], "D", ms=6, mfc="none", mec=ORANGE, mew=1.6
        )


def grouped_dots(axes: Axes, table: pd.DataFrame) -> None:
    """Several systems in several groups: one row a group, one marker shape and colour a system.

    Args:
        table: groups × systems, at most five systems; NaN leaves a gap.
    """
    at = _rows(axes, list(table.index))
    # side by side within the row, so that equal values do not hide one another
    offsets = np.linspace(0.24, -0.24, len(table.columns)) if len(table.columns) > 1 else [0]
    drawn = [
        axes.plot(table[name], at + offset, marker, color=colour, ms=5.5)[0]
        for name, offset, colour, marker in zip(
            table.columns, offsets, SEQUENCE, MARKERS, strict=False
        )
    ]
    _legend_below(axes, drawn, list(table.columns))


def differences(axes: Axes, table: pd.DataFrame) -> None:
    """Differences with their intervals around a line at 0; filled where the interval leaves out 0.

    Args:
        table: indexed by label, columns ``delta``, ``low`` and ``high``; below 0 is better.
    """
    at = _rows(axes, list(table.index))
    axes.axvline(0, color=INK, lw=1)
    for y, (_, row) in zip(at, table.iterrows(), strict=True):
        if np.isnan(row["delta"]):
            continue
        colour = BLUE if row["high"] < 0 else ORANGE if row["low"] > 0 else GREY
        axes.hlines(y, row["low"], row["high"], color=colour, lw=2, alpha=0.7)
        filled = colour if colour != GREY else "none"
        axes.plot(row["delta"], y, "o", ms=6, mfc=filled, mec=colour, mew=1.6)


def matrix(axes: Axes, table: pd.DataFrame, marked: pd.DataFrame) -> None:
    """Differences between every row and column, euros; bold where ``marked``, blank where NaN.

    Blue: the row's system has the lower error; orange: the column's. Where numbers would run
    together there is a bold dot in the marked cells, and nothing in the others.
    """
    import seaborn as sns

    text = table.map(lambda value: "" if np.isnan(value) else euros(value).replace("€", ""))
    if len(table) > NUMBERED:
        text = marked.map(lambda strong: "•" if strong else "")
    reach = float(np.nan_to_num(np.abs(table.to_numpy(float))).max(initial=0)) or 1.0
    shades = mpl.colors.LinearSegmentedColormap.from_list("delta", [BLUE, "#e8e8e8", ORANGE])
    sns.heatmap(
        table, annot=text, fmt="", cmap=shades, vmin=-reach, vmax=reach, cbar=False, ax=axes,
        mask=table.isna(), annot_kws={"color": "#101010", "fontsize": 7}, linewidths=0.4,
        linecolor=GREY,
    )  # fmt: skip
    # seaborn writes the cells that it does not mask, row by row
    bold = marked.to_numpy()[~table.isna().to_numpy()]
    for cell, strong in zip(axes.texts, bold, strict=True):
        cell.set_fontweight("bold" if strong else "normal")
    axes.set_xlabel("")
    axes.set_ylabel("")
    axes.tick_params(axis="x", labelrotation=60)
    for label in axes.get_xticklabels():
        label.set_ha("right")
        label.set_rotation_mode("anchor")


def stacked_shares(axes: Axes, table: pd.DataFrame, colours: tuple[str, ...]) -> None:
    """Shares that add to 1, one bar a row; segments of at least 6% carry their percentage."""
    at = _rows(axes, list(table.index))
    left, drawn = np.zeros(len(table)), []
    for column, colour in zip(table.columns, colours, strict=True):
        share = table[column].to_numpy()
        drawn.append(axes.barh(at, share, left=left, color=colour, height=0.72))
        for y, start, size in zip(at, left, share, strict=True):
            if size >= 0.06:
                axes.text(start + size / 2, y, f"{size:.0%}", ha="center", va="center",
                          color="#101010", fontsize=8)  # fmt: skip
        left = left + share
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0%}"))
    axes.grid(visible=False)
    _legend_below(axes, drawn, list(table.columns))


def predicted_against_actual(axes: Axes, y_true: pd.Series, y_pred: pd.Series) -> None:
    """Hexagons of cases by award and prediction, log1p scales from €0; the line is ŷ = y."""
    edges = (0, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    ticks = [np.log1p(edge) for edge in edges]
    top = float(np.log1p(max(y_true.max(), y_pred.max(), 1_000))) + 0.4
    shades = mpl.colors.LinearSegmentedColormap.from_list("cases", ["#b9d5ea", "#1d5c94"])
    axes.hexbin(
        np.log1p(y_true), np.log1p(y_pred), gridsize=28, extent=(0, top, 0, top), mincnt=1,
        bins="log", cmap=shades,
        linewidths=0,
    )  # fmt: skip
    axes.plot([0, top], [0, top], color=INK, lw=1, ls="--")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [euros(edge) for edge in edges])
    axes.set_xlim(-0.4, top)
    axes.set_ylim(-0.4, top)
    axes.set_xlabel("Award by the Court, nominal euros (log scale)")
    axes.set_ylabel("Prediction, nominal euros (log scale)")


def _legend_below(axes: Axes, drawn: list, names: list[str]) -> None:
    # given here, not as the artists' labels: Matplotlib hides those that begin with "_"
    axes.legend(
        drawn,
        [str(name) for name in names],
        loc="upper center",
        bbox_to_anchor=(0.4, -0.16 * 3.6 / axes.figure.get_figheight()),
        ncol=min(len(names), 2),
        handletextpad=0.4,
        columnspacing=1.2,
    )


def row_height(rows: int) -> float:
    """Figure height, inches, that gives each row of a dot plot the same room."""
    return 1.1 + 0.3 * rows


def percent_axis(axis: mpl.axis.Axis) -> None:
    """Label an axis of shares in percent."""
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0%}".replace("-", "−")))
    axis.set_major_locator(MaxNLocator(6))
    axis.set_minor_locator(NullLocator())


def factor_axis(axis: mpl.axis.Axis) -> None:
    """Label a logarithmic axis of factors: ×0.5, ×1, ×2."""
    low, high = axis.get_view_interval()
    wide = high / low > 100  # in a wide range, steps of two would write over each other
    steps = (0.001, 0.01, 0.1, 1, 10, 100) if wide else (0.1, 0.2, 0.5, 1, 2, 5, 10)
    ticks = [t for t in steps if low <= t <= high]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"×{x:g}"))
    axis.set_minor_locator(NullLocator())


def curves(axes: Axes, tables: dict[str, pd.DataFrame]) -> None:
    """Lines, at most five: each table's second column over its first."""
    drawn = [
        axes.plot(table.iloc[:, 0], table.iloc[:, 1], color=colour, lw=1.8, ls=style)[0]
        for table, colour, style in zip(
            tables.values(), SEQUENCE, ("-", "--", "-.", ":", (0, (5, 1))), strict=False
        )
    ]
    _legend_below(axes, drawn, list(tables))


def reliability(axes: Axes, table: pd.DataFrame) -> None:
    """Stated probabilities against what happened; the dashed line is perfect calibration.

    Args:
        table: columns ``predicted``, ``observed``, ``low``, ``high``, shares.
    """
    axes.plot([0, 1], [0, 1], color=INK, lw=1, ls="--")
    axes.vlines(table["predicted"], table["low"], table["high"], color=BLUE, lw=2, alpha=0.6)
    axes.plot(table["predicted"], table["observed"], "o", color=BLUE, ms=6)
    top = min(float(max(table["predicted"].max(), table["high"].max())) + 0.05, 1.0)
    axes.set_xlim(0, top)
    axes.set_ylim(0, top)
    percent_axis(axes.xaxis)
    percent_axis(axes.yaxis)


def realised(axes: Axes, table: pd.DataFrame) -> None:
    """Awards against predictions on log1p scales from €0; the dashed line is a perfect match.

    Args:
        table: columns ``predicted``, ``realised``, ``low``, ``high``, euros.
    """
    edges = (0, 100, 1_000, 10_000, 100_000, 1_000_000)
    top = float(np.log1p(max(table["high"].max(), table["predicted"].max(), 1_000))) + 0.4
    ticks = [np.log1p(edge) for edge in edges if np.log1p(edge) <= top]
    scaled = np.log1p(table)
    axes.plot([0, top], [0, top], color=INK, lw=1, ls="--")
    axes.vlines(scaled["predicted"], scaled["low"], scaled["high"], color=BLUE, lw=2, alpha=0.6)
    axes.plot(scaled["predicted"], scaled["realised"], "o", color=BLUE, ms=6)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [euros(edge) for edge in edges[: len(ticks)]])
    axes.set_xlim(-0.4, top)
    axes.set_ylim(-0.4, top)
    axes.set_xlabel("Median prediction, nominal euros (log scale)")
    axes.set_ylabel("Median award, nominal euros (log scale)")


def spread(axes: Axes, values: pd.DataFrame) -> None:
    """The distribution of each column, one row each: middle 90% thin, middle half thick, median."""
    at = _rows(axes, list(values))
    low, first, median, third, high = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
    axes.axvline(0, color=INK, lw=1)
    axes.hlines(at, low, high, color=BLUE, lw=1.4, alpha=0.7)
    axes.hlines(at, first, third, color=BLUE, lw=4.5, alpha=0.7)
    axes.plot(median, at, "o", color=ORANGE, ms=4)


def band(axes: Axes, table: pd.DataFrame) -> None:
    """A line with its band over evenly spaced grid values.

    Args:
        table: columns ``value``, ``median``, ``low``, ``high``.
    """
    at = np.arange(len(table))
    axes.fill_between(at, table["low"], table["high"], color=BLUE, alpha=0.25, lw=0)
    axes.plot(at, table["median"], "o-", color=BLUE, ms=5)
    axes.set_xticks(at, [f"{value:g}" for value in table["value"]])
    axes.set_ylim(bottom=0)
