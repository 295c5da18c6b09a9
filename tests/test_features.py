import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import features
from lib.errors import UserError
from lib.features import FORBIDDEN, PREDICTORS, UNSEEN, Encoder, check_inputs, public_predictors

steady = settings(derandomize=True, deadline=None, max_examples=25)


@pytest.fixture(scope="module", name="X")
def predictors_of_the_demo(demo):
    return public_predictors(demo.cases)


def refusal(inputs, cases) -> str:
    with pytest.raises(UserError) as refused:
        check_inputs(inputs, cases)
    return str(refused.value)


# The predictors


def test_predictors_are_the_public_ones_and_nothing_else(demo):
    before = demo.cases.copy(deep=True)
    X = public_predictors(demo.cases)
    pd.testing.assert_frame_equal(demo.cases, before)
    assert list(X) == list(PREDICTORS)
    assert len(PREDICTORS) == 20
    assert not set(FORBIDDEN) & set(PREDICTORS.values())
    assert X.index.tolist() == demo.cases["case_id"].tolist()


def test_derived_predictors_by_hand(demo):
    cases = demo.cases.head(2).assign(
        judgment_date=pd.to_datetime(["2001-02-28", "2020-12-01"]),
        gdp_per_capita_current_usd=[0.0, np.e - 1],
        gdp_constant_2015_usd=[np.e**2 - 1, 0.0],
    )
    X = public_predictors(cases)
    assert X["judgment_year"].tolist() == [2001, 2020]
    assert X["judgment_month"].tolist() == [2, 12]
    assert X["log1p_gdp_per_capita"].tolist() == pytest.approx([0, 1])
    assert X["log1p_gdp"].tolist() == pytest.approx([2, 0])


# The input contract


@pytest.mark.parametrize("split", ["train", "validation", "test", "all", "first three"])
def test_predictors_of_the_demo_pass(demo, split):
    whole = {"all": demo.cases, "first three": demo.cases.head(3)}
    cases = whole.get(split, demo.split(split))
    check_inputs(public_predictors(cases), cases)


@pytest.mark.official
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_predictors_of_the_official_release_pass(official, split):
    cases = official.split(split)
    check_inputs(public_predictors(cases).sample(frac=1, random_state=0), cases)


@pytest.mark.parametrize(
    "name",
    [
        *FORBIDDEN,
        "Award",
        "claimed_EUR",
        "n_claims",
        "beneficiaries",
        "status2",
        "Split",
        "my_view",
    ],
)
def test_refused_by_name(demo, X, name):
    constant = pd.Series("x", index=X.index)  # the values give nothing away
    message = refusal(X.assign(**{name: constant}), demo.cases)
    assert "by name" in message
    assert name in message
    assert "by value" not in message


RECODINGS = {
    "log1p": ("y_amount_eur", np.log1p),
    "doubled": ("y_amount_eur", lambda y: y * 2),
    "as text": ("y_amount_eur", lambda y: y.astype(str)),
    "negated": ("y_amount_eur", lambda y: -y),
    "ranked": ("y_amount_eur", lambda y: y.rank()),
    "standardised": ("y_amount_eur", lambda y: (np.log1p(y) - 6.7) / 3.7),
    "in thousands": ("y_amount_eur", lambda y: (y / 1000).round()),
    "cut": ("y_amount_eur", lambda y: pd.cut(y, [-1, 0, 5000, 1e9]).astype(str)),
    "zero or not": ("y_amount_eur", lambda y: y == 0),
    "missing where zero": ("y_amount_eur", lambda y: y.where(y > 0)),
    "binary as text": ("y_binary", lambda b: b.map({0: "no", 1: "yes"})),
    "split as numbers": ("split", lambda s: s.map({"train": 3, "validation": 1, "test": 2})),
    "view as letters": ("test_view", lambda v: v.str[-1]),
    "challenging": ("test_challenging_view", lambda v: v == "yes"),
    "status": ("target_status", lambda s: s.str.len()),
    "lists": ("beneficiary_type", lambda kinds: kinds.str.split(";")),
    "joint": ("has_joint_beneficiary", lambda joint: joint.str.upper()),
}


@pytest.mark.parametrize("under", ["x1", "num_applicants"])
@pytest.mark.parametrize(("hidden", "recode"), RECODINGS.values(), ids=RECODINGS)
def test_refused_by_value(demo, X, hidden, recode, under):
    status = np.where(np.arange(len(X)) % 7, "retained_label", "corrected_amount")
    cases = demo.cases.assign(target_status=status)  # the demo has one status only
    told = recode(cases.set_index("case_id")[hidden])
    shuffled = X.assign(**{under: told}).sample(frac=1, random_state=1)
    message = refusal(shuffled, cases)
    assert "by value" in message
    assert f"{under} tells {hidden}" in message


@steady
@given(seed=st.integers(0, 10**6), under=st.sampled_from(["feature", "judgment_month"]))
def test_no_relabelling_of_awards_passes(demo, X, seed, under):
    award = demo.cases.set_index("case_id")["y_amount_eur"]
    values = award.unique()
    codes = dict(zip(values, np.random.default_rng(seed).permutation(len(values)), strict=True))
    assert f"{under} tells y_amount_eur" in refusal(
        X.assign(**{under: award.map(codes)}), demo.cases
    )


