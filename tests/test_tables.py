import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import tables

EVIL = "<script>alert(\"x\")</script> & 'co'"


class Parsed(HTMLParser):
    """The elements of a page (name, attributes) and its text."""

    def __init__(self, page: str):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def cells(page: str) -> list[list[tuple[str, str]]]:
    """Per body row, each cell's class and inner HTML."""
    body = page.split("<tbody>")[1].split("</tbody>")[0]
    found = [
        re.findall(r'<td(?: class="([^"]*)")?>(.*?)</td>', row, re.DOTALL)
        for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    ]
    return found


def classes(page: str, column: int) -> list[set[str]]:
    return [set(row[column][0].split()) for row in cells(page)]


# Numbers as text


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (tables.euros, 10_791.6, "10,792"),
        (tables.euros, -1234.5, "−1,234"),
        (tables.euros, -0.4, "0"),
        (tables.euros, 0, "0"),
        (tables.euros, np.nan, "–"),
        (tables.money, 10_792.2, "€10,792"),
        (tables.money, -10_245, "−€10,245"),
        (tables.money, -0.2, "€0"),
        (tables.money, np.nan, "–"),
        (tables.cents, -11_006.326, "−11,006.33"),
        (tables.cents, -0.001, "0.00"),
        (tables.fraction, -0.0214, "−0.021"),
        (tables.fraction, -0.0001, "0.000"),
        (tables.fraction, None, "–"),
        (tables.factor, 1.0666, "1.07"),
        (tables.factor, 0.0010823, "0.00108"),
        (tables.factor, None, "–"),
        (tables.percent, 0.10249, "10.2%"),
        (tables.percent, -0.5, "−50.0%"),
        (tables.percent, -0.0001, "0.0%"),
        (tables.p_value, 0.0004, "< 0.001"),
        (tables.p_value, 0.0321, "0.032"),
        (tables.p_value, np.nan, "–"),
        (tables.count, 2897.0, "2,897"),
        (tables.count, np.nan, "–"),
        (tables.euros, float("-inf"), "−inf"),
    ],
)
def test_numbers_as_text(form, value, text):
    assert form(value) == text


def test_interval_text_starts_with_the_value():
    value, low, high = (
        pd.Series([5.0, -3.0, 1.0]),
        pd.Series([1.0, -9, np.nan]),
        pd.Series([7.0] * 3),
    )
    text = tables.with_interval(value, low, high, tables.euros)
    assert text.tolist() == ["5 [1, 7]", "−3 [−9, 7]", "1"]


# CSV and JSON


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formulas_are_neutralised_in_cells_and_headers(tmp_path, start):
    frame = pd.DataFrame({f"{start}head": [f"{start}1+1", "plain", "a=1"], "n": [-1.5, 0, 2]})
    tables.save(frame, tmp_path, "t")
    back = pd.read_csv(tmp_path / "t.csv")
    kept = start.replace("\r", "\n")
    assert back.columns.tolist() == [f"'{kept}head", "n"]
    assert back.iloc[:, 0].tolist() == [f"'{kept}1+1", "plain", "a=1"]
    assert back["n"].tolist() == [-1.5, 0, 2]  # negative numbers stay numbers
    assert b"\r\n" not in (tmp_path / "t.csv").read_bytes()


@settings(derandomize=True, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=8), st.floats(), st.none()), min_size=1, max_size=5))
def test_no_text_of_any_kind_starts_a_formula(values):
    safe = tables.neutralised(pd.DataFrame({"a": pd.Series(values, dtype=object)}))["a"]
    for before, after in zip(values, safe, strict=True):
        if isinstance(before, str):
            risky = before.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert after.split() == ("'" * risky + before).split()
            assert "\r" not in after
        else:
            assert after is before or after == before or pd.isna(after)


def test_json_holds_null_for_what_is_no_number(tmp_path):
    frame = pd.DataFrame(
        {
            "x": [np.nan, np.inf, -np.inf, 1 / 3],
            "n": pd.array([1, None, 2, 3], dtype="Int64"),
            "day": [pd.Timestamp("2020-01-02"), pd.NaT, pd.NaT, pd.NaT],
            "text": ["=1", None, "é", EVIL],
            "yes": [True, False, True, False],
            "odd": [np.float32(0.5), np.inf, np.nan, "x"],
        }
    )
    tables.save(frame, tmp_path, "t")

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    text = (tmp_path / "t.json").read_text(encoding="utf-8")
    rows = json.loads(text, parse_constant=refuse)
    assert [row["x"] for row in rows] == [None, None, None, 1 / 3]  # full precision
    assert [row["n"] for row in rows] == [1, None, 2, 3]
    assert [row["day"] for row in rows] == ["2020-01-02 00:00:00", None, None, None]
    assert [row["text"] for row in rows] == ["=1", None, "é", EVIL]
    assert [row["yes"] for row in rows] == [True, False, True, False]
    assert [row["odd"] for row in rows] == [0.5, None, None, "x"]


def test_same_frame_same_bytes(tmp_path):
    frame = pd.DataFrame({"a": [0.1 + 0.2, 1e-17, 12345678.9], "b": ["é", "<", '"']})
    for name in ("one", "two"):
        tables.save(frame.copy(), tmp_path, name)
    for end in ("csv", "json"):
        assert (tmp_path / f"one.{end}").read_bytes() == (tmp_path / f"two.{end}").read_bytes()
    assert pd.read_csv(tmp_path / "one.csv")["a"].tolist() == frame["a"].tolist()
    assert len(list(tmp_path.iterdir())) == 4  # nothing half-written is left


