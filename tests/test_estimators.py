"""Estimators by themselves: neighbours, zero-inflated models, stack, tuning, intervals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.feature_sets import FEATURE_SETS
from lib.features import public_predictors
from lib.systems import intervals, tuning
from lib.systems.neighbours import Neighbours
from lib.systems.regression import MedianRegression
from lib.systems.stack import Stack, least_absolute_weights
from lib.systems.trees import SCALES, Trees, recency_weights, years
from lib.systems.zero_inflated import (
    LEVELS,
    Hurdle,
    MultiQuantile,
    ZeroInflatedLogNormal,
    interpolate,
)

FEW = {"iterations": 15, "depth": 3, "learning_rate": 0.2}
DISTRIBUTIONS = {
    "hurdle": lambda: Hurdle(zero=FEW, positive=FEW),
    "log-normal": lambda: ZeroInflatedLogNormal(zero=FEW, positive=FEW),
    "multi-quantile": lambda: MultiQuantile(FEW),
}


@pytest.fixture(scope="module")
def train(demo):
    cases = demo.split("train").tail(600)
    return public_predictors(cases), cases["y_amount_eur"].to_numpy(float)


@pytest.fixture(scope="module")
def later(demo):
    cases = demo.split("validation")
    return public_predictors(cases), cases["y_amount_eur"].to_numpy(float)


@pytest.fixture(scope="module")
def fitted(train):
    return {name: make().fit(*train) for name, make in DISTRIBUTIONS.items()}


# Neighbours (paper Table 21)


def retrieval(cases: pd.DataFrame) -> pd.DataFrame:
    return FEATURE_SETS["retrieval"].make(cases)


@pytest.fixture(scope="module")
def neighbours(demo):
    cases = demo.split("train")
    return Neighbours().fit(retrieval(cases), cases["y_amount_eur"])


def test_neighbours_are_strictly_earlier_and_share_an_article(demo, neighbours):
    X = retrieval(pd.concat([demo.split("train").tail(150), demo.test.head(50)]))
    references = retrieval(demo.split("train")).sort_index()
    for (case, row), nearest in zip(X.iterrows(), neighbours.neighbours(X), strict=True):
        for i in nearest[nearest >= 0]:
            reference = references.iloc[i]
            assert reference["judgment_date"] < row["judgment_date"]
            assert set(reference["violated_articles"].split(";")) & set(
                row["violated_articles"].split(";")
            )
            assert reference.name != case


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_neighbours_agree_with_a_search_case_by_case(demo, metric):
    cases, asked = demo.split("train").head(300), demo.test.head(40)
    system = Neighbours(metric).fit(retrieval(cases), cases["y_amount_eur"])
    predicted = system.predict(retrieval(asked))
    references, awards = retrieval(cases).sort_index(), cases.set_index("case_id")["y_amount_eur"]
    scaled = {
        "references": system._scaled(references),
        "asked": system._scaled(retrieval(asked)),
    }
    for i, (_, row) in enumerate(retrieval(asked).iterrows()):
        found = []
        for j, (name, reference) in enumerate(references.iterrows()):
            shared = set(reference["violated_articles"].split(";")) & set(
                row["violated_articles"].split(";")
            )
            if shared and reference["judgment_date"] < row["judgment_date"]:
                a, b = scaled["asked"][i], scaled["references"][j]
                away = (
                    np.linalg.norm(a - b)
                    if metric == "euclidean"
                    else 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
                )
                found.append((round(away, 6), name))
        nearest = [name for _, name in sorted(found)[:20]]
        expected = awards[nearest].median() if nearest else awards.median()
        assert predicted[i] == pytest.approx(expected)


def test_neighbours_of_a_case_without_references_is_the_train_median(demo, neighbours):
    X = retrieval(demo.test.head(3))
    median = demo.split("train")["y_amount_eur"].median()
    for odd in (
        X.assign(violated_articles="P16-9"),
        X.assign(judgment_date=pd.Timestamp("1900-01-01")),
    ):
        assert neighbours.predict(odd).tolist() == [median] * 3
        assert (neighbours.neighbours(odd) == -1).all()


def test_neighbours_that_tie_go_by_item_id(demo):
    one = demo.split("train").head(1)
    cases = pd.concat([one.assign(case_id=f"900-{i:02d}") for i in range(30)]).sample(
        frac=1, random_state=0
    )
    system = Neighbours().fit(retrieval(cases), np.arange(30.0))
    asked = retrieval(one.assign(judgment_date=pd.Timestamp("2030-01-01")))
    assert system.neighbours(asked).tolist() == [list(range(20))]


def test_neighbours_scale_by_the_references_alone(demo, neighbours):
    X = retrieval(demo.test)
    alone = neighbours.predict(X.head(5))
    assert np.array_equal(neighbours.predict(X)[:5], alone)


# Zero-inflated and distributional models


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_quantiles_rise_with_the_level_and_are_never_negative(fitted, later, name):
    levels = np.linspace(0.01, 0.99, 99)
    found = fitted[name].predict_quantiles(later[0], levels)
    assert found.shape == (len(later[0]), 99)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (np.diff(found, axis=1) >= -1e-9).all()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_levels_of_each_case_are_those_of_the_table(fitted, later, name):
    X, levels = later[0].head(20), np.linspace(0.05, 0.95, 20)
    table = fitted[name].predict_quantiles(X, levels)
    own = fitted[name].predict_quantiles(X, levels[:, None])
    assert np.allclose(own[:, 0], np.diag(table))


def with_zeros_in_spring(X, y):
    return np.where(X["judgment_month"].between(3, 5), 0, np.clip(y, 500, None))


@pytest.mark.parametrize("name", ["hurdle", "log-normal"])
def test_prediction_is_zero_where_zero_is_at_least_even(train, later, name):
    system, X = DISTRIBUTIONS[name]().fit(train[0], with_zeros_in_spring(*train)), later[0]
    zero, predicted = system.predict_zero(X), system.predict(X)
    assert ((zero >= 0.5) == X["judgment_month"].between(3, 5)).all()
    assert (predicted[zero >= 0.5] == 0).all()
    assert (predicted[zero < 0.5] > 0).all()


def test_timeless_probability_does_not_see_when(train, later):
    system, X = Hurdle(timeless=True, zero=FEW, positive=FEW).fit(*train), later[0]
    moved = X.assign(judgment_year=1990, judgment_month=1, log1p_gdp=1.0, log1p_gdp_per_capita=1.0)
    assert np.array_equal(system.predict_zero(X), system.predict_zero(moved))
    assert not np.array_equal(system.predict(X), system.predict(moved))
    timed = Hurdle(zero=FEW, positive=FEW).fit(*train)
    assert not np.array_equal(timed.predict_zero(X), timed.predict_zero(moved))


class Mixture(Hurdle):
    """A zero-inflated log-normal whose parameters are given, not fitted."""

    def __init__(self, zero: float, mean: float, deviation: float):
        self.p, self.mean, self.deviation = zero, mean, deviation
        self.columns_ = self

    def transform(self, X):
        return X

    def predict_zero(self, X):
        return np.full(len(X), self.p)

    def _positive_quantiles(self, encoded, levels):
        from scipy.stats import norm

        return self.mean + self.deviation * norm.ppf(np.clip(levels, 1e-9, 1 - 1e-9))


@given(
    zero=st.floats(0.01, 0.95),
    mean=st.floats(5, 10),
    deviation=st.floats(0.1, 1.5),
    other=st.floats(0, 60_000),
)
@settings(max_examples=60, deadline=None)
def test_no_other_prediction_has_a_lower_expected_error(zero, mean, deviation, other):
    """Decided for absolute error: the mixture's median against any other sum, by simulation."""
    stream = np.random.default_rng(3)
    y = np.where(
        stream.random(20_000) < zero, 0, np.exp(mean + deviation * stream.standard_normal(20_000))
    )
    system = Mixture(zero, mean, deviation)
    ours = system.predict(pd.DataFrame(index=[0]))[0]
    best, error = np.abs(y - ours).mean(), np.abs(y - other).mean()
    assert best <= error * 1.01 + 1


