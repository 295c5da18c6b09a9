"""The release: every rule of the schema, altered copies, and where the data are looked for."""

import hashlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import fingerprints, release, schema, splits
from lib.errors import UserError


@pytest.fixture(scope="module")
def text(demo):
    from lib import demo as generator

    return generator.generate().to_csv(index=False, lineterminator="\n")


@pytest.fixture
def cells(text):
    return release.read_cells(io.StringIO(text))


@pytest.fixture
def known(text, cells, monkeypatch):
    """The demo, as if it were a release that was published."""
    entry = fingerprints.fingerprint(cells, "the demo")
    digest = hashlib.sha256(text.encode()).hexdigest()
    monkeypatch.setattr(fingerprints, "known", lambda: {digest: entry})


def test_the_demo_has_no_violation(cells):
    assert schema.violations(cells) == []


BROKEN_CELLS = {
    "case_id": "12", "split": "dev", "test_view": "id", "test_challenging_view": "maybe",
    "judgment_date": "2020-13-01", "judgment_year": "20", "respondent_state": "",
    "country_alpha2": "UKR", "hudoc_decision_body": "PANEL", "court_formation": "chamber",
    "is_grand_chamber": "1", "case_importance": "1", "has_separate_opinion": "", "represented": "?",
    "hudoc_application_count": "0", "num_applicants": "-1", "num_violations_found": "two",
    "has_mixed_outcome": "unknown", "violated_articles": "6,13", "violated_articles_count": "",
    "violation_type": "all", "violation_duration_months": "long", "applicant_sex": "male;male",
    "applicant_age_group": "old", "applicant_birth_years": "80", "beneficiary_type": "heir",
    "applicant_nationality_scope": "two", "has_joint_beneficiary": "no",
    "gdp_per_capita_current_usd": "n/a", "gdp_constant_2015_usd": "-5", "y_amount_eur": "-1",
    "y_binary": "2", "target_status": "fine",
}  # fmt: skip


def test_every_column_is_checked_and_all_are_reported_together(cells):
    assert set(BROKEN_CELLS) == set(schema.COLUMNS)
    for column, value in BROKEN_CELLS.items():
        cells.loc[7, column] = value
    said = [str(problem) for problem in schema.violations(cells)]
    for column, value in BROKEN_CELLS.items():
        assert any(p.startswith(column) and f"line 9, 12: {value!r}" in p for p in said), column


def other(column, cells, row):
    """Another valid value of the column, from another case."""
    return next(v for v in cells[column] if v != cells.at[row, column])


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("judgment_year", "must be the year"),
        ("court_formation", "same formation"),
        ("country_alpha2", "one country code"),
        ("violated_articles_count", "number of distinct codes"),
        ("has_joint_beneficiary", "must follow beneficiary_type"),
        ("test_view", "test_view must be ID or OOD in test"),
        ("test_challenging_view", "as recomputed"),
        ("split", "chronological"),
        ("y_binary", "y_binary must be 1"),
    ],
)
def test_cross_column_rules(cells, column, word):
    row = int(cells.index[cells["split"] == "train"][0])
    cells.loc[row, column] = other(column, cells, row)
    said = "\n".join(map(str, schema.violations(cells)))
    assert word in said
    assert cells.at[row, "case_id"] in said or column == "split"


def test_too_few_violations(cells):
    row = int(cells.index[cells["violated_articles_count"].astype(int) > 1][0])
    cells.loc[row, "num_violations_found"] = "1"
    assert "num_violations_found must be at least" in str(schema.violations(cells)[0])


def test_columns_missing_unknown_or_in_another_order(cells):
    said = str(schema.violations(cells.drop(columns="y_binary").assign(extra="1")))
    assert "missing columns: y_binary" in said
    assert "unknown columns: extra" in said
    assert "not in the release's order" in str(schema.violations(cells[cells.columns[::-1]]))


def changes(path):
    with pytest.raises(UserError) as caught:
        release.load_file(path)
    return str(caught.value)


def test_altered_copies_are_refused_with_what_changed(text, known, tmp_path):
    path = tmp_path / "case_level.csv"
    path.write_text(text, "utf-8", newline="")
    assert release.load_file(path).name == "the demo"
    lines = text.splitlines(keepends=True)

    path.write_text("".join(lines[:2000]), "utf-8")
    assert "1,999 rows instead of 3,000" in changes(path)

    first = lines[1500].rstrip("\n").split(",")
    first[-3] = str(float(first[-3]) + 1)
    path.write_text("".join([*lines[:1500], ",".join(first) + "\n", *lines[1501:]]), "utf-8")
    said = changes(path)
    assert "changed columns: y_amount_eur" in said
    where = [line for line in said.splitlines() if line.strip().startswith("lines ")]
    assert len(where) == 1
    low, high = (int(n) for n in where[0].split(",")[0].replace("lines", "").split("–"))
    assert low <= 1501 <= high
    assert high - low < 300

    path.write_text("".join([*lines[:700], *lines[701:]]), "utf-8")
    assert "2,999 rows instead of 3,000" in changes(path)


def test_an_unknown_but_valid_release_loads_and_says_so(text, tmp_path):
    path = tmp_path / "case_level.csv"
    path.write_text(text, "utf-8")
    assert release.load_file(path).name == ""
    path.write_bytes(b"")
    with pytest.raises(UserError, match="is empty"):
        release.load_file(path)
    with pytest.raises(UserError, match="There is no file"):
        release.check(tmp_path / "absent.csv")


def test_where_the_data_are(monkeypatch, tmp_path):
    monkeypatch.setenv("NPD_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"holds no case_level\.csv"):
        release.data_folder()
    monkeypatch.delenv("NPD_DATA")
    monkeypatch.setattr(release, "DOWNLOADS", tmp_path)
    assert release.default_profile() == "demo"
    with pytest.raises(UserError, match="npd data fetch"):
        release.load("official")
    with pytest.raises(UserError, match="no profile"):
        release.load("secret")


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.data())
def test_chronological_is_a_partition_that_row_order_does_not_change(data):
    import pandas as pd

    n = data.draw(st.integers(3, 40))
    dates = data.draw(st.lists(st.sampled_from(["2001-01-01", "2001-01-02", "2003-05-06"]),
                               min_size=n, max_size=n))  # fmt: skip
    a = data.draw(st.integers(0, n))
    b = data.draw(st.integers(0, n - a))
    cases = pd.DataFrame({"d": dates, "id": [f"9-{i:03d}" for i in range(n)]})
    split = splits.chronological(cases["d"], cases["id"], (a, b, n - a - b))
    assert list(split.value_counts().reindex(splits.SPLITS, fill_value=0)) == [a, b, n - a - b]
    keys = sorted(zip(cases["d"], cases["id"], split, strict=True))
    assert [s for *_, s in keys] == ["train"] * a + ["validation"] * b + ["test"] * (n - a - b)
    mixed = cases.sample(frac=1, random_state=0)
    again = splits.chronological(mixed["d"], mixed["id"], (a, b, n - a - b))
    assert again.reindex(cases.index).equals(split)
