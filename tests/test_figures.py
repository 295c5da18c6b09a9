import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from lib import figures
from lib.files import ROOT

NAMES = ["$x$ <b>", "_hidden", "a^2_b & c", '"quoted" -->', "$\\frac{"]


def texts(svg: str) -> list[str]:
    return [
        "".join(node.itertext()) for node in ET.fromstring(svg).iter() if node.tag.endswith("}text")
    ]


def frame(rows: list[str], columns: list[str]) -> pd.DataFrame:
    values = 1000 + np.arange(float(len(rows) * len(columns))).reshape(len(rows), -1)
    return pd.DataFrame(values, index=rows, columns=columns)


def intervals(rows: list[str], value: str) -> pd.DataFrame:
    centre = np.linspace(-900, 900, len(rows)) if len(rows) > 1 else np.array([5.0])
    return pd.DataFrame({value: centre, "low": centre - 300, "high": centre + 300}, index=rows)


def draw(kind: str, rows: list[str]) -> str:
    """A figure of every kind with these systems as its rows (and columns, where it has any)."""
    with figures.canvas(figures.row_height(len(rows))) as (figure, axes):
        if kind == "dots":
            figures.dots(axes, intervals(rows, "value"), {"CatBoost $X1$ (paper)": 9900.0})
        elif kind == "grouped_dots":
            figures.grouped_dots(axes, frame(rows, rows[:5]))
        elif kind == "differences":
            figures.differences(axes, intervals(rows, "delta"))
            figures.signed_log_axis(axes, 100)
        elif kind == "matrix":
            values = frame(rows, rows).mask(np.eye(len(rows), dtype=bool))
            figures.matrix(axes, values, values > 1001)
        elif kind == "stacked_shares":
            columns = rows[:5] + [f"bucket {i}" for i in range(5 - len(rows[:5]))]
            shares = pd.DataFrame(0.2, index=rows, columns=columns)
            figures.stacked_shares(axes, shares, figures.BUCKET_COLOURS)
        elif kind == "predicted_against_actual":
            y = pd.Series([0.0, 100, 5e6, 3000][: len(rows)])
            figures.predicted_against_actual(axes, y, y[::-1].reset_index(drop=True))
        axes.set_xlabel(f"below 0: {rows[0]} is better")
        return figures.to_svg(figure)


KINDS = [
    "dots",
    "grouped_dots",
    "differences",
    "matrix",
    "stacked_shares",
    "predicted_against_actual",
]


@pytest.fixture(scope="module", params=KINDS)
def drawn(request):
    return request.param, draw(request.param, NAMES)


def test_names_are_text_and_never_markup_or_formulas(drawn):
    kind, svg = drawn
    found = texts(svg)
    assert f"below 0: {NAMES[0]} is better" in found
    if kind != "predicted_against_actual":
        assert set(NAMES) <= set(found)  # whole, so neither parsed nor left out of a legend
    if kind in ("grouped_dots", "stacked_shares", "matrix"):
        assert all(found.count(name) == 2 for name in NAMES)
    assert "<b>" not in svg


def test_follows_the_pages_colours(drawn):
    _, svg = drawn
    assert "currentColor" in svg
    assert figures.INK not in svg
    assert not re.search(r"#0{6}\b|\bblack\b", svg)  # nothing that dark mode would swallow
    backgrounds = re.findall(r"#f{6}\b|#fff\b|\bwhite\b", svg)
    assert not backgrounds


def test_carries_no_date_font_script_or_address(drawn):
    _, svg = drawn
    assert not re.search(r"\d{4}-\d\d-\d\dT|<metadata|<dc:|<\?xml|<!DOCTYPE", svg)
    assert not re.search(r"@font-face|<font|<glyph|base64|<script|<style|<image|<!--", svg)
    assert set(re.findall(r'https?://[^"]+', svg)) <= {
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
    }


def test_scales_with_the_page(drawn):
    _, svg = drawn
    root = ET.fromstring(svg)
    assert "viewBox" in root.attrib
    assert "width" not in root.attrib
    assert re.search(r"width:100%;max-width:\d+px;height:auto", root.attrib["style"])


def test_ids_are_only_those_that_are_used(drawn):
    """Several figures share a page, so ids such as ``axes_1`` would not be unique there."""
    _, svg = drawn
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert set(ids) == set(re.findall(r'(?:url\(|href=")#([^")]+)', svg))


@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_twice(kind, drawn):
    if kind == drawn[0]:
        assert draw(kind, NAMES) == drawn[1]


def test_same_bytes_in_a_fresh_process():
    code = "from tests.test_figures import *; print(draw('grouped_dots', NAMES), end='')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == draw("grouped_dots", NAMES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("systems", [1, 20])
@pytest.mark.filterwarnings("error")
def test_works_with_one_system_and_with_twenty(kind, systems):
    names = [f"System number {i} with a name" for i in range(systems)]
    svg = draw(kind, names)
    if kind != "predicted_against_actual":
        assert set(names) <= set(texts(svg))