@given(
    st.lists(st.floats(-5, 5), min_size=len(LEVELS), max_size=len(LEVELS)),
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
)
def test_interpolation_is_numpys(values, wanted):
    values = np.sort(np.array([values]), axis=1)
    found = interpolate(values, np.array(LEVELS), np.array([wanted]))
    assert np.allclose(found[0], np.interp(wanted, LEVELS, values[0]))


# Median regression


def test_median_regression_is_statsmodels_on_its_design(train):
    import statsmodels.api as sm

    X, y = train
    system = MedianRegression().fit(X, y)
    design = system._design(X).fillna(system.medians_)[system.names_]
    by_hand = sm.QuantReg(np.log1p(y), design).fit(q=0.5, max_iter=1000, p_tol=1e-5)
    assert np.allclose(system.predict(X), np.expm1(np.clip(by_hand.predict(design), 0, None)))
    terms = system.report()["coefficients"]
    assert [row["term"] for row in terms] == system.names_
    assert all(row["low"] <= row["coefficient"] <= row["high"] for row in terms)


def test_median_regression_halves_the_training_awards(train):
    """At the median as many training awards lie above as below."""
    X, y = train
    system = MedianRegression().fit(X, y)
    predicted = system.predict(X)
    assert 0.4 < (y < predicted).mean() < 0.6


