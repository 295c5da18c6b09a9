"""Tables for the site: readable HTML, and the same numbers as CSV and JSON to download."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from lib.files import write_text

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
MISSING = "–"
SHORT = 26  # characters of text that stay on one line
ADDRESS = re.compile(r"https://\S+|[\w.#?][^\s:\\]*")


def _number(value: float, spec: str) -> str:
    if pd.isna(value):
        return MISSING
    text = format(value, spec)
    return text.replace("-", "−" if re.search("[1-9inf]", text) else "")  # no minus before 0


def euros(value: float) -> str:
    """Whole euros with thousands separators: ``10,792``; a minus sign for negatives."""
    return _number(value, ",.0f")


def money(value: float) -> str:
    """Whole euros with their sign, the minus first: ``€10,792``, ``−€10,245``."""
    text = euros(value)
    return text if text == MISSING else f"−€{text[1:]}" if text[0] == "−" else f"€{text}"


def cents(value: float) -> str:
    return _number(value, ",.2f")


def fraction(value: float) -> str:
    """Three decimals, for scores without a unit."""
    return _number(value, ".3f")


def factor(value: float) -> str:
    """Three significant digits, for multipliers: ``1.07``, ``0.00108``."""
    return MISSING if pd.isna(value) else f"{value:.3g}"


def percent(value: float) -> str:
    return _number(value, ".1%")


def change(value: float) -> str:
    """−10.2% or +3.1%: a relative change with its sign."""
    return MISSING if pd.isna(value) else f"{value:+.1%}".replace("-", "−")


def p_value(value: float) -> str:
    """Three decimals, small values as ``< 0.001``."""
    return MISSING if pd.isna(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def count(value: float) -> str:
    return MISSING if pd.isna(value) else f"{int(value):,}"


def with_interval(
    value: pd.Series, low: pd.Series, high: pd.Series, form: Callable[[float], str]
) -> pd.Series:
    """Text such as ``10,792 [9,901, 11,862]``; sorting takes the first number."""
    return pd.Series(
        [
            form(v) if pd.isna(a) else f"{form(v)} [{form(a)}, {form(b)}]"
            for v, a, b in zip(value, low, high, strict=True)
        ],
        index=value.index,
    )


def neutralised(frame: pd.DataFrame) -> pd.DataFrame:
    """Text that a spreadsheet would run as a formula gets a leading apostrophe, headers too.

    Carriage returns become line feeds: the CSV writer does not quote the former.
    """

    def safe(value: object) -> object:
        if not isinstance(value, str):
            return value
        text = f"'{value}" if value.startswith(FORMULA_STARTS) else value
        return text.replace("\r\n", "\n").replace("\r", "\n")

    return frame.map(safe).rename(columns=safe)


def save(frame: pd.DataFrame, folder: Path, name: str) -> None:
    """Write ``name.csv`` and ``name.json``, full precision, the same bytes for the same frame."""
    write_text(folder / f"{name}.csv", neutralised(frame).to_csv(index=False, lineterminator="\n"))
    finite = frame.notna() & ~frame.isin([np.inf, -np.inf])
    records = frame.astype(object).where(finite, None).to_dict("records")
    text = json.dumps(records, ensure_ascii=False, indent=1, default=_plain, allow_nan=False)
    write_text(folder / f"{name}.json", text + "\n")


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)


def to_html(
    frame: pd.DataFrame,
    name: str,
    caption: str,
    formats: dict[str, Callable[[float], str]] | None = None,
    better: dict[str, str] | None = None,
    marked: pd.Series | None = None,
    outside: pd.Series | None = None,
    links: dict[str, pd.Series] | None = None,
    download: bool = True,
) -> str:
    """A sortable HTML table; every text is escaped.

    Args:
        frame: one row a table row; the columns' names are the headers.
        formats: how to write a column's numbers.
        better: "lower", "higher" or "zero" for columns whose best value is bold and whose second
            is underlined; rows in ``marked`` or ``outside`` take no part.
        marked: boolean per row: published figures and the like, set in italics.
        outside: boolean per row: systems that are not ranked with the others.
        links: addresses per row for a column's text; only relative and https ones are kept.
        download: whether to link ``tables/<name>.csv``.
    """
    formats, better, links = formats or {}, better or {}, links or {}
    frame = frame.reset_index(drop=True)
    nowhere = pd.Series(False, index=frame.index)
    marked = nowhere if marked is None else marked.reset_index(drop=True)
    outside = nowhere if outside is None else outside.reset_index(drop=True)
    classes = pd.DataFrame("", index=frame.index, columns=frame.columns)
    for column, direction in better.items():
        classes[column] = _standing(frame[column].where(~(marked | outside)), direction)
    classes.loc[marked] = classes.loc[marked] + " published"

    def shown(column: str, i: int) -> str:
        value = frame.at[i, column]
        text = html.escape(MISSING if _is_missing(value) else formats.get(column, str)(value))
        address = links[column].iloc[i] if column in links else ""
        if isinstance(address, str) and ADDRESS.fullmatch(address):
            return f'<a href="{html.escape(address)}">{text}</a>'
        return text

    name = html.escape(name)
    heads = "".join(
        f'<th scope="col" data-kind="{"num" if c in formats else "text"}">'
        f"{html.escape(str(c))}</th>"
        for c in frame
    )
    rows = "\n".join(
        "<tr>"
        + "".join(
            f"<td{_class(classes.at[i, c], c in formats, frame.at[i, c])}>{shown(c, i)}</td>"
            for c in frame
        )
        + "</tr>"
        for i in frame.index
    )
    table = (
        '<table class="lab-table table table-sm sortable" data-quarto-disable-processing="true" '
        f'aria-labelledby="cap-{name}">\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table>"
    )
    link = (
        f'<p class="lab-download"><a href="tables/{name}.csv" download>Download as CSV</a> · '
        f'<a href="tables/{name}.json" download>JSON</a></p>'
        if download
        else ""
    )
    return (
        f'<p class="lab-caption" id="cap-{name}">{html.escape(caption)}</p>'
        f'<div class="lab-table-box" id="tbl-{name}" tabindex="0" role="region" '
        f'aria-labelledby="cap-{name}">{table}</div>{link}'
    )


def _is_missing(value: object) -> bool:
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


def _standing(values: pd.Series, direction: str) -> pd.Series:
    """ "best" for the best value and "second" for the next, ties included."""
    values = pd.to_numeric(values, errors="coerce")
    size = {"lower": values, "higher": -values, "zero": values.abs()}[direction]
    ranked = np.unique(size.dropna())
    standing = pd.Series("", index=values.index)
    for word, level in zip(("best", "second"), ranked[:2], strict=False):
        standing[size == level] = word
    return standing


def _class(standing: str, numeric: bool, value: object) -> str:
    kind = "num" if numeric else "short" if len(str(value)) <= SHORT else ""
    names = f"{kind} {standing.strip()}".strip()
    return f' class="{names}"' if names else ""
