"""Prediction files: what is accepted, and how every mistake is named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import predictions
from lib.errors import UserError
from lib.predictions import Card


@pytest.fixture
def good(demo):
    return demo.test[["case_id"]].assign(y_pred=100.0).astype({"y_pred": object})


def refused(path, demo, *words, partial=None):
    with pytest.raises(UserError) as caught:
        predictions.load(path, demo, partial)
    said = str(caught.value)
    for word in words:
        assert word in said, said
    return said


def written(folder, text, name="mine.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ["is empty"]),
        ("case_id,y_pred\n", ["no rows"]),
        (
            "id,value\na,1\n",
            ["no column case_id", "no column y_pred", "unknown columns: id, value"],
        ),
        ("case_id,itemid,y_pred\na,a,1\n", ["several columns for case_id"]),
        ("case_id,y_pred,reward\na,1,2\n", ["unknown columns: reward"]),
        ("case_id;y_pred\na;1\n", ["separates its columns by ';'"]),
        ("case_id\ty_pred\na\t1\n", ["by a tab"]),
        ("case_id|y_pred\na|1\n", ["by '|'"]),
        ("case_id,y_pred\na,1,2,3\nb,1\n", ["cannot be read as CSV"]),
        ("case_id,y_pred\na,1\n".encode("utf-16"), ["UTF-16"]),
        (b"\x00\x01\x02,\x00", ["binary"]),
        (b"case_id,y_pred\n\xff\xfe\xfa,1\n", ["UTF-8"]),
    ],
)
def test_files_that_cannot_be_read(demo, tmp_path, content, words):
    refused(written(tmp_path, content), demo, *words)


def test_not_a_file(demo, tmp_path):
    refused(tmp_path / "absent.csv", demo, "There is no file")
    (tmp_path / "folder.csv").mkdir()
    refused(tmp_path / "folder.csv", demo, "There is no file")
    refused(written(tmp_path, "x", "mine.xlsx"), demo, ".csv or .parquet")


@pytest.mark.parametrize("name", ["..csv", ".hidden.csv", "a b.csv", "<b>.csv", "ü.csv"])
def test_names_that_are_no_identifiers(name, tmp_path):
    with pytest.raises(UserError, match="cannot name a system"):
        predictions.system_name(tmp_path / name)


def test_every_bad_value_is_listed_with_its_line(demo, good, tmp_path):
    bad = {2: "abc", 3: "nan", 4: "inf", 5: "-3", 6: "", 7: "1,000", 8: "1e400"}
    for line, value in bad.items():
        good.iloc[line - 2, 1] = value
    good.iloc[10, 0] = good.iloc[9, 0]
    good.iloc[12, 0] = "001-999999"
    path = tmp_path / "mine.csv"
    good.to_csv(path, index=False)
    said = refused(
        path, demo, "is not a number (2)", "(NaN)", "is infinite (2)", "is negative", "is empty",
        "same case more than once (2)", "ids that the release does not have",
        "line 14, '001-999999'", "line 2, ", "'abc'", "'1,000'", "without a prediction",
    )  # fmt: skip
    assert "Traceback" not in said


def test_twenty_offenders_and_the_count(demo, good, tmp_path):
    good["y_pred"] = -1.0
    path = tmp_path / "mine.csv"
    good.to_csv(path, index=False)
    said = refused(path, demo, f"y_pred is negative ({len(good):,})", "… and")
    assert said.count("'-1.0'") == 20


def test_bom_aliases_integers_and_spaces_are_fine(demo, good, tmp_path):
    good.columns = [" itemid", "award_eur "]
    path = tmp_path / "mine.csv"
    good.assign(**{"award_eur ": 7}).to_csv(path, index=False, encoding="utf-8-sig")
    assert (predictions.load(path, demo).table["y_pred"] == 7).all()


@pytest.mark.parametrize("kind", ["int64", "float32", "string"])
def test_parquet_of_any_number_type(demo, good, tmp_path, kind):
    path = tmp_path / "mine.parquet"
    good.astype({"y_pred": "float64"}).astype({"y_pred": "int64"}).astype(
        {"y_pred": kind}
    ).to_parquet(path)
    assert (predictions.load(path, demo).table["y_pred"] == 100).all()
    written(tmp_path, "no parquet", "other.parquet")
    refused(tmp_path / "other.parquet", demo, "cannot be read as Parquet")


def test_missing_cases_need_a_partial_card(demo, good, tmp_path):
    path = tmp_path / "mine.csv"
    good.iloc[5:].to_csv(path, index=False)
    refused(path, demo, "test cases without a prediction", "(5)")
    (tmp_path / "mine.yaml").write_text("name: Mine\ncoverage: partial\n")
    one = predictions.load(path, demo)
    scored = predictions.align([one], demo)
    assert len(scored) == len(good) - 5
    assert not set(good["case_id"].iloc[:5]) & set(scored["case_id"])


def test_a_stated_failure_is_missing_and_never_zero(demo, good, tmp_path):
    good["status"] = "ok"
    good.iloc[0, 1:] = ["", "refusal"]
    path = tmp_path / "mine.csv"
    good.to_csv(path, index=False)
    one = predictions.load(path, demo, partial=True)
    assert good["case_id"].iloc[0] not in set(predictions.align([one], demo)["case_id"])


def test_uncertainty_columns_are_checked(demo, good, tmp_path):
    good["p_zero"], good["q05"], good["q95"] = 1.5, 10.0, 5.0
    path = tmp_path / "mine.csv"
    good.to_csv(path, index=False)
    refused(path, demo, "p_zero is above 1", "quantiles cross: q05 is above q95")


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("name: [", ["is not YAML"]),
        ("- a list", ["must be a mapping"]),
        ("family: x", ["name: Field required"]),
        ("name: x\nfamiliy: y\ncoverage: some", ["familiy", "coverage"]),
        (f"name: {'x' * 81}", ["at most 80"]),
        ("name: !!python/object/apply:os.system ['touch pwned']", ["is not YAML"]),
    ],
)
def test_bad_cards(demo, good, tmp_path, monkeypatch, card, words):
    monkeypatch.chdir(tmp_path)
    good.to_csv("mine.csv", index=False)
    written(tmp_path, card, "mine.yaml")
    refused(tmp_path / "mine.csv", demo, *words)
    assert not (tmp_path / "pwned").exists()


def test_all_bad_files_are_reported_at_once(demo, tmp_path):
    paths = [written(tmp_path, "", "one.csv"), written(tmp_path, "a;b\n", "two.csv")]
    with pytest.raises(UserError) as caught:
        predictions.load_all(paths, demo)
    assert "one.csv" in str(caught.value)
    assert "two.csv" in str(caught.value)


def test_write_round_trips_and_leaves_nothing_half_written(demo, good, tmp_path, monkeypatch):
    table = good.astype({"y_pred": "float64"})
    path = predictions.write(tmp_path, "mine", table, Card(name="Mine †"))
    assert predictions.load(path, demo).card.name == "Mine †"
    before = path.read_bytes()

    def broken(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(pd.DataFrame, "to_csv", broken)
    with pytest.raises(OSError, match="disk full"):
        predictions.write(tmp_path, "mine", table.assign(y_pred=0.0), Card(name="Other"))
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.csv", "mine.yaml"]


def test_align_by_hand(demo, good, tmp_path):
    path = tmp_path / "mine.csv"
    good.to_csv(path, index=False)
    scored = predictions.align([predictions.load(path, demo)], demo)
    assert (scored["y_true"].to_numpy() == demo.test["y_amount_eur"].to_numpy()).all()
    assert (scored["error"] == 100 - scored["y_true"]).all()
    assert (scored["abs_error"] == scored["error"].abs()).all()


@settings(derandomize=True, deadline=None, max_examples=30)
@given(
    st.dictionaries(st.integers(0, 599), st.sampled_from(["-1", "x", "inf", "nan"]), max_size=40)
)
def test_exactly_the_planted_problems(demo, planted):
    table = pd.DataFrame({"case_id": demo.test["case_id"].to_numpy(), "y_pred": "5"})
    for row, value in planted.items():
        table.loc[row, "y_pred"] = value
    _, problems = predictions.check(table, demo, partial=True)
    found = {problem.what: max(problem.count, 1) for problem in problems}
    words = {
        "-1": "is negative",
        "x": "is not a number",
        "inf": "is infinite",
        "nan": "is not a number (NaN)",
    }
    values = list(planted.values())
    assert found == {f"y_pred {words[v]}": values.count(v) for v in set(values)}


@pytest.mark.slow
def test_a_very_long_file_is_refused_clearly(demo, tmp_path):
    n = 3_000_000
    path = tmp_path / "long.csv"
    ids = np.char.add("x-", np.arange(n).astype(str))
    pd.DataFrame({"case_id": ids, "y_pred": 1}).to_csv(path, index=False)
    said = refused(path, demo, f"ids that the release does not have ({n:,})", "… and")
    assert len(said) < 5_000
