"""Calibration, held against scikit-learn, statsmodels and counting by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from lib import breakdowns, calibration
from lib.metrics import ZERO_BELOW_EUR


def scored(n: int = 400, seed: int = 0, system: str = "a") -> pd.DataFrame:
    """A scored frame of one system whose probabilities of zero are true."""
    stream = np.random.default_rng(seed)
    p = stream.beta(1, 3, n)
    y = np.where(stream.random(n) < p, 0, np.round(stream.lognormal(8, 1, n)))
    pred = np.round(stream.lognormal(8, 0.5, n), 2)
    return pd.DataFrame(
        {
            "case_id": [f"900-{i:06d}" for i in range(n)],
            "system": system,
            "y_true": y,
            "y_pred": pred,
            "error": pred - y,
            "abs_error": np.abs(pred - y),
            "p_zero": p,
            "q05": pred / 4,
            "q95": pred * 4,
        }
    )


@given(st.integers(0, 50), st.integers(1, 50), st.sampled_from([0.9, 0.95]))
def test_wilson_is_statsmodels(hits, more, level):
    n = hits + more
    low, high = calibration.wilson(hits, n, level)
    expected = proportion_confint(hits, n, 1 - level, "wilson")
    assert (float(low), float(high)) == pytest.approx(expected, abs=1e-9)


def test_wilson_of_nothing_is_unknown():
    assert np.isnan(calibration.wilson(np.array([0]), np.array([0]))).all()


def test_curves_enclose_the_area_that_scikit_learn_reports():
    frame = scored()
    zero = frame["y_true"] == 0
    roc = calibration.roc(frame)
    area = np.trapezoid(roc["true_positive_rate"], roc["false_positive_rate"])
    assert area == pytest.approx(roc_auc_score(zero, frame["p_zero"]))
    curve = calibration.precision_recall(frame)
    steps = -np.diff(curve["recall"]) @ curve["precision"][:-1]
    assert steps == pytest.approx(average_precision_score(zero, frame["p_zero"]))


def test_auroc_interval_is_the_bootstrap_with_scikit_learn():
    frame = scored(120).assign(p_zero=lambda f: f["p_zero"].round(1))  # with ties
    found = calibration.auroc_intervals(frame, ["a"], resamples=200, seed=5).loc["a"]
    stream, areas = np.random.default_rng(5), []
    for _ in range(200):
        drawn = frame.iloc[stream.integers(0, len(frame), len(frame))]
        areas.append(roc_auc_score(drawn["y_true"] == 0, drawn["p_zero"]))
    assert found.tolist() == pytest.approx(np.quantile(areas, [0.025, 0.975]))


def test_auroc_interval_of_one_class_is_unknown():
    found = calibration.auroc_intervals(scored().assign(y_true=5.0), ["a"])
    assert found.isna().all(axis=None)


def test_reliability_by_hand():
    frame = pd.DataFrame({"p_zero": [0.9, 0.1, 0.8, 0.2], "y_true": [0.0, 5, 3, 7]})
    table = calibration.reliability(frame, bins=2)
    assert table["n"].tolist() == [2, 2]
    assert table["predicted"].tolist() == pytest.approx([0.15, 0.85])
    assert table["observed"].tolist() == [0, 0.5]
    assert table.loc[1, ["low", "high"]].tolist() == pytest.approx(
        proportion_confint(1, 2, method="wilson")
    )


def test_true_probabilities_are_reliable_and_false_ones_are_not():
    frame = scored(20_000)
    table = calibration.reliability(frame)
    assert np.abs(table["predicted"] - table["observed"]).max() < 0.04
    wrong = calibration.reliability(frame.assign(p_zero=frame["p_zero"] ** 0.3))
    assert np.abs(wrong["predicted"] - wrong["observed"]).max() > 0.15


@given(st.integers(1, 60), st.integers(1, 12))
@settings(deadline=None)
def test_bins_have_equal_sizes_and_all_cases(n, bins):
    table = calibration.reliability(scored(n), bins)
    assert table["n"].sum() == n
    assert table["n"].max() - table["n"].min() <= 1
    assert table["predicted"].is_monotonic_increasing


def test_magnitude_by_hand():
    frame = pd.DataFrame({"y_pred": [4.0, 1, 3, 2], "y_true": [40.0, 10, 50, 0]})
    table = calibration.magnitude(frame, bins=2, resamples=200)
    assert table["n"].tolist() == [2, 2]
    assert table["predicted"].tolist() == [1.5, 3.5]
    assert table["realised"].tolist() == [5, 45]
    assert table["mean_realised"].tolist() == [5, 45]
    assert (table["low"] <= table["realised"]).all()
    assert (table["high"] >= table["realised"]).all()


@given(st.lists(st.sampled_from([0, 0.49, 0.5, 1, 5_000, 5_000.01, 20_000, 1e6]), min_size=1))
def test_award_bands_are_those_of_the_breakdown(amounts):
    cases = pd.DataFrame({"y_amount_eur": np.where(np.array(amounts) < ZERO_BELOW_EUR, 0, amounts)})
    groups = breakdowns.award_ranges(cases)
    expected = [int(np.argmax(row)) for row in groups.to_numpy()]
    assert calibration.award_band(np.array(amounts)).tolist() == expected


def test_near_predictions_by_hand():
    frame = pd.DataFrame(
        {
            "system": "a",
            "y_true": [0.0, 0, 1000, 1000, 1000, 1000],
            "y_pred": [0.2, 1, 750, 749, 1500, 1501],
        }
    )
    row = calibration.bands(frame).loc["a"]
    assert row["n"] == 6
    assert row["within_25"] == pytest.approx(2 / 6)
    assert row["within_50"] == pytest.approx(4 / 6)
    assert row["same_band"] == 0.5  # €1,000 is an edge, and belongs below
    assert (row["within_50_low"], row["within_50_high"]) == pytest.approx(
        proportion_confint(4, 6, method="wilson")
    )


def test_coverage_by_hand():
    frame = scored(4).assign(
        y_true=[1.0, 5, 10, 20], q05=[0.0, 6, 0, 0], q95=[1.0, 9, 9, 40], case_id=list("abcd")
    )
    cases = pd.DataFrame({"case_id": list("dcba")})
    groups = pd.DataFrame({"all": [True] * 4, "b and c": [False, True, True, False], "none": False})
    table = calibration.coverage(frame, cases, groups)
    assert table.loc["all", "value"] == 0.5
    assert table.loc["all", ["above", "below"]].tolist() == [0.25, 0.25]
    assert table.loc["b and c", "value"] == 0
    assert table.loc["all", "width"] == np.median([1, 3, 9, 40])
    assert table.loc["none", "n"] == 0
    assert np.isnan(table.loc["none", "value"])


def test_coverage_leaves_out_cases_that_a_system_does_not_score():
    frame = scored(10)
    cases = pd.DataFrame({"case_id": frame["case_id"]})
    groups = pd.DataFrame({"all": [True] * 10})
    assert calibration.coverage(frame.head(6), cases, groups).loc["all", "n"] == 6


def test_drift_by_hand():
    cases = pd.DataFrame(
        {
            "case_id": list("abcd"),
            "judgment_date": pd.to_datetime(
                ["2022-06-30", "2022-07-01", "2022-12-31", "2022-01-01"]
            ),
        }
    )
    frame = pd.DataFrame(
        {
            "case_id": list("abcd"),
            "y_true": [0.0, 99, 99, 9],
            "y_pred": [50.0, 99, 999, 99],
            "error": [50.0, 0, 900, 90],
            "p_zero": [0.5, 0.1, 0.3, 0.1],
        }
    )
    table = calibration.drift(frame, cases, resamples=50)
    assert table.index.tolist() == ["2022 H1", "2022 H2"]
    assert table["n"].tolist() == [2, 2]
    assert table["median_log"].tolist() == pytest.approx([np.log(10), np.log(10) / 2])
    assert table["mean_error"].tolist() == [70, 450]
    assert table["zero_share"].tolist() == [0.5, 0]
    assert table["p_zero"].tolist() == pytest.approx([0.3, 0.2])
    assert calibration.ratio(table["median_log"]).tolist() == pytest.approx([10, np.sqrt(10)])


def test_trend():
    assert calibration.trend(pd.Series([1.0, 2, 3])) == 1
    assert calibration.trend(pd.Series([3.0, np.nan, 1])) == -1
    assert np.isnan(calibration.trend(pd.Series([1.0, 1, 1])))


def test_with_column_asks_for_every_case():
    both = pd.concat([scored(10), scored(10, system="b"), scored(10, system="c")])
    both.loc[both["system"] == "b", "p_zero"] = np.nan
    both.loc[(both["system"] == "c") & (both["case_id"] == "900-000003"), "p_zero"] = np.nan
    assert calibration.with_column(both, "p_zero") == ["a"]
    assert calibration.with_column(both.drop(columns="p_zero"), "p_zero") == []
