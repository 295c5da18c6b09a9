import numpy as np
import pandas as pd
import pytest

from lib import composition, schema
from lib.features import FORBIDDEN, PREDICTORS


@pytest.fixture(scope="module")
def cases():
    rows = [
        ("train", "2001-05-01", 0, "ru"),
        ("train", "1999-01-02", 1000, "it"),
        ("train", "2003-01-01", 3000, "ru"),
        ("train", "2002-01-01", 0, "tr"),
        ("validation", "2010-01-01", 500, "ru"),
        ("test", "2020-06-01", 0, "tr"),
        ("test", "2021-01-01", 8000, "tr"),
    ]
    frame = pd.DataFrame(rows, columns=["split", "judgment_date", "y_amount_eur", "code"])
    return frame.assign(judgment_date=pd.to_datetime(frame["judgment_date"]))


def test_by_split_by_hand(cases):
    table = composition.by_split(cases).set_index("split")
    assert table.index.tolist() == ["train", "validation", "test", "all"]
    assert table["n"].tolist() == [4, 1, 2, 7]
    assert table["first"].tolist() == ["1999-01-02", "2010-01-01", "2020-06-01", "1999-01-02"]
    assert table["last"].tolist() == ["2003-01-01", "2010-01-01", "2021-01-01", "2021-01-01"]
    assert table["zero_share"].tolist() == pytest.approx([0.5, 0, 0.5, 3 / 7])
    assert table["median"].tolist() == [500, 500, 4000, 500]
    assert table["positive_median"].tolist() == [2000, 500, 8000, 2000]
    assert table["positive_p95"].tolist() == pytest.approx([2900, 500, 8000, 7250])
    assert table["largest"].tolist() == [3000, 500, 8000, 8000]


def test_a_split_without_cases_is_blank(cases):
    table = composition.by_split(cases[cases["split"] != "validation"]).set_index("split")
    row = table.loc["validation"]
    assert (row["n"], row["first"], row["last"]) == (0, "", "")
    assert row[["zero_share", "median", "largest"]].isna().all()


def test_shares_by_split_by_hand(cases):
    groups = pd.DataFrame({"ru": cases["code"] == "ru", "any": True, "none": False})
    groups.index = groups.index[::-1]  # rows count by position, whatever their labels
    table = composition.shares_by_split(cases, groups)
    assert table.loc["ru"].tolist() == [0.5, 1, 0, -0.5]
    assert table.loc["any"].tolist() == [1, 1, 1, 0]
    assert table.loc["none"].tolist() == [0, 0, 0, 0]
    assert list(table) == ["train", "validation", "test", "change"]


def test_award_curve_by_hand():
    curve = composition.award_curve(pd.Series([0.0, 0, 50, 1000, 100_000]), points=4)
    assert curve["award"].tolist() == pytest.approx([100, 1000, 10_000, 100_000])
    assert curve["share"].tolist() == [0.6, 0.8, 0.8, 1.0]
    assert composition.award_curve(pd.Series([0.0, 0.0]))["share"].tolist() == [1.0] * 200


def test_dimensions_partition_the_cases_except_articles(demo):
    found = composition.dimensions(demo.cases)
    for name, groups in found.items():
        assert set(groups.dtypes.map(str)) == {"bool"}, name
        assert len(groups) == len(demo.cases)
        if name != "Violated article":
            assert (groups.sum(axis=1) == 1).all(), name
    assert found["Violated article"].any(axis=1).mean() > 0.9
    one = demo.cases["num_applicants"] == 1
    assert (found["Applicants"]["1"] == one).all()
    assert found["Applicants"]["over 20"].equals(demo.cases["num_applicants"] > 20)


def test_dictionary_gives_every_column_one_role():
    table = composition.dictionary().set_index("column")
    assert table.index.tolist() == list(schema.COLUMNS)
    role = table["role"]
    assert role["y_amount_eur"] == "target"
    assert set(role[role == "withheld from systems"].index) == set(FORBIDDEN) - {"y_amount_eur"}
    assert set(role[role == "predictor"].index) == set(PREDICTORS.values())
    assert table.loc["judgment_date", "predictors"] == "judgment_year, judgment_month"
    named = ", ".join(text for text in table["predictors"] if text).split(", ")
    assert sorted(named) == sorted(PREDICTORS)


@pytest.mark.official
def test_official_release_as_published(official):
    table = composition.by_split(official.cases).set_index("split")
    assert table["n"].tolist() == [10_217, 1_461, 2_897, 14_575]
    zeros = np.round(table["zero_share"] * table["n"]).astype(int)
    assert zeros.tolist()[:3] == [2_248, 366, 953]
    spans = table[["first", "last"]].to_numpy().tolist()[:3]
    assert spans == [
        ["1968-06-27", "2019-07-18"],
        ["2019-07-23", "2021-12-16"],
        ["2021-12-16", "2026-03-26"],
    ]
    assert table.loc["train", "median"] == 3_200
    assert (official.test["y_amount_eur"] > 50_000).sum() == 118


def test_largest_shifts_keep_each_label_with_its_numbers(demo):
    shift = composition.shifts(demo.cases)
    moved = composition.largest_shifts(shift, 10)
    assert moved["change"].is_monotonic_decreasing
    assert moved["change"].abs().min() >= shift["change"].abs().nlargest(10).min()
    labelled = shift.set_index(shift["dimension"] + ": " + shift["group"].astype(str))
    for label, row in moved.iterrows():
        assert dict(row) == dict(labelled.loc[label, row.index])