@pytest.mark.parametrize("systems", [1, 5, 20])
def test_the_legend_lies_below_the_axis_and_inside_the_picture(systems):
    rows = [f"Group {i}" for i in range(systems)]
    columns = [f"A system with a rather long name {i}" for i in range(min(systems, 5))]
    with figures.canvas(figures.row_height(systems)) as (figure, axes):
        figures.grouped_dots(axes, frame(rows, columns))
        axes.set_xlabel("MAE, nominal euros")
        figure.canvas.draw()
        legend = axes.get_legend().get_window_extent()
        assert legend.y1 <= axes.xaxis.label.get_window_extent().y0 + 1
        entries = axes.get_legend().get_texts()
        assert [entry.get_text() for entry in entries] == columns
        boxes = [entry.get_window_extent() for entry in entries]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
        seen = {(h.get_marker(), h.get_color()) for h in axes.get_legend().legend_handles}
        assert len(seen) == len(columns)


def test_differences_are_filled_only_where_the_interval_leaves_out_zero():
    table = pd.DataFrame(
        {"delta": [-5.0, 5, 1, np.nan], "low": [-9.0, 1, -1, np.nan], "high": [-1.0, 9, 3, np.nan]},
        index=list("abcd"),
    )
    with figures.canvas() as (_, axes):
        figures.differences(axes, table)
        points = [line for line in axes.lines if line.get_marker() == "o"]
        fills = [point.get_markerfacecolor() for point in points]
    assert fills == [figures.BLUE, figures.ORANGE, "none"]


def test_matrix_sets_clear_pairs_in_bold_whichever_cells_are_blank():
    delta = pd.DataFrame([[np.nan, -5, np.nan], [5, np.nan, 2], [np.nan, -2, np.nan]])
    clear = pd.DataFrame([[False, True, False], [True, False, False], [False, False, False]])
    with figures.canvas() as (_, axes):
        figures.matrix(axes, delta, clear)
        weights = {cell.get_text(): cell.get_fontweight() for cell in axes.texts}
    assert weights == {"−5": "bold", "5": "bold", "2": "normal", "−2": "normal"}


@pytest.mark.parametrize("systems", [2, 8, 9, 20])
def test_matrix_cells_do_not_run_together(systems):
    names = [f"System {i}" for i in range(systems)]
    delta = pd.DataFrame(-1230.0, names, names).mask(np.eye(systems, dtype=bool))
    clear = pd.DataFrame(np.tri(systems, k=-1, dtype=bool), names, names)
    with figures.canvas(figures.row_height(systems) + 0.8) as (figure, axes):
        figures.matrix(axes, delta, clear)
        figure.canvas.draw()
        cells = [cell for cell in axes.texts if cell.get_text()]
        assert all(cell.get_window_extent().width < axes.bbox.width / systems for cell in cells)
        strong = [cell for cell in cells if cell.get_fontweight() == "bold"]
    assert len(strong) == clear.to_numpy().sum()


def test_html_escapes_what_it_is_given():
    svg = draw("dots", ["a"])
    page = figures.to_html(svg, "n", "title <b> & co", 'alt "><script>x</script>')
    parsed = ET.fromstring(page)
    assert parsed.find("figcaption").text == "title <b> & co"
    image = parsed[0]
    assert image.attrib["role"] == "img"
    assert image.attrib["aria-label"] == 'alt "><script>x</script>'
    assert parsed.attrib["id"] == "fig-n"


def test_canvas_closes_its_figure_even_on_errors():
    from matplotlib import pyplot as plt

    with pytest.raises(ZeroDivisionError), figures.canvas():
        1 / 0  # noqa: B018
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "€0"), (950, "€950"), (3_200, "€3.2k"), (1_600_000, "€1.6M"), (-450, "−€450"),
        (999.4, "€999"), (999.6, "€1k"), (999_600, "€1M"), (2e9, "€2bn"), (np.nan, "–"),
    ],
)  # fmt: skip
def test_short_euros(value, text):
    assert figures.euros(value) == text


@pytest.mark.parametrize("scale", ["linear", "log", "symlog"])
@pytest.mark.parametrize(("low", "high"), [(100, 10_000_000), (3_000, 90_000), (900, 200_000)])
def test_euro_labels_are_plain_text_and_do_not_run_together(scale, low, high):
    with figures.canvas() as (figure, axes):
        axes.plot([low, high], [0, 1])
        if scale == "symlog":
            figures.signed_log_axis(axes, 1000)
        else:
            axes.set_xscale(scale)
            figures.euro_axis(axes.xaxis)
        figure.canvas.draw()
        labels = [label for label in axes.get_xticklabels() if label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        inside = [box for box in boxes if axes.bbox.x0 - 1 <= (box.x0 + box.x1) / 2 <= axes.bbox.x1]
    assert len(inside) >= 2
    assert not any(a.x1 > b.x0 for a, b in pairwise(inside))
    assert all(re.fullmatch(r"−?€[\d.]+[kM]?", label.get_text()) for label in labels)
