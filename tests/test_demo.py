import io
import subprocess
import sys

import pytest

from lib import demo, release, schema, splits


def written(**kwargs) -> str:
    return demo.generate(**kwargs).to_csv(index=False, lineterminator="\n")


@pytest.fixture(scope="module")
def cells():
    return release.read_cells(io.StringIO(written()))


@pytest.fixture(scope="module")
def cases(cells):
    return release.typed(cells)


def shares(values, cases):
    """Mean by split: train, validation, test."""
    return values.groupby(cases["split"]).mean()[list(splits.SPLITS)].tolist()


def test_no_schema_violations(cells):
    assert schema.violations(cells) == []
    assert len(cells) == 3000


@pytest.mark.parametrize(("n", "seed"), [(30, 1), (300, 2), (3000, 3)])
def test_no_schema_violations_with_other_sizes_and_seeds(n, seed):
    cells = release.read_cells(io.StringIO(written(n=n, seed=seed)))
    assert schema.violations(cells) == []
    assert len(cells) == n


def test_deterministic():
    assert written() == written()
    assert written(seed=1) != written()


def test_ids_are_sorted_and_not_hudoc_ones(cells):
    ids = cells["case_id"]
    assert ids.str.fullmatch(r"900-\d{6}").all()
    assert ids.is_monotonic_increasing
    dates = cells["judgment_date"].str.replace("-", "").astype(int)
    assert abs(dates.corr(ids.str[4:].astype(int), method="pearson")) < 0.1


def test_splits_and_views_as_recomputed(cases):
    recomputed = splits.chronological(cases["judgment_date"], cases["case_id"], (2100, 300, 600))
    assert (cases["split"] == recomputed).all()
    views = splits.views(cases)
    assert views.sum()[["Test", "ID", "OOD"]].tolist() == [600, 200, 400]
    assert (views["Challenging"] == splits.challenging(cases)).all()
    single = cases["num_applicants"] == 1
    assert single[views["ID"]].mean() > single[views["OOD"]].mean() + 0.1


def test_dates_as_in_the_release(cases):
    date = cases["judgment_date"]
    assert date.min().year < 1990
    assert str(date[cases["split"] == "train"].max())[:7] in ("2019-06", "2019-07", "2019-08")
    assert str(date[cases["split"] == "test"].min())[:7] in ("2021-11", "2021-12", "2022-01")
    assert date.max().strftime("%Y-%m") == "2026-03"
    assert date.max().strftime("%Y-%m-%d") <= "2026-03-26"


def test_shares_as_published(cases):
    several = cases["num_applicants"] > 1
    unknown = cases["violation_duration_months"].isna()
    committee = cases["court_formation"] == "Committee"
    near = pytest.approx
    assert shares(cases["y_amount_eur"] == 0, cases) == near([0.22, 0.25, 0.33], abs=0.01)
    assert shares(committee, cases) == near([0.19, 0.65, 0.75], abs=0.06)
    assert shares(several, cases) == near([0.24, 0.36, 0.46], abs=0.06)
    assert shares(unknown, cases) == near([0.42, 0.61, 0.72], abs=0.06)


def test_articles_as_published(cases):
    published = {
        "6": [0.55, 0.38, 0.40],
        "3": [0.18, 0.23, 0.24],
        "5": [0.17, 0.20, 0.26],
        "8": [0.09, 0.15, 0.17],
        "13": [0.15, 0.14, 0.16],
        "11": [0.02, 0.04, 0.10],
        "P1-1": [0.09, 0.12, 0.10],
        "10": [0.04, 0.07, 0.09],
        "2": [0.06, 0.08, 0.04],
    }
    flags = cases["violated_articles"].str.get_dummies(";")
    for code, expected in published.items():
        assert shares(flags[code], cases) == pytest.approx(expected, abs=0.06), code
    rare = {"14", "34", "9", "P1-3", "38", "P4-2", "7", "P7-4", "P1-2", "18", "P7-2"}
    assert rare <= set(flags)


def test_states_as_published(cases):
    code = cases["country_alpha2"]
    assert shares(code == "ru", cases) == pytest.approx([0.21, 0.25, 0.26], abs=0.05)
    assert shares(code == "ua", cases) == pytest.approx([0.11, 0.20, 0.17], abs=0.05)
    assert shares(code == "tr", cases) == pytest.approx([0.10, 0.045, 0.055], abs=0.04)
    train = code[cases["split"] == "train"].value_counts()
    assert train.index[:2].tolist() == ["ru", "ua"]
    assert code.nunique() > 35
    first = cases.groupby("country_alpha2")["judgment_year"].min()
    assert first["ru"] > 1998
    assert first["ua"] > 1997


@pytest.mark.parametrize(
    ("split", "published"),
    [
        ("train", [1000, 2500, 5000, 10_000, 25_000, 47_000, 150_000]),
        ("validation", [1200, 3000, 7500, 16_000, 40_000, 90_000, 460_000]),
        ("test", [1200, 3200, 6500, 14_500, 31_000, 61_000, 177_000]),
    ],
)
def test_awards_as_published(cases, split, published):
    award = cases.loc[(cases["split"] == split) & (cases["y_amount_eur"] > 0), "y_amount_eur"]
    quantiles = award.quantile([0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]).tolist()
    assert quantiles == pytest.approx(published, rel=0.25)
    assert award.max() > 500_000
    assert (award % 1000 == 0).mean() == pytest.approx(0.6, abs=0.1)
    assert (award % 50 == 0).mean() > 0.95


def test_imports_no_heavy_library():
    code = (
        "import sys; from lib import demo; demo.generate(); "
        "print(*{'scipy', 'sklearn', 'pandera', 'catboost'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
