"""The leakage audit finds planted leaks, and only those."""

import numpy as np
import pandas as pd
import pytest

from lib import cli, leakage
from lib.errors import UserError
from lib.feature_sets import FEATURE_SETS


@pytest.fixture(scope="module")
def train(demo):
    return demo.split("train")


@pytest.fixture(scope="module")
def table(train):
    return FEATURE_SETS["X0"].make(train).iloc[:, :8]


def findings(table, train) -> pd.Series:
    return leakage.audit(table, train).set_index("column")["findings"]


def test_honest_columns_are_clean(table, train):
    assert (findings(table, train) == "").all()


@pytest.mark.parametrize(
    ("column", "plant", "expected"),
    [
        ("hint", lambda c: c["y_amount_eur"] * 2 + 7, "award's size out of line"),
        ("noisy", lambda c: np.log1p(c["y_amount_eur"]) + np.arange(len(c)) % 3, "out of line"),
        ("flag", lambda c: 1 - c["y_binary"], "zero awards out of line"),
        ("wording", lambda c: c["y_binary"].map({0: "no", 1: "yes"}), "zero awards out of line"),
        ("claim_text", lambda c: 0, "looks award-side"),
        ("median_award", lambda c: 0, "looks award-side"),
        ("beneficiary_type", lambda c: c["beneficiary_type"], "forbidden column"),
        ("application", lambda c: [f"{i}/07" for i in range(len(c))], "identifies cases (100%"),
        ("row", lambda c: np.arange(len(c)), "identifies cases"),
        ("row", lambda c: np.arange(len(c)) * 1.0, "identifies cases"),
    ],
)
def test_planted_leaks_are_found_and_come_first(table, train, column, plant, expected):
    planted = table.assign(**{column: np.asarray(plant(train))})
    found = leakage.audit(planted, train)
    assert found.loc[0, "column"] == column
    assert expected in found.loc[0, "findings"]
    assert (found.loc[1:, "findings"] == "").all()


@pytest.mark.parametrize(
    "column",
    [
        lambda c: np.random.default_rng(0).standard_normal(len(c)),  # a measurement, not an id
        lambda c: np.random.default_rng(0).choice(["a", "b", "c"], len(c)),
        lambda c: np.full(len(c), np.nan),
        lambda c: np.zeros(len(c)),
        lambda c: pd.array([None] * len(c), dtype="string"),
    ],
)
def test_noise_and_empty_columns_are_clean(table, train, column):
    noise = column(train)
    assert findings(table.assign(noise=noise), train)["noise"] == ""


def test_power_is_out_of_fold():
    """An identifier tells nothing about awards that it was not fitted on."""
    y = np.random.default_rng(1).lognormal(8, 1, 400)
    size, _ = leakage.power(pd.Series([f"case {i}" for i in range(400)]), y)
    assert size == 0
    size, _ = leakage.power(pd.Series(np.log1p(y)), y)
    assert size > 0.9


def test_rows_that_are_no_case_are_left_out(table, train):
    odd = pd.concat([table, table.head(5).rename(index=lambda case: "x" + case)])
    pd.testing.assert_frame_equal(leakage.audit(odd, train), leakage.audit(table, train))


def test_too_few_rows_and_repeated_ids_are_refused(table, train):
    with pytest.raises(UserError, match="Only 49 rows"):
        leakage.audit(table.head(49), train)
    with pytest.raises(UserError, match="given more than once"):
        leakage.audit(pd.concat([table, table.head(2)]), train)


@pytest.mark.parametrize("name", ["case_id", "itemid"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_command_reads_csv_and_parquet(table, train, tmp_path, capsys, name, kind):
    planted = table.assign(hint=train["y_amount_eur"].to_numpy()).rename_axis(name).reset_index()
    path = tmp_path / f"features.{kind}"
    planted.to_csv(path, index=False) if kind == "csv" else planted.to_parquet(path)
    cli.data_audit(path, "demo")
    said = capsys.readouterr().out
    assert said.startswith("hint: tells the award's size out of line")
    assert "1 of 9 columns look suspicious" in said


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "There is no file"),
        (b"", "cannot be read as CSV"),
        (b"\xff\xfe\x00", "cannot be read as CSV"),
        (b"a,b\n1,2\n", "has no column `case_id`"),
        (b"case_id,b\nnone,2\n", "Only 0 rows"),
        (b'case_id,b\n"unclosed,2\n', "cannot be read as CSV"),
    ],
)
def test_command_explains_bad_files(tmp_path, content, expected):
    path = tmp_path / "features.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=expected):
        cli.data_audit(path, "demo")


@pytest.mark.official
def test_audit_of_the_official_release_names_the_beneficiaries(official):
    train = official.split("train")
    found = findings(FEATURE_SETS["leaking"].make(train), train)
    assert "forbidden" in found["beneficiary_type"]
    assert "forbidden" in found["has_joint_beneficiary"]
    assert (found.drop(["beneficiary_type", "has_joint_beneficiary"]) == "").all()