# Boosting


@pytest.mark.parametrize("scale", SCALES)
def test_scales_come_back(scale):
    there, back = SCALES[scale]
    euros = np.array([0.0, 0.5, 1, 3_200, 1_000_000])
    assert np.allclose(back(there(euros)), euros)
    assert (np.diff(there(euros)) > 0).all()


def test_recency_weights_halve(train):
    X = train[0].head(3).assign(judgment_year=[2010, 2013, 2016], judgment_month=6)
    assert recency_weights(X, 3).tolist() == [0.25, 0.5, 1]
    assert recency_weights(X, None) is None
    assert years(X).tolist() == pytest.approx([2010 + 5.5 / 12, 2013 + 5.5 / 12, 2016 + 5.5 / 12])


def test_recency_moves_predictions_towards_recent_awards(train):
    X, y = train
    recent = years(X) > np.median(years(X))
    y = np.where(recent, 20_000.0, 1_000.0)
    X = X.assign(judgment_year=2015, judgment_month=6)  # the trees cannot see the time
    weighed = X.assign(judgment_year=np.where(recent, 2015, 1995))
    plain = Trees("catboost", FEW).fit(X, y).predict(X).mean()
    system = Trees("catboost", FEW, half_life=2)
    assert system.fit(weighed, y).predict(X).mean() > plain


# Stack


