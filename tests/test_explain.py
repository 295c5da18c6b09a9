"""What drives predictions: sums that must hold, and drivers planted in the data."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import explain
from lib.features import PREDICTORS, Encoder, public_predictors
from lib.systems.trees import Trees

FEW = {"iterations": 40, "depth": 3, "learning_rate": 0.2}


@pytest.fixture(scope="module")
def planted(demo):
    """A model of awards that depend on the number of applicants and nothing else."""
    X = public_predictors(demo.split("train"))
    y = 1_000.0 * X["num_applicants"].to_numpy()
    return Trees("catboost", FEW).fit(X, y), X, y


def test_groups_hold_every_predictor_once():
    members = [name for columns in explain.GROUPS.values() for name in columns]
    assert sorted(members) == sorted(PREDICTORS)


def test_every_encoded_column_comes_from_a_predictor(demo):
    X = public_predictors(demo.split("train"))
    sources = {explain.source_of(column) for column in Encoder().fit(X).transform(X)}
    assert sources == set(PREDICTORS)
    assert explain.source_of("violated_articles=6") == "violated_articles"
    assert explain.source_of("violated_articles_count") == "violated_articles_count"
    assert explain.source_of("median_birth_year_unknown") == "applicant_birth_years"


def test_shap_values_and_the_base_make_up_the_prediction(demo, planted):
    system, X, _ = planted
    X = X.head(200)
    values = explain.shap_values(system, X)
    assert values.shape == (200, 20)
    assert set(values) == set(PREDICTORS)
    rest = np.log1p(system.predict(X)) - values.sum(axis=1)
    assert rest.max() - rest.min() < 1e-5  # one base value for all


def test_the_planted_driver_comes_first_everywhere(planted):
    system, X, y = planted
    by_shap = explain.importance(explain.shap_values(system, X.head(300)))
    assert by_shap.index[0] == "num_applicants"
    assert by_shap.is_monotonic_decreasing
    table = explain.permutation_importance(system.predict, X, y, repeats=3)
    assert table.index[0] == "number of applicants"
    assert table["value"].iloc[0] > 10 * abs(table["value"].iloc[1])
    assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()


def test_shuffling_what_a_model_ignores_changes_nothing(planted):
    _, X, y = planted
    table = explain.permutation_importance(lambda X: 1_000.0 * X["num_applicants"], X, y)
    others = table.drop("number of applicants")
    assert (others == 0).all(axis=None)
    assert table.loc["number of applicants", "low"] > 0


def test_partial_dependence_of_a_known_function(planted):
    _, X, _ = planted
    table = explain.partial_dependence(
        lambda X: X["num_applicants"] * 10.0 + X["judgment_month"], X, "num_applicants", [1, 5]
    )
    months = X["judgment_month"].quantile([0.25, 0.5, 0.75]).to_numpy()
    assert table["value"].tolist() == [1, 5]
    for row, base in zip(table.itertuples(), (10, 50), strict=True):
        assert [row.low, row.median, row.high] == pytest.approx(base + months)


CENTS = st.floats(0, 1e6).map(lambda value: round(value, 2))


@given(st.lists(CENTS, min_size=1, max_size=60))
def test_concentration_is_a_lorenz_curve_from_the_top(errors):
    curve = explain.concentration(pd.Series(errors))
    assert curve.iloc[0].tolist() == [0, 0]
    assert curve["cases"].iloc[-1] == 1
    assert curve["error"].iloc[-1] == pytest.approx(1 if sum(errors) else 0)
    assert (np.diff(curve["error"]) >= 0).all()
    assert (np.diff(curve["error"], 2) <= 1e-9).all()


def test_share_of_worst_by_hand():
    errors = pd.Series([1.0] * 99 + [101.0])
    assert explain.share_of_worst(errors, 0.01) == pytest.approx(101 / 200)
    assert explain.share_of_worst(errors, 0.001) == pytest.approx(101 / 200)  # at least one case


def test_kinds_of_error_by_hand():
    cases = pd.DataFrame({"case_id": list("abcdef")})
    scored = pd.DataFrame(
        {
            "case_id": list("abcdefx"),
            "y_true": [0.0, 0, 100, 100, 100, 100, 5],
            "y_pred": [0.4, 7, 0.4, 49, 201, 120, 5],
        }
    )
    scored["abs_error"] = (scored["y_true"] - scored["y_pred"]).abs()
    kinds = explain.kind_of_error(scored["y_true"], scored["y_pred"])
    assert kinds.tolist() == [
        "zero award, recognised", "zero award, an amount predicted", "award made, zero predicted",
        "less than half of the award", "more than twice the award", "within a factor of two",
        "within a factor of two",
    ]  # fmt: skip
    table = explain.kinds_of_error(scored, cases)
    assert table["n"].sum() == 6
    assert table["case_share"].sum() == pytest.approx(1)
    assert table["error_share"].sum() == pytest.approx(1)
    assert table["kind"].iloc[0] == "more than twice the award"
    assert table["error_share"].is_monotonic_decreasing


def test_worked_examples_tell_nothing_of_the_case_but_its_id():
    largest = pd.DataFrame(
        {
            "case_id": list("abcd"),
            "y_true": [0.0, 5e5, 5e5, 5e5],
            "y_pred": [9e4, 1e3, 1e3, 1e3],
            "error": [9e4, -499e3, -499e3, -499e3],
            "num_applicants": [1, 9, 2, 1],
            "hudoc_decision_body": ["CHAMBER", "CHAMBER", "CHAMBER", "GRANDCHAMBER"],
        }
    )
    table = explain.worked_examples(largest)
    assert list(table) == ["case_id", "y_pred", "error", "kind", "unseen"]
    assert table["unseen"].is_unique
    assert "no claim" in table["unseen"].iloc[0]
