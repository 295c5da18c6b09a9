"""The bootstrap: its draws, its intervals against SciPy's, and the paired comparison by hand."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.multitest import multipletests

from lib import bootstrap, metrics

steady = settings(derandomize=True, deadline=None, max_examples=60)

FUNCTIONS = {key: metric.function for key, metric in metrics.POINT_METRICS.items()}


def awards(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    stream = np.random.default_rng(seed)
    true = np.where(stream.random(n) < 0.3, 0, stream.lognormal(8, 1.2, n).round(-2))
    return true, (true * stream.lognormal(0, 0.5, n) + stream.exponential(500, n)).round(2)


def error_frame(n: int, systems: str, seed: int = 0, missing: float = 0.0) -> pd.DataFrame:
    stream = np.random.default_rng(seed)
    errors = pd.DataFrame(stream.lognormal(8, 1, (n, len(systems))), columns=list(systems))
    return errors.mask(stream.random(errors.shape) < missing)


# Draws


@given(st.integers(1, 40), st.integers(1, 30), st.integers(0, 5), st.integers(1, 3000))
@steady
def test_block_size_changes_no_draw_and_no_mean(n, resamples, seed, block_bytes):
    blocks = list(bootstrap.resample_blocks(n, resamples, seed, block_bytes))
    whole = np.random.default_rng(seed).integers(0, n, (resamples, n))
    assert_array_equal(np.concatenate(blocks), whole)
    assert all(len(block) == 1 or block.nbytes <= block_bytes for block in blocks)
    errors = error_frame(n, "abc", seed).to_numpy()
    means = bootstrap.resampled_means(errors, resamples, seed, block_bytes)
    assert_array_equal(means, bootstrap.resampled_means(errors, resamples, seed))
    assert_allclose(means, errors[whole].mean(axis=1), rtol=1e-12)


def test_block_size_changes_no_interval(monkeypatch):
    true, pred = awards(60)
    before = bootstrap.intervals(true, pred, FUNCTIONS, 50)
    monkeypatch.setattr(bootstrap.resample_blocks, "__defaults__", (3 * 8 * 60,))
    assert bootstrap.intervals(true, pred, FUNCTIONS, 50) == before


def test_blocks_stay_small_for_a_million_cases():
    first = next(bootstrap.resample_blocks(1_000_000, 1000, 42))
    assert first.shape == (1, 1_000_000)
    assert first.max() > 999_000


def test_a_systems_means_do_not_depend_on_the_others():
    errors = error_frame(997, "abcdefg").to_numpy()
    together = bootstrap.resampled_means(errors, 20)
    for j in range(7):
        assert_array_equal(together[:, [j]], bootstrap.resampled_means(errors[:, [j]], 20))


def test_no_case_is_refused():
    with pytest.raises(ValueError, match="no case"):
        bootstrap.resampled_means(np.empty((0, 2)))
    with pytest.raises(ValueError, match="no case"):
        bootstrap.intervals(np.array([]), np.array([]), FUNCTIONS)


# Intervals


def test_intervals_equal_the_quantiles_of_metrics_on_each_resample():
    true, pred = awards(40)
    bounds = bootstrap.intervals(true, pred, FUNCTIONS, 101, seed=7, level=0.8)
    draws = np.random.default_rng(7).integers(0, 40, (101, 40))
    for key, function in FUNCTIONS.items():
        values = sorted(float(function(true[i], pred[i])) for i in draws)
        assert bounds[key] == pytest.approx((values[10], values[90]), rel=1e-9)


def test_same_seed_same_intervals_another_seed_others():
    true, pred = awards(200)
    first, again = (bootstrap.intervals(true, pred, FUNCTIONS, 100) for _ in range(2))
    assert first == again
    other = bootstrap.intervals(true, pred, FUNCTIONS, 100, seed=43)
    assert all(first[key] != other[key] for key in ("mae", "medae", "r2", "spearman"))


@pytest.mark.parametrize("key", ["mae", "medae", "spearman", "positive_f1"])
def test_intervals_agree_with_scipys(key):
    true, pred = awards(300)
    low, high = bootstrap.intervals(true, pred, FUNCTIONS, 4000)[key]
    other = stats.bootstrap(
        (true, pred), lambda y, p, axis: FUNCTIONS[key](y, p), paired=True, vectorized=True,
        method="percentile", n_resamples=4000, rng=1, batch=500,
    ).confidence_interval  # fmt: skip
    assert (low, high) == pytest.approx(tuple(other), abs=0.1 * (high - low))


def test_intervals_of_a_known_mean_cover_it_as_often_as_they_say():
    stream, zeros, inside = np.random.default_rng(3), np.zeros(60), 0
    for _ in range(300):
        low, high = bootstrap.intervals(
            zeros, stream.normal(10, 4, 60), {"bias": metrics.mean_signed_error}, 300, level=0.9
        )["bias"]
        inside += low <= 10 <= high
    assert 0.84 <= inside / 300 <= 0.95  # three standard errors about 0.9, a little below it


def test_resamples_where_a_metric_is_undefined_are_left_out():
    constant, (true, _) = np.full(30, 500.0), awards(30)
    bounds = bootstrap.intervals(true, constant, FUNCTIONS, 100)
    assert np.isnan(bounds["spearman"]).all()
    assert np.isfinite(bounds["mae"]).all()
    # Of two cases, a quarter of the resamples draw only the first.
    two = np.array([0.0, 10])
    bounds = bootstrap.intervals(
        two,
        two,
        {
            "on most": lambda y, p: np.where(y.max(axis=-1) == 0, np.nan, y.mean(axis=-1)),
            "on few": lambda y, p: np.where(y.max(axis=-1) == 0, 1.0, np.nan),
        },
    )
    assert bounds["on most"] == (5, 10)
    assert np.isnan(bounds["on few"]).all()


# Pairs


def test_paired_by_hand():
    errors = pd.DataFrame({"a": [1.0, 2, 6], "b": [4.0, 4, 4]})
    row = bootstrap.paired(errors, resamples=2000).iloc[0]
    assert (row.a, row.b, row.n, row.mae_a, row.mae_b, row.delta) == ("a", "b", 3, 3, 4, -1)
    # Δ of a resample is the mean of three draws from −3, −2, 2: its 27 outcomes, by hand.
    sums = np.add.outer(np.add.outer([-3, -2, 2], [-3, -2, 2]), [-3, -2, 2]).ravel()
    assert (row.low, row.high) == (-3, 2)
    assert row.pr_below_0 == pytest.approx((sums < 0).mean(), abs=0.03)
    assert row.p == pytest.approx(2 * stats.norm.sf(1 / (sums.std() / 3)), abs=0.03)
    assert row.verdict == "no clear difference"


def test_paired_agrees_with_scipys_bootstrap():
    errors = error_frame(300, "ab")
    row = bootstrap.paired(errors, 4000).iloc[0]
    other = stats.bootstrap(
        (errors["a"], errors["b"]), lambda a, b, axis: a.mean(axis) - b.mean(axis), paired=True,
        method="percentile", n_resamples=4000, rng=1,
    )  # fmt: skip
    width = row.high - row.low
    assert (row.low, row.high) == pytest.approx(tuple(other.confidence_interval), abs=0.06 * width)
    p = 2 * stats.norm.sf(abs(row.delta) / other.standard_error)
    assert row.p == pytest.approx(p, abs=0.03)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_swapping_a_pair_turns_the_signs_round(missing):
    errors = error_frame(80, "abc", missing=missing)
    errors["c"] *= 3
    there = bootstrap.paired(errors, 300, pairs=[("a", "b"), ("a", "c")])
    back = bootstrap.paired(errors, 300, pairs=[("b", "a"), ("c", "a")])
    assert_array_equal(there["delta"], -back["delta"])
    assert_allclose(there[["low", "high"]], -back[["high", "low"]], rtol=1e-9)
    assert_allclose(there["pr_below_0"], 1 - back["pr_below_0"], atol=1e-12)
    assert_array_equal(there[["n", "p", "p_holm"]], back[["n", "p", "p_holm"]])
    assert there["verdict"].tolist() == ["no clear difference", "A lower"]
    assert back["verdict"].tolist() == ["no clear difference", "B lower"]


@given(st.integers(2, 25), st.integers(0, 1000), st.sampled_from([0.0, 0.3, 0.7]))
@steady
def test_each_pair_is_scored_on_its_shared_cases_only(n, seed, missing):
    errors = error_frame(n, "abcd", seed, missing)
    table = bootstrap.paired(errors, 20)
    assert list(zip(table["a"], table["b"], strict=True)) == list(combinations("abcd", 2))
    for k, (a, b) in enumerate(combinations("abcd", 2)):
        shared = errors[[a, b]].dropna()
        alone = bootstrap.paired(shared, 20)
        columns = ["n", "mae_a", "mae_b", "delta", "low", "high", "pr_below_0", "p"]
        assert_frame_equal(table.loc[[k], columns].reset_index(drop=True), alone[columns])
        if len(shared):
            delta = shared[a].mean() - shared[b].mean()
            assert table.loc[k, "delta"] == pytest.approx(delta)
            draws = np.random.default_rng(42).integers(0, len(shared), (20, len(shared)))
            means = (shared[a] - shared[b]).to_numpy()[draws].mean(axis=1)
            assert table.loc[k, "low"] == pytest.approx(np.quantile(means, 0.025), abs=1e-6)


def test_pairs_without_a_shared_case_have_no_result_and_are_not_counted():
    errors = error_frame(40, "abc")
    errors.loc[:19, "a"] = np.nan
    errors.loc[20:, "b"] = np.nan
    table = bootstrap.paired(errors, 100).set_index(["a", "b"])
    assert table["n"].tolist() == [0, 20, 20]
    assert table.loc[("a", "b")].drop(["n", "verdict"]).isna().all()
    assert table.loc[("a", "b"), "verdict"] == "no clear difference"
    rest = table.drop(("a", "b"))
    assert_array_equal(rest["p_holm"], bootstrap.holm(rest["p"].to_numpy()))


def test_one_shared_case_is_no_evidence():
    row = bootstrap.paired(pd.DataFrame({"a": [5.0, np.nan], "b": [9000.0, 1.0]})).iloc[0]
    assert (row.n, row.delta, row.low, row.high) == (1, -8995, -8995, -8995)
    assert np.isnan(row.p)
    assert row.verdict == "no clear difference"


@pytest.mark.parametrize("others", range(6))
def test_two_equal_systems_differ_in_no_resample(others):
    errors = error_frame(499, "abcdefg"[: others + 1]).assign(same=lambda e: e["a"])
    row = bootstrap.paired(errors, 100, pairs=[("a", "same")]).iloc[0]
    assert (row.delta, row.low, row.high, row.pr_below_0, row.p) == (0, 0, 0, 0, 1)


def test_a_constant_difference_is_clear():
    errors = error_frame(50, "a").assign(b=lambda e: e["a"] + 1024)
    row = bootstrap.paired(errors, 100).iloc[0]
    assert (row.pr_below_0, row.verdict) == (1, "A lower")
    assert row.p == pytest.approx(0)


def test_verdicts_need_the_corrected_p_below_the_level():
    stream = np.random.default_rng(5)
    base = stream.lognormal(8, 1, 200)
    shifts = {"a": 0, "b": 22, "c": 2000}  # b: p between 0.025 and 0.05
    errors = pd.DataFrame(
        {s: base + shift + 150 * (s != "a") * stats.zscore(stream.normal(size=200))
         for s, shift in shifts.items()}
    )  # fmt: skip
    alone = bootstrap.paired(errors, pairs=[("a", "b")]).iloc[0]
    assert 0.025 < alone.p < 0.05
    assert alone.verdict == "A lower"
    assert bootstrap.paired(errors, level=0.99, pairs=[("a", "b")]).verdict.item() == (
        "no clear difference"
    )
    among = bootstrap.paired(errors, pairs=[("a", "b"), ("c", "a"), ("b", "a")])
    assert among["verdict"].tolist() == ["no clear difference", "B lower", "no clear difference"]


def test_pairs_of_unknown_systems_and_of_none():
    errors = error_frame(5, "ab")
    with pytest.raises(KeyError, match="z"):
        bootstrap.paired(errors, pairs=[("a", "z")])
    assert bootstrap.paired(errors[["a"]]).empty
    assert list(bootstrap.paired(errors[["a"]])) == list(bootstrap.paired(errors, 5))


def test_square_turns_each_row_both_ways():
    errors = error_frame(60, "abc")
    errors["b"] += 50_000
    table = bootstrap.paired(errors, 100, pairs=[("a", "b"), ("a", "c")])
    delta, clear = bootstrap.square(table, ["c", "b", "a"])
    assert delta.loc["a", "b"] == table.loc[0, "delta"] == -delta.loc["b", "a"] < -40_000
    assert delta.loc["c", "a"] == -table.loc[1, "delta"]
    assert delta.isna().to_numpy().sum() == 3 + 2  # the diagonal, and b with c
    assert clear.loc["a", "b"]
    assert clear.loc["b", "a"]
    assert clear.to_numpy().sum() == 2


# p-values


def test_two_sided_equals_the_normal_tail():
    delta, error = np.array([-196.0, 50, 0, 0, 3, -3]), np.array([100.0, 100, 10, 0, 0, 0])
    expected = [2 * stats.norm.sf(1.96), 2 * stats.norm.sf(0.5), 1, 1, 0, 0]
    assert_allclose(bootstrap.two_sided(delta, error), expected, rtol=1e-12)


P_VALUES = st.one_of(
    st.integers(0, 10**6).map(lambda p: p / 10**6), st.integers(0, 10).map(lambda p: p / 10)
)


@given(st.lists(st.one_of(P_VALUES, st.just(np.nan)), max_size=30).map(np.array))
@settings(steady, max_examples=25)  # statsmodels takes 25 ms a call
def test_holm_equals_statsmodels(p):
    known = ~np.isnan(p)
    adjusted = bootstrap.holm(p)
    assert_array_equal(np.isnan(adjusted), ~known)
    if known.any():
        assert_allclose(adjusted[known], multipletests(p[known], method="holm")[1], rtol=1e-12)
