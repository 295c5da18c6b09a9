"""Feature sets by name: what they hold, where it comes from, and that the contract checks them."""

import numpy as np
import pandas as pd
import pytest

from lib.errors import UserError
from lib.feature_sets import FEATURE_SETS, WITHHELD, Vocabulary, documentation
from lib.features import AWARD_SIDE, PREDICTORS, UNSEEN, check_inputs
from lib.schema import COLUMNS

HONEST = [name for name in FEATURE_SETS if name != "leaking"]


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_columns_are_those_documented_and_have_a_source(demo, name):
    features = FEATURE_SETS[name]
    made = features.make(demo.cases)
    assert list(made) == list(features.columns)
    assert made.index.tolist() == demo.cases["case_id"].tolist()
    for column, (source, how) in features.columns.items():
        assert how
        assert source in COLUMNS or (name == "leaking" and source == "award side"), column


@pytest.mark.parametrize("name", HONEST)
def test_feature_sets_keep_to_the_contract(demo, name):
    make = FEATURE_SETS[name].make
    check_inputs(make(demo.test), demo.test, make)
    for source, _ in FEATURE_SETS[name].columns.values():
        assert not AWARD_SIDE.search(source)


def test_the_leaking_set_breaks_the_contract(demo):
    make = FEATURE_SETS["leaking"].make
    with pytest.raises(UserError, match="beneficiary_type"):
        check_inputs(make(demo.test), demo.test, make)


def test_a_column_that_a_set_does_not_have_breaks_the_contract(demo):
    make = FEATURE_SETS["X1"].make
    inputs = make(demo.test)
    with pytest.raises(UserError, match="lucky"):
        check_inputs(inputs.assign(lucky=1), demo.test, make)
    award = demo.test["y_amount_eur"].to_numpy()
    with pytest.raises(UserError, match="has_child"):
        check_inputs(inputs.assign(has_child=award), demo.test, make)


@pytest.mark.parametrize("name", HONEST)
def test_awards_change_no_feature(demo, name):
    make, cases = FEATURE_SETS[name].make, demo.test
    changed = cases.assign(
        y_amount_eur=1.0, y_binary=1, target_status="retained_label",
        beneficiary_type="none", has_joint_beneficiary="no",
    )  # fmt: skip
    pd.testing.assert_frame_equal(make(cases), make(changed))


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_a_case_has_the_same_features_alone(demo, name):
    make = FEATURE_SETS[name].make
    together = make(demo.test).head(3)
    alone = pd.concat([make(demo.test.iloc[[i]]) for i in range(3)])
    pd.testing.assert_frame_equal(together, alone, check_dtype=False)


def test_sets_grow():
    x0, x1, x2 = (set(FEATURE_SETS[name].columns) for name in ("X0", "X1", "X2"))
    assert x0 < x1 < x2
    assert set(WITHHELD) == {"X0", "X1", "X2"}
    assert list(FEATURE_SETS["public"].columns) == list(PREDICTORS)


def test_columns_by_hand(demo):
    case = demo.cases.head(1).assign(
        violated_articles="6;P1-1", num_violations_found=4, violated_articles_count=2,
        applicant_sex="male;unknown", applicant_age_group="child",
        applicant_birth_years="1950;1961",
        num_applicants=4, violation_type="both", violation_duration_months=np.nan,
        applicant_nationality_scope="multiple", gdp_constant_2015_usd=np.e - 1,
    )  # fmt: skip
    row = FEATURE_SETS["X2"].make(case).iloc[0]
    assert row["article_6"] == row["article_P1-1"] == 1
    assert row["article_P1-3"] == row["article_3"] == 0
    assert (row["has_male"], row["has_female"], row["has_unknown_sex"]) == (1, 0, 1)
    assert (row["has_adult"], row["has_child"], row["has_elderly"]) == (0, 1, 0)
    assert row["median_birth_year"] == 1955.5
    assert row["known_birth_year_ratio"] == 0.5
    assert (row["procedural"], row["both_limbs"], row["procedural_only"]) == (1, 1, 0)
    assert np.isnan(row["violation_duration_months"])
    assert row["duration_missing"] == row["several_nationalities"] == 1
    assert row["log1p_gdp"] == pytest.approx(1)
    assert (row["article_set"], row["first_article"]) == ("6;P1-1", "6")
    assert row["violations_per_article"] == 2


def test_documentation_names_every_column_once():
    table = documentation(["X0", "X1", "X2"])
    assert table["column"].is_unique
    assert set(table["column"]) == set(FEATURE_SETS["X2"].columns)
    by_name = table.set_index("column")["sets"]
    assert by_name["country_alpha2"] == "X0, X1, X2"
    assert by_name["has_child"] == "X1, X2"
    assert by_name["article_set"] == "X2"


def test_vocabulary_comes_from_training_alone():
    fitted = Vocabulary().fit(pd.DataFrame({"state": ["ru", "tr"], "n": [1.0, 2.0]}))
    out = fitted.transform(pd.DataFrame({"state": ["tr", "xk"], "n": [np.nan, 7.0]}))
    assert out["state"].tolist() == ["tr", UNSEEN]
    assert list(out["state"].cat.categories) == ["ru", "tr", UNSEEN]
    assert out["n"].iloc[1] == 7.0
