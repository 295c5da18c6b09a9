"""Groups of cases and error buckets: edges, partitions, and scores against direct computation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from lib import breakdowns, metrics
from lib.breakdowns import BUCKETS, error_bucket

steady = settings(derandomize=True, deadline=None, max_examples=60)

EUROS = st.one_of(
    st.sampled_from([0.0, 0.3, 0.5, 1.0, 1000.0, 1000.01, 50_000.0, 50_000.01]),
    st.integers(0, 10**8).map(lambda cents: cents / 100),
)


def cases_of(amounts, **columns) -> pd.DataFrame:
    ids = [f"001-{i}" for i in range(len(amounts))]
    return pd.DataFrame({"case_id": ids, "y_amount_eur": amounts, **columns})


def scored_of(cases: pd.DataFrame, predictions: dict[str, list[float]]) -> pd.DataFrame:
    """As predictions.align gives it; NaN leaves a case out."""
    frames = [
        pd.DataFrame({"system": system, "case_id": cases["case_id"],
                      "y_true": cases["y_amount_eur"], "y_pred": pred})
        for system, pred in predictions.items()
    ]  # fmt: skip
    scored = pd.concat(frames, ignore_index=True).dropna()
    return scored.assign(abs_error=(scored["y_pred"] - scored["y_true"]).abs())


# Award ranges


@pytest.mark.parametrize(
    ("amount", "group"),
    [
        (0, "€0"),
        (0.01, "up to €1k"),
        (1, "up to €1k"),
        (1000, "up to €1k"),
        (1000.01, "€1k–5k"),
        (5000, "€1k–5k"),
        (5000.01, "€5k–10k"),
        (10_000, "€5k–10k"),
        (20_000, "€10k–20k"),
        (50_000, "€20k–50k"),
        (50_000.01, "above €50k"),
        (4e6, "above €50k"),
    ],
)
def test_award_range_edges(amount, group):
    row = breakdowns.award_ranges(cases_of([float(amount)])).iloc[0]
    expected = {group} | ({"all up to €50k"} if amount <= 50_000 else set())
    assert set(row.index[row]) == expected


@given(st.lists(EUROS, min_size=1, max_size=30))
@steady
def test_award_ranges_partition_the_cases(amounts):
    groups = breakdowns.award_ranges(cases_of(amounts))
    assert groups.shape == (len(amounts), 8)
    *inner, above, up_to = groups.columns
    assert (groups[[*inner, above]].sum(axis=1) == 1).all()
    assert_array_equal(groups[up_to], groups[inner].any(axis=1))


# States and articles


def test_top_states_and_the_rest():
    states = ["Türkiye"] * 3 + ["Malta", "Italy"] * 2 + ["Austria"]
    cases = cases_of(np.zeros(len(states)), respondent_state=states)
    groups = breakdowns.respondent_states(cases, top=2)
    assert list(groups) == ["Türkiye", "Italy", "all other states"]  # Italy and Malta tie: by name
    assert groups.sum().tolist() == [3, 2, 3]
    assert (groups.sum(axis=1) == 1).all()
    assert_array_equal(groups["Italy"], cases["respondent_state"] == "Italy")
    every = breakdowns.respondent_states(cases, top=4)
    assert list(every) == ["Türkiye", "Italy", "Malta", "Austria"]


@given(st.lists(st.sampled_from("ABCDEF"), min_size=1, max_size=30), st.integers(1, 7))
@steady
def test_states_partition_the_cases_largest_first(states, top):
    groups = breakdowns.respondent_states(
        cases_of(np.zeros(len(states)), respondent_state=states), top
    )
    assert (groups.sum(axis=1) == 1).all()
    sizes = groups[[name for name in groups if len(name) == 1]].sum().tolist()
    assert sizes == sorted((states.count(s) for s in set(states)), reverse=True)[:top]


def test_articles_overlap():
    cases = cases_of(np.zeros(4), violated_articles=["6;P1-1", "6", "13;6;P1-1", "10"])
    groups = breakdowns.articles(cases)
    assert groups.dtypes.eq(bool).all()
    assert {name: groups[name].tolist() for name in groups} == {
        "Art. 6": [True, True, True, False],
        "P1 Art. 1": [True, False, True, False],
        "Art. 10": [False, False, False, True],  # not Article 1; ties in size go by code
        "Art. 13": [False, False, True, False],
    }
    assert list(groups) == ["Art. 6", "P1 Art. 1", "Art. 10", "Art. 13"]
    assert list(breakdowns.articles(cases, at_least=2)) == ["Art. 6", "P1 Art. 1"]
    assert breakdowns.article_label("P12-1") == "P12 Art. 1"


# Composition and scores


def test_composition_by_hand():
    cases = cases_of([0.0, 0, 1000, 2000, 9000], num_applicants=[1, 3, 2, 1, 1])
    groups = pd.DataFrame(
        {"all": True, "zero": [True, True] + [False] * 3, "none": False}, index=cases.index
    )
    table = breakdowns.composition(cases, groups)
    assert table.loc["all"].tolist() == [5, 0.4, 0.4, 2000 + 0.9 * 7000]  # position 0.95 × 2
    assert table.loc["zero", ["n", "zero_share", "multi_applicant_share"]].tolist() == [2, 1, 0.5]
    assert np.isnan(table.loc["zero", "positive_p95"])
    assert table.loc["none", "n"] == 0
    assert table.loc["none"].drop("n").isna().all()
    assert table["n"].dtype == "int64"


def test_score_by_hand():
    cases = cases_of([0.0, 100, 1000, 5000])
    groups = pd.DataFrame({"low": [True, True, False, False], "high": [False, False, True, True],
                           "last": [False, False, False, True]})  # fmt: skip
    scored = scored_of(cases, {"b": [10, 90, 1300, 4000], "a": [0, np.nan, 1000, np.nan]})
    table = breakdowns.score(scored.sample(frac=1, random_state=3), cases, groups, ("mae", "bias"))
    table = table.set_index(["system", "group"])
    assert table.loc[("b", "low")].tolist() == [2, 10, 0]
    assert table.loc[("b", "high")].tolist() == [2, 650, -350]
    assert table.loc[("a", "low")].tolist() == [1, 0, 0]
    assert table.loc[("a", "last"), "n"] == 0
    assert table.loc[("a", "last"), ["mae", "bias"]].isna().all()


@given(st.data(), st.integers(1, 15))
@steady
def test_score_equals_metrics_of_the_groups_rows(data, n):
    column = st.lists(EUROS, min_size=n, max_size=n)
    cases = cases_of(data.draw(column))
    scored = scored_of(cases, {"x": data.draw(column), "y": data.draw(column)})
    groups = breakdowns.award_ranges(cases)
    table = breakdowns.score(scored, cases, groups, ("mae", "zero_f1", "medae"))
    assert len(table) == 2 * 8
    for row in table.itertuples():
        inside = set(cases["case_id"][groups[row.group]])
        own = scored[(scored["system"] == row.system) & scored["case_id"].isin(inside)]
        assert row.n == len(own)
        for key in ("mae", "zero_f1", "medae"):
            function = metrics.POINT_METRICS[key].function
            direct = function(own["y_true"], own["y_pred"]) if len(own) else np.nan
            assert getattr(row, key) == pytest.approx(direct, nan_ok=True)


def test_scored_cases_outside_the_given_cases_are_in_no_group():
    cases = cases_of([10.0, 20, 30])
    scored = scored_of(cases, {"a": [11, 22, 1000]})
    table = breakdowns.score(scored, cases[:2], pd.DataFrame({"all": [True, True]}))
    assert table.iloc[0].tolist() == ["a", "all", 2, 1.5]


def test_differences_within_groups():
    cases = cases_of([0.0] * 6).sample(frac=1, random_state=1)  # rows out of step with the index
    scored = scored_of(cases, {"a": [1, 2, 3, 10, 20, np.nan], "b": [5, 6, 7, 4, np.nan, 8]})
    groups = pd.DataFrame(
        {"first": [True] * 3 + [False] * 3, "second": [False] * 3 + [True] * 3,
         "unshared": [False] * 4 + [True] * 2}
    )  # fmt: skip
    table = breakdowns.differences(scored, cases, groups, "a", "b", resamples=50)
    assert table["n"].to_dict() == {"first": 3, "second": 1, "unshared": 0}
    assert table.loc["first", ["delta", "low", "high"]].tolist() == pytest.approx([-4, -4, -4])
    assert table.loc["second", "delta"] == 6
    assert table.loc["unshared"].drop("n").isna().all()
    back = breakdowns.differences(scored, cases, groups, "b", "a", resamples=50)
    assert back["delta"].tolist() == pytest.approx((-table["delta"]).tolist(), nan_ok=True)


def test_largest_errors_and_addresses():
    cases = cases_of([0.0, 100, 1000], judgment_date=pd.to_datetime(["2020-01-02"] * 3))
    cases.loc[2, "case_id"] = "demo-1"
    scored = scored_of(cases, {"a": [7, 93, 5000]})
    top = breakdowns.largest_errors(scored, cases, 5)
    assert top["case_id"].tolist() == ["demo-1", "001-0", "001-1"]  # a tie goes by case
    assert top["hudoc"].tolist() == ["", *(f"https://hudoc.echr.coe.int/eng?i=001-{i}" for i in (0, 1))]  # fmt: skip # noqa: E501
    assert top["judgment_date"].tolist() == ["2020-01-02"] * 3
    assert_frame_equal(breakdowns.largest_errors(scored, cases, 1), top.head(1))


# Error buckets


@pytest.mark.parametrize(
    ("true", "pred", "bucket"),
    [
        (1000, 1000.49, "exact"),
        (1000, 999.51, "exact"),
        (1000, 1000.5, "within 10%"),
        (1000, 1100, "within 10%"),
        (1000, 900, "within 10%"),
        (1000, 1100.01, "10–25%"),
        (1000, 750, "10–25%"),
        (1000, 1250.01, "25–50%"),
        (1000, 1500, "25–50%"),
        (1000, 500, "25–50%"),
        (1000, 499.99, "more than 50%"),
        (1000, 0, "more than 50%"),
        (1000, 1e9, "more than 50%"),
        (0, 0, "exact"),
        (0, 0.49, "exact"),
        (0, 0.5, "more than 50%"),
        (0, 3000, "more than 50%"),
        (0.3, 0, "exact"),
        (1, 1.5, "25–50%"),
    ],
)
def test_error_bucket_edges(true, pred, bucket):
    assert error_bucket([true], [pred]).tolist() == [bucket]


@given(st.lists(st.tuples(EUROS, EUROS), min_size=1, max_size=30))
@steady
def test_error_buckets_are_exhaustive_and_exclusive(pairs):
    """Each pair meets exactly one of five conditions, written out apart from each other."""
    for (true, pred), got in zip(pairs, error_bucket(*np.array(pairs).T), strict=True):
        off = abs(pred - true)
        share = off / true if true else np.inf
        conditions = {
            "exact": off < 0.5,
            "within 10%": off >= 0.5 and share <= 0.1,
            "10–25%": off >= 0.5 and 0.1 < share <= 0.25,
            "25–50%": off >= 0.5 and 0.25 < share <= 0.5,
            "more than 50%": off >= 0.5 and share > 0.5,
        }
        assert [name for name, met in conditions.items() if met] == [got]


@given(st.lists(EUROS, min_size=1, max_size=30))
@steady
def test_a_zero_award_is_hit_exactly_or_missed_by_more_than_half(preds):
    expected = ["exact" if pred < 0.5 else "more than 50%" for pred in preds]
    assert error_bucket(np.zeros(len(preds)), preds).tolist() == expected


def test_bucket_shares_by_hand():
    cases = cases_of([1000.0, 1000, 1000, 0])
    scored = scored_of(cases, {"b": [1000, 1000, 1300, 9], "a": [1050, np.nan, np.nan, np.nan]})
    shares = breakdowns.bucket_shares(scored)
    assert list(shares) == list(BUCKETS)
    assert shares.loc["b"].tolist() == [0.5, 0, 0, 0.25, 0.25]
    assert shares.loc["a"].tolist() == [0, 1, 0, 0, 0]