@given(st.integers(0, 10_000), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_stack_weights_beat_any_on_the_grid(seed, members):
    stream = np.random.default_rng(seed)
    y = stream.lognormal(8, 1, 60)
    predicted = y[:, None] * stream.lognormal(0, 0.6, (60, members))
    weights = least_absolute_weights(predicted, y)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    best = np.abs(predicted @ weights - y).mean()
    for other in stream.dirichlet(np.ones(members), 300):
        assert best <= np.abs(predicted @ other - y).mean() * (1 + 1e-6)


def test_stack_trusts_the_member_that_is_right(train):
    class Right:
        def fit(self, X, y):
            self.known = pd.Series(y, X.index)
            return self

        def predict(self, X):
            return truth[X.index].to_numpy()

    class Wrong(Right):
        def predict(self, X):
            return np.full(len(X), 1e6)

    X, y = train
    truth = pd.Series(y, X.index)
    stack = Stack({"wrong": Wrong, "right": Right}, "right").fit(X, y)
    assert stack.report() == {"weights": {"wrong": 0.0, "right": 1.0}}
    assert np.allclose(stack.predict(X), y)


def test_stack_folds_are_out_of_time(train):
    seen = []

    class Spy:
        def fit(self, X, y):
            self.last, self.n = years(X).max(), len(X)
            seen.append(self)
            return self

        def predict(self, X):
            assert years(X).min() >= self.last or self.n == len(train[0])
            return np.full(len(X), 5.0)

    X, y = train
    Stack({"spy": Spy}, "spy").fit(X.sample(frac=1, random_state=1), y)
    assert [one.n for one in seen] == [int(f * len(X)) for f in (0.55, 0.70, 0.85)] + [len(X)]


# Tuning


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([(3, 1), (2, 9), (4, 0)], 1),
        ([(2, 9), (2, 8), (3, 1)], 1),  # equal MAE: the lower MedAE
        ([(2, 8), (2, 8)], 0),  # equal in both: the first
    ],
)
def test_choice_is_by_mae_then_medae_then_order(scores, chosen):
    assert tuning.choose(scores) == chosen


def test_best_candidate_comes_fitted_with_all_scores():
    class Fixed:
        def __init__(self, value):
            self.value = value

        def fit(self, X, y):
            self.n = len(y)
            return self

        def predict(self, X):
            return np.full(len(X), float(self.value))

    validation = pd.DataFrame(index=range(3)), np.array([0.0, 10, 20])
    best, chosen, tried = tuning.fit_best(
        Fixed, [{"value": 100}, {"value": 11}, {"value": 40}], (None, [1, 2]), validation
    )
    assert (best.value, best.n, chosen) == (11, 2, {"value": 11})
    assert [one["chosen"] for one in tried] == [False, True, False]
    assert [one["validation_mae"] for one in tried] == [90.0, 7.0, 30.0]
    assert [one["validation_medae"] for one in tried] == [90.0, 9.0, 30.0]


# Conformal intervals


@given(st.integers(0, 10_000), st.floats(0.05, 0.45), st.floats(0.6, 3))
@settings(max_examples=20, deadline=None)
def test_intervals_cover_whatever_the_model_believes(seed, zero, wrong):
    """Conformal coverage holds for exchangeable cases, also where the model's spread is wrong."""
    stream = np.random.default_rng(seed)
    believed = Mixture(0.25, 8, wrong)

    def draw(n):
        y = np.exp(8 + stream.standard_normal(n))
        return pd.DataFrame(index=range(n)), np.where(stream.random(n) < zero, 0, y)

    reach = intervals.calibrate(believed, *draw(800))
    X, y = draw(4_000)
    low, high = intervals.bounds(believed, X, reach).T
    covered = ((low <= y) & (y <= high)).mean()
    assert covered >= 0.9 - 0.045  # four standard errors of the calibration


def test_distance_by_hand():
    quantiles = np.tile(1000.0 * intervals.GRID, (4, 1))  # the level is the award over 1,000
    found = intervals.distance(quantiles, np.array([500, 600, 400, 2_000]))
    assert found == pytest.approx([0, 0.1, 0.1, 0.5], abs=0.0051)
    atom = np.where(intervals.GRID < 0.6, 0.0, 1.0)[None, :]  # zero has 60%: it needs no reach
    assert intervals.distance(atom, np.array([0.0])) == pytest.approx([0])


def test_a_wider_reach_is_a_wider_interval(fitted, later):
    X = later[0]
    narrow, wide = (intervals.bounds(fitted["hurdle"], X, reach) for reach in (0.3, 0.45))
    assert (wide[:, 0] <= narrow[:, 0]).all()
    assert (wide[:, 1] >= narrow[:, 1]).all()