@steady
@given(st.lists(st.floats(0, 40_000), min_size=1, max_size=6))
def test_no_cut_of_awards_passes(demo, X, edges):
    award = demo.cases.set_index("case_id")["y_amount_eur"]
    cut = np.searchsorted(np.sort(edges), award)  # the largest award is above every edge
    message = refusal(X.assign(num_applicants=cut), demo.cases)
    assert "num_applicants tells y_amount_eur" in message


def test_imputed_predictors_pass(demo, X):
    filled = X.fillna({"violation_duration_months": 24.0})
    check_inputs(filled.astype({"judgment_year": "float64"}), demo.cases)


def test_every_problem_is_listed(demo, X):
    award = demo.cases.set_index("case_id")["y_amount_eur"]
    inputs = X.assign(y_binary=1, total_award=award, num_applicants=award + 1, colour="red")
    inputs = pd.concat([inputs, X[["represented"]]], axis=1)
    inputs.index = [*inputs.index[:-1], "001-999"]
    message = refusal(inputs, demo.cases)
    for part in (
        "by name (2)\n    y_binary\n    total_award",
        "num_applicants tells y_amount_eur",
        "not allow-listed\n    colour",
        "more than once\n    represented",
        "does not have\n    001-999",
    ):
        assert part in message


def test_inputs_without_case_ids_are_refused(demo, X):
    """Rows that cannot be held against the cases could carry anything."""
    inputs = X.assign(num_applicants=demo.cases["y_amount_eur"].to_numpy()).reset_index(drop=True)
    message = refusal(inputs, demo.cases)
    assert f"case ids that the release does not have ({len(X):,})" in message
    assert message.count("\n") < 40


# The encoder


def table(X, **columns):
    n = len(next(iter(columns.values())))
    return X.head(1).loc[[X.index[0]] * n].set_axis([f"c{i}" for i in range(n)]).assign(**columns)


def test_encoder_by_hand(X):
    train = table(
        X,
        country_alpha2=["ru", "tr", "ru", "ru"],
        violated_articles=["6;P1-1", "13", "6", "6"],
        applicant_sex=["female;male", "unknown", "male", "male"],
        violation_duration_months=[10.0, 60.0, np.nan, 20.0],
        applicant_birth_years=["1950;1960;1990", "1970;unknown", "unknown", "1990"],
    )
    test = table(
        X,
        country_alpha2=["tr", "it"],
        violated_articles=["P1-1;2", "6"],
        applicant_sex=["mixed", "male;unknown"],
        violation_duration_months=[np.nan, 5.0],
        applicant_birth_years=["unknown", "2000;2001"],
    )
    encoder = Encoder().fit(train)
    a, b = encoder.transform(train), encoder.transform(test)
    assert a["country_alpha2"].tolist() == ["ru", "tr", "ru", "ru"]
    assert b["country_alpha2"].tolist() == ["tr", UNSEEN]
    assert a["country_alpha2"].cat.categories.tolist() == ["ru", "tr", UNSEEN]
    articles = [c for c in b if c.startswith("violated_articles=")]
    assert [c.split("=")[1] for c in articles] == ["13", "6", "P1-1"]  # 2 was never in train
    assert a[articles].to_numpy().tolist() == [[0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert b[articles].to_numpy().tolist() == [[0, 0, 1], [0, 1, 0]]
    assert [c for c in b if c.startswith("applicant_sex=")] == [
        "applicant_sex=female",
        "applicant_sex=male",
    ]
    assert b["applicant_sex=male"].tolist() == [0, 1]
    assert a["violation_duration_months"].tolist() == [10, 60, 20, 20]
    assert b["violation_duration_months"].tolist() == [20, 5]
    assert b["violation_duration_months_unknown"].tolist() == [1, 0]
    assert a["median_birth_year"].tolist() == [1960, 1970, 1970, 1990]
    assert a["known_birth_years"].tolist() == [3, 1, 0, 1]
    assert b["median_birth_year"].tolist() == [1970, 2000.5]
    assert b["median_birth_year_unknown"].tolist() == [1, 0]
    assert list(a) == list(b)
    assert (a.dtypes == b.dtypes).all()


def test_encoder_gives_no_missing_values(demo, X):
    train = X.loc[demo.split("train")["case_id"]]
    encoded = Encoder().fit(train).transform(X)
    assert not encoded.isna().any().any()
    assert not set(encoded) & set(FORBIDDEN)


def test_encoder_leaves_its_input_alone(X):
    before = X.copy(deep=True)
    Encoder().fit_transform(X)
    pd.testing.assert_frame_equal(X, before)


@steady
@given(rows=st.lists(st.integers(0, 2999), min_size=1, max_size=20, unique=True))
def test_a_case_is_encoded_alike_in_any_company_and_order(encoded, X, rows):
    encoder, whole = encoded
    pd.testing.assert_frame_equal(encoder.transform(X.iloc[rows]), whole.iloc[rows])


@pytest.fixture(scope="module")
def encoded(demo, X):
    encoder = Encoder().fit(X.loc[demo.split("train")["case_id"]])
    return encoder, encoder.transform(X)


def test_contract_covers_every_column_of_the_release(demo):
    """A column is a predictor's source, forbidden, or plain description; none is two of these."""
    sources = set(PREDICTORS.values())
    assert sources | set(FORBIDDEN) <= set(demo.cases)
    assert not sources & set(FORBIDDEN)
    assert set(features.CATEGORICAL) | set(features.SETS) <= set(PREDICTORS)
