"""Facts about the official release, as published; aggregates only."""

import numpy as np
import pytest

from lib import metrics, release, schema, splits

pytestmark = pytest.mark.official


def test_the_file(official):
    assert official.sha256 == release.HASHES[release.CASE_TABLE]
    assert official.cases.shape == (14_575, 33)
    assert list(official.cases["case_id"]) == sorted(official.cases["case_id"])


def test_no_violation_of_the_schema(official):
    assert schema.violations(release.read_cells(official.path)) == []


@pytest.mark.parametrize(
    ("split", "n", "zeros", "first", "last"),
    [
        ("train", 10_217, 2_248, "1968-06-27", "2019-07-18"),
        ("validation", 1_461, 366, "2019-07-23", "2021-12-16"),
        ("test", 2_897, 953, "2021-12-16", "2026-03-26"),
    ],
)
def test_splits(official, split, n, zeros, first, last):
    cases = official.split(split)
    assert (len(cases), int((cases["y_amount_eur"] == 0).sum())) == (n, zeros)
    dates = cases["judgment_date"]
    assert (str(dates.min().date()), str(dates.max().date())) == (first, last)


def test_splits_and_views_recomputed(official):
    cases = official.cases
    sizes = (10_217, 1_461, 2_897)
    assert (
        splits.chronological(cases["judgment_date"], cases["case_id"], sizes) == cases["split"]
    ).all()
    assert (splits.challenging(cases) == (cases["test_challenging_view"] == "yes")).all()
    assert dict(splits.views(cases).sum()) == {
        "Test": 2_897, "ID": 1_000, "OOD": 1_897, "Challenging": 699,
    }  # fmt: skip


def test_targets(official):
    assert (official.test["y_amount_eur"] > 50_000).sum() == 118
    train = np.log1p(official.split("train")["y_amount_eur"])
    assert train.mean() == pytest.approx(6.719080824094757, abs=1e-12)
    assert train.std(ddof=0) == pytest.approx(3.717991238180907, abs=1e-12)


def test_constant_predictors(official):
    train, test = official.split("train")["y_amount_eur"], official.test
    assert train.median() == 3_200
    views = splits.views(test)
    mae = {v: float(metrics.mae(test["y_amount_eur"][views[v]], np.full(views[v].sum(), 3_200.0)))
           for v in views}  # fmt: skip
    expected = {"Test": 11_006.33, "ID": 9_751.90, "OOD": 11_667.60, "Challenging": 22_812.23}
    assert mae == pytest.approx(expected, abs=0.005)
    n = len(test)
    assert metrics.mae(test["y_amount_eur"], np.full(n, train.mean())) == pytest.approx(
        14_945.17, abs=0.005
    )
    assert metrics.mae(test["y_amount_eur"], np.zeros(n)) == pytest.approx(11_713.41, abs=0.005)
