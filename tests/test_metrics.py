"""Each metric by hand, and against scikit-learn, SciPy or a formula of another shape."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import metrics as theirs

from lib import metrics
from lib.metrics import POINT_METRICS as POINT
from lib.metrics import PROBABILISTIC_METRICS

steady = settings(derandomize=True, deadline=None, max_examples=60)

# Few distinct values, so that ties, zeros and constants are common; the €0.50 edge; large values.
EUROS = st.one_of(
    st.sampled_from([0.0, 0.49, 0.5, 1.0, 1500.0, 1500.01, 5e6]),
    st.integers(0, 10**11).map(lambda cents: cents / 100),
)


def samples(least=1, most=30, values=EUROS, probability=EUROS):
    """Two samples of one length as arrays."""
    pairs = st.lists(st.tuples(values, probability), min_size=least, max_size=most)
    return pairs.map(lambda rows: tuple(np.array(rows).T))


PROBABILITIES = samples(probability=st.integers(0, 8).map(lambda eighths: eighths / 8))

TRUE = [0, 0, 1000, 3000, 6000]
PRED = [0, 400, 1000, 2000, 9000]  # errors 0, 400, 0, −1000, 3000
BY_HAND = {
    "mae": 4400 / 5,
    "rmse": np.sqrt((400**2 + 1000**2 + 3000**2) / 5),
    "medae": 400,
    "p95_ae": 1000 + 0.8 * 2000,  # position 0.95 × 4 = 3.8 of 0, 0, 400, 1000, 3000
    "r2": 1 - 10_160_000 / 26_000_000,  # about the mean of 2000: 4 + 4 + 1 + 1 + 16 million
    "pearson": 36_200_000 / np.sqrt(26_000_000 * 55_408_000),  # 61 − 5 × 2 × 2.48 = 36.2 million
    "spearman": 9.5 / np.sqrt(9.5 * 10),  # ranks 1.5 1.5 3 4 5 and 1 2 3 4 5
    "zero_f1": 2 * 1 / (2 + 1),
    "positive_f1": 2 * 3 / (3 + 4),
    "male": (np.log(401) + np.log(3001 / 2001) + np.log(9001 / 6001)) / 5,
    "bias": 2400 / 5,
}


@pytest.mark.parametrize("key", POINT)
def test_by_hand(key):
    assert POINT[key].function(TRUE, PRED) == pytest.approx(BY_HAND[key], rel=1e-12)


def test_score_gives_every_point_metric_as_a_float():
    scores = metrics.score(TRUE, PRED)
    assert list(scores) == list(POINT)
    assert scores == pytest.approx(BY_HAND, rel=1e-12)
    assert {type(value) for value in scores.values()} == {float}


def f1(true, pred):
    return theirs.f1_score(true, pred, zero_division=0.0)


INDEPENDENT = {
    "mae": theirs.mean_absolute_error,
    "rmse": theirs.root_mean_squared_error,
    "medae": theirs.median_absolute_error,
    "p95_ae": lambda y, p: stats.mstats.mquantiles(abs(y - p), 0.95, alphap=1, betap=1)[0],
    "r2": theirs.r2_score,
    "pearson": lambda y, p: stats.pearsonr(y, p).statistic,
    "spearman": lambda y, p: stats.spearmanr(y, p).statistic,
    "zero_f1": lambda y, p: f1(y == 0, p < 0.5),
    "positive_f1": lambda y, p: f1(y > 0, p >= 0.5),
    "male": lambda y, p: theirs.mean_absolute_error(np.log(1 + y), np.log(1 + p)),
    "bias": lambda y, p: np.mean(p) - np.mean(y),
}


@pytest.mark.parametrize("key", POINT)
@given(samples(least=2))
@steady
def test_equals_an_independent_implementation(key, pair):
    true, pred = pair
    needs = {"r2": [true], "pearson": [true, pred], "spearman": [true, pred]}.get(key, [])
    assume(all(np.ptp(one) > 0 for one in needs))
    scale = pair[0].max() + pair[1].max() + 1 if POINT[key].unit else 1
    ours = POINT[key].function(true, pred)
    assert_allclose(ours, INDEPENDENT[key](true, pred), rtol=1e-7, atol=1e-9 * scale)


@pytest.mark.parametrize("key", POINT)
@given(st.data(), st.integers(1, 12), st.integers(1, 5))
@steady
def test_a_batch_equals_single_calls(key, data, n, k):
    rows = st.lists(EUROS, min_size=n * k, max_size=n * k)
    true, pred = (np.array(data.draw(rows)).reshape(k, n) for _ in range(2))
    function = POINT[key].function
    assert_allclose(
        function(true, pred), [function(*row) for row in zip(true, pred, strict=True)], rtol=1e-12
    )
    assert_allclose(
        function(true[0], pred), [function(true[0], row) for row in pred], rtol=1e-12
    )  # one sample of awards against several predictions


@given(st.integers(1, 4).flatmap(lambda k: st.lists(st.lists(EUROS, min_size=7, max_size=7),
                                                    min_size=k, max_size=k)))  # fmt: skip
@steady
def test_ranks_equal_scipys_exactly(rows):
    assert_array_equal(metrics._ranks(np.array(rows)), stats.rankdata(rows, axis=-1))


@given(samples())
@steady
def test_a_perfect_prediction(pair):
    true, _ = pair
    scores = metrics.score(true, true)
    for key in ("mae", "rmse", "medae", "p95_ae", "male", "bias"):
        assert scores[key] == 0
    for key in ("r2", "pearson", "spearman"):
        assert scores[key] == pytest.approx(1) if np.ptp(true) else np.isnan(scores[key])


@pytest.mark.parametrize("constant", [0.0, 0.1, 1234.56, 1e9 / 3])  # 3 × 0.1 / 3 is not 0.1
@pytest.mark.parametrize("n", [1, 3, 10, 49])
def test_undefined_for_constants(constant, n):
    same, other = np.full(n, constant), np.arange(n) * 7.7
    for function in (metrics.pearson, metrics.spearman):
        assert np.isnan(function(same, other))
        assert np.isnan(function(other, same))
    assert np.isnan(metrics.r2(same, other))
    batch = metrics.pearson(np.stack([same, np.arange(n)]), other)
    assert np.isnan(batch[0])
    assert n == 1 or batch[1] == pytest.approx(1)


def test_r2_of_the_mean_is_0_and_of_worse_is_negative():
    assert metrics.r2([0, 0, 3000], [1000, 1000, 1000]) == 0
    assert metrics.r2([0, 0, 3000], [3000, 3000, 0]) == pytest.approx(1 - 27 / 6)


def test_correlations_ignore_scale_and_spearman_any_monotone_change():
    true, pred = np.array([0, 1, 4, 9, 9.5]), np.array([2, 1, 3, 3, 8])
    assert metrics.pearson(1e9 * true + 5, 1e-6 * pred) == pytest.approx(
        metrics.pearson(true, pred)
    )
    assert metrics.spearman(np.exp(true), pred**3) == metrics.spearman(true, pred)
    assert metrics.spearman(true, -pred) == pytest.approx(-metrics.spearman(true, pred))


@pytest.mark.parametrize(
    ("true", "pred", "zero", "positive"),
    [
        ([0, 1000], [0.49, 0.5], 1, 1),  # below €0.50 is zero, from €0.50 on positive
        ([0, 1000], [0.5, 0.49], 0, 0),
        ([0, 0], [0.5, 0], 2 / 3, 0),
        ([1000, 2000], [1, 2], 0, 1),  # no zero anywhere: 0, as scikit-learn's zero_division=0
        ([0, 0], [0, 0], 1, 0),
        ([0.3, 0], [0.3, 0], 2 / 3, 0),  # an award below €0.50 is positive; no prediction can be
    ],
)
def test_f1_at_the_edge(true, pred, zero, positive):
    assert metrics.zero_f1(true, pred) == pytest.approx(zero)
    assert metrics.positive_f1(true, pred) == pytest.approx(positive)


@pytest.mark.parametrize("key", POINT)
@pytest.mark.parametrize("pair", [([], []), ([1, 2], [1]), ([1, 2, 3], [[1, 2], [3, 4]]), (1, 1)])
def test_refuses_empty_and_unequal_samples(key, pair):
    with pytest.raises(ValueError, match="two samples of one length"):
        POINT[key].function(*pair)


# P(zero)


def test_zero_probabilities_by_hand():
    true, p_zero = [0, 0, 500, 900], [0.9, 0.4, 0.4, 0.1]
    assert metrics.auroc_zero(true, p_zero) == 3.5 / 4  # 4 pairs, one of them tied
    assert metrics.average_precision_zero(true, p_zero) == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert metrics.brier_zero(true, p_zero) == pytest.approx((0.01 + 0.36 + 0.16 + 0.01) / 4)


@given(PROBABILITIES)
@steady
def test_zero_probabilities_equal_scikit_learns(pair):
    true, p_zero = pair
    zero = true == 0
    assert_allclose(metrics.brier_zero(true, p_zero), theirs.brier_score_loss(zero, p_zero))
    if not zero.any():
        assert np.isnan(metrics.average_precision_zero(true, p_zero))
        assert np.isnan(metrics.auroc_zero(true, p_zero))
        return
    ap = theirs.average_precision_score(zero, p_zero)
    assert_allclose(metrics.average_precision_zero(true, p_zero), ap)
    auroc = np.nan if zero.all() else theirs.roc_auc_score(zero, p_zero)
    assert_allclose(metrics.auroc_zero(true, p_zero), auroc)


# Quantiles and intervals


def test_pinball_by_hand():
    assert metrics.pinball([1000, 1000], [600, 1200], 0.9) == pytest.approx((360 + 20) / 2)
    assert metrics.pinball(TRUE, PRED, 0.5) == BY_HAND["mae"] / 2


@given(samples(), st.integers(1, 99))
@steady
def test_pinball_equals_scikit_learns(pair, percent):
    theirs_is = theirs.mean_pinball_loss(*pair, alpha=percent / 100)
    assert_allclose(metrics.pinball(*pair, percent / 100), theirs_is, rtol=1e-9)


@pytest.mark.parametrize("level", [0, 1, -0.1, 95])
def test_pinball_refuses_levels_outside_0_to_1(level):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        metrics.pinball([1], [1], level)


def test_intervals_by_hand():
    true, low, high = [100, 200, 300, 400], [100, 0, 301, 0], [150, 200, 400, 399]
    assert metrics.interval_coverage(true, low, high) == 0.5  # both ends count as inside
    assert metrics.interval_width(low, high) == (50 + 200 + 99 + 399) / 4
    for bounds in (([1], [2, 3, 4, 5]), ([1, 2, 3, 4], [5])):
        with pytest.raises(ValueError, match="one length"):
            metrics.interval_coverage(true, *bounds)


def test_crps_by_hand():
    # One case of €10, quantiles 4 and 12 at 0.25 and 0.75: losses 1.5 and 0.5, held to the ends,
    # 2 × (0.25 × 1.5 + 0.5 × 1 + 0.25 × 0.5).
    assert metrics.crps_from_quantiles([10], [[4, 12]], [0.25, 0.75]) == pytest.approx(2)
    assert metrics.crps_from_quantiles([10, 10], [[4], [13]], [0.5]) == 4.5  # one level: MAE


@given(samples(), st.lists(st.integers(1, 99), min_size=1, max_size=9, unique=True).map(sorted))
@steady
def test_crps_of_a_point_mass_is_near_its_absolute_error(pair, percents):
    """Equal quantiles q: twice the mean pinball loss over the levels, by another integration."""
    true, q = pair
    levels = np.array(percents) / 100
    over = np.interp(np.linspace(0, 1, 100_001), levels, levels)  # constant outside, linear inside
    slope = np.mean(over), np.mean(1 - over)
    expected = 2 * np.mean(np.where(true > q, slope[0], slope[1]) * np.abs(true - q))
    ours = metrics.crps_from_quantiles(true, np.tile(q[:, None], len(levels)), levels)
    assert_allclose(ours, expected, rtol=1e-4, atol=1e-9)


def test_crps_of_many_quantiles_is_that_of_the_distribution():
    levels = np.arange(1, 1000) / 1000
    quantiles = np.tile(stats.norm.ppf(levels), (3, 1))
    z = np.array([-1.5, 0, 0.7])
    exact = z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi)
    assert metrics.crps_from_quantiles(z, quantiles, levels) == pytest.approx(
        exact.mean(), abs=1e-3
    )


@pytest.mark.parametrize(
    ("quantiles", "levels"),
    [
        ([[1, 2]], [0.5]),
        ([[1, 2], [1, 2]], [0.1, 0.9]),
        ([[1, 2]], [0.9, 0.1]),
        ([[1, 2]], [0.5, 0.5]),
        ([[1, 2]], [0.5, 1.0]),
        ([[]], []),
    ],
)
def test_crps_refuses(quantiles, levels):
    with pytest.raises(ValueError, match=r"quantile|matmul"):
        metrics.crps_from_quantiles([1], quantiles, levels)


def test_score_uncertainty_takes_what_the_columns_allow():
    true = np.array([0.0, 100, 200])
    q = {"q05": [0.0, 50, 250], "q50": [10.0, 100, 300], "q95": [50.0, 90, 400]}
    full = pd.DataFrame({"p_zero": [0.8, 0.1, 0.2], **q})
    scores = metrics.score_uncertainty(true, full)
    assert list(scores) == list(PROBABILISTIC_METRICS)
    assert scores["auroc_zero"] == scores["ap_zero"] == 1
    assert scores["brier_zero"] == pytest.approx((0.04 + 0.01 + 0.04) / 3)
    assert scores["coverage_90"] == pytest.approx(1 / 3)
    assert scores["width_90"] == pytest.approx((50 + 40 + 150) / 3)
    assert scores["pinball_50"] == pytest.approx(110 / 2 / 3)
    assert scores["crps"] == metrics.crps_from_quantiles(
        true, full[["q05", "q50", "q95"]].to_numpy(), [0.05, 0.5, 0.95]
    )
    assert metrics.score_uncertainty(true, full[["q50"]]) == {"pinball_50": scores["pinball_50"]}
    gap = full.assign(p_zero=[0.8, np.nan, 0.2], q95=np.nan)[["q95", "q50", "q05", "p_zero"]]
    assert set(metrics.score_uncertainty(true, gap)) == {"pinball_50", "crps"}
    assert metrics.score_uncertainty(true, full.assign(q00=0.0)) == scores
    assert metrics.score_uncertainty(true, pd.DataFrame({"y_pred": true})) == {}


def test_scoring_imports_nothing_slow():
    code = (
        "import sys; from lib import bootstrap, metrics; import numpy as np; import pandas as pd\n"
        "y = np.array([0., 1, 2]); functions = {k: m.function for k, m in "
        "metrics.POINT_METRICS.items()}\n"
        "bootstrap.intervals(y, y, functions, 5)\n"
        "bootstrap.paired(pd.DataFrame({'a': y, 'b': 1}))\n"
        "metrics.score_uncertainty(y, pd.DataFrame({'p_zero': y / 2}))\n"
        "slow = {'sklearn', 'scipy.stats', 'pandera', 'statsmodels'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