# HTML


def test_every_text_is_escaped():
    frame = pd.DataFrame({EVIL: [EVIL, "b"], "n": [1, 2]})
    page = tables.to_html(
        frame,
        'x"><b>',
        EVIL,
        formats={"n": lambda n: f"<i>{n}"},
        links={EVIL: pd.Series([EVIL, 'a"b'])},
    )
    parsed = Parsed(page)
    assert {tag for tag, _ in parsed.elements} == {
        "p",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
    }
    assert parsed.texts.count(EVIL) == 3  # caption, header, cell
    assert "<i>1" in parsed.texts
    assert [a["href"] for a in parsed.all("a")] == [
        'a"b',
        'tables/x"><b>.csv',
        'tables/x"><b>.json',
    ]


def test_structure_for_readers_and_screen_readers():
    parsed = Parsed(tables.to_html(pd.DataFrame({"a": ["x"]}), "scores", "Caption"))
    caption, region, table = parsed.all("p")[0], parsed.all("div")[0], parsed.all("table")[0]
    assert caption["id"] == region["aria-labelledby"] == table["aria-labelledby"] == "cap-scores"
    assert region["tabindex"] == "0"
    assert "sortable" in table["class"].split()
    assert parsed.all("th") == [{"scope": "col", "data-kind": "text"}]
    hrefs = [a["href"] for a in parsed.all("a")]
    assert hrefs == ["tables/scores.csv", "tables/scores.json"]
    assert "<a" not in tables.to_html(pd.DataFrame({"a": ["x"]}), "s", "c", download=False)


def test_sorting_kinds_follow_the_formats():
    frame = pd.DataFrame({"name": ["a"], "mae": [1.0], "interval": ["5 [1, 7]"], 2020: ["x"]})
    page = tables.to_html(frame, "t", "c", formats={"mae": tables.euros, "interval": str})
    kinds = [th["data-kind"] for th in Parsed(page).all("th")]
    assert kinds == ["text", "num", "num", "text"]
    assert [set(c.split()) for c, _ in cells(page)[0]] == [{"short"}, {"num"}, {"num"}, {"short"}]


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT, np.float32("nan")])
def test_missing_values_are_a_dash(missing):
    frame = pd.DataFrame({"a": pd.Series([missing, "x"], dtype=object), "b": [np.nan, 1.0]})
    for formats in ({}, {"a": str, "b": str}, {"a": str, "b": tables.euros}):
        assert [text for _, text in cells(tables.to_html(frame, "t", "c", formats=formats))[0]] == [
            "–",
            "–",
        ]


@pytest.mark.parametrize(
    ("direction", "values", "best", "second"),
    [
        ("lower", [3.0, 1.0, 2.0, np.nan], [1], [2]),
        ("higher", [3.0, 1.0, 2.0, np.nan], [0], [2]),
        ("zero", [-3.0, 5.0, 1.0, np.nan], [2], [0]),
        ("zero", [-2.0, 2.0, 7.0, -7.0], [0, 1], [2, 3]),
        ("lower", [1.0, 1.0, 2.0, 2.0], [0, 1], [2, 3]),
        ("higher", [4.0, 4.0, 4.0, np.nan], [0, 1, 2], []),
        ("lower", [np.nan] * 4, [], []),
    ],
)
def test_best_and_second(direction, values, best, second):
    frame = pd.DataFrame({"m": values}, index=[9, 9, 3, 1])  # any index
    page = tables.to_html(frame, "t", "c", {"m": tables.fraction}, better={"m": direction})
    found = classes(page, 0)
    assert [i for i, names in enumerate(found) if "best" in names] == best
    assert [i for i, names in enumerate(found) if "second" in names] == second


def test_marked_rows_take_no_part():
    frame = pd.DataFrame({"s": ["a", "b", "paper"], "m": [3.0, 2.0, 1.0]}, index=[5, 6, 7])
    marked = pd.Series([False, False, True], index=[5, 6, 7])
    page = tables.to_html(frame, "t", "c", {"m": tables.euros}, {"m": "lower"}, marked)
    assert classes(page, 1) == [{"num", "second"}, {"num", "best"}, {"num", "published"}]
    assert classes(page, 0)[2] == {"short", "published"}


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("system-catboost.html", True),
        ("../report/x.html#here", True),
        ("#metric-mae", True),
        ("https://hudoc.echr.coe.int/eng?i=001-1", True),
        ("http://example.org", False),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("\t//example.org", False),
        ("/etc/passwd", False),
        ("\\\\example.org", False),
        ("", False),
        (None, False),
        (np.nan, False),
    ],
)
def test_only_relative_and_https_links(address, kept):
    links = {"a": pd.Series([address], dtype=object)}
    page = tables.to_html(pd.DataFrame({"a": ["text"]}), "t", "c", links=links, download=False)
    found = [a["href"] for a in Parsed(page).all("a")]
    assert found == ([address] if kept else [])
    assert "text" in Parsed(page).texts


def test_an_empty_table_is_still_a_table():
    page = tables.to_html(pd.DataFrame({"a": [], "b": []}), "t", "c", better={"b": "lower"})
    assert len(Parsed(page).all("th")) == 2
    assert cells(page) == []
