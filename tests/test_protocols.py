"""Two protocols side by side, and what the ablations' tables are made of."""

import numpy as np
import pandas as pd
import pytest

from lib import ablation, metrics, protocols
from lib.predictions import Card, Predictions, align
from lib.report import Report
from lib.systems import ablations, training
from lib.systems.registry import BASELINE, CHOSEN, REFITTED


def predicted(release, name: str, pred, splits=("validation", "test")) -> Predictions:
    cases = release.cases[release.cases["split"].isin(splits)]
    table = pd.DataFrame({"case_id": cases["case_id"].to_numpy(), "y_pred": pred(cases)})
    return Predictions(name, Card(name=name), table, "0" * 64)


@pytest.fixture(scope="module")
def both(demo):
    scored = align(
        [
            predicted(demo, BASELINE, lambda c: np.full(len(c), 3_000.0)),
            predicted(demo, "a", lambda c: c["y_amount_eur"] * 0.5),
        ],
        demo,
    )
    refitted = align(
        [
            predicted(demo, BASELINE, lambda c: np.full(len(c), 3_500.0), ("test",)),
            predicted(demo, "a", lambda c: c["y_amount_eur"] * 0.9, ("test",)),
        ],
        demo,
    )
    return scored, refitted


def test_comparison_of_protocols_by_hand(demo, both):
    table = protocols.compare(*both, resamples=100)
    y = demo.test["y_amount_eur"]
    row = table.loc["a"]
    assert row["mae_train"] == pytest.approx(0.5 * y.mean())
    assert row["mae_refit"] == pytest.approx(0.1 * y.mean())
    assert row["delta"] == pytest.approx(-0.4 * y.mean())
    assert row["low"] <= row["delta"] <= row["high"] < 0
    assert table.index[0] == "a"


def test_everything_is_held_against_the_baseline_fitted_on_train(demo, both):
    table = protocols.against_baseline(*both, BASELINE, resamples=100)
    y = demo.test["y_amount_eur"].to_numpy()
    base = np.abs(y - 3_000).mean()
    assert (BASELINE, "train") not in table.index
    assert table.loc[(BASELINE, "refit"), "relative"] == pytest.approx(
        np.abs(y - 3_500).mean() / base - 1
    )
    for (system, protocol), share in {("a", "train"): 0.5, ("a", "refit"): 0.1}.items():
        row = table.loc[(system, protocol)]
        assert row["relative"] == pytest.approx(share * y.mean() / base - 1)
        assert row["low"] <= row["relative"] <= row["high"]


def test_groups_are_compared_under_both_protocols(demo, both):
    groups = pd.DataFrame({"all": True, "zero": demo.test["y_amount_eur"] == 0})
    table = protocols.by_group(*both, demo.test, groups, "a", BASELINE, resamples=50)
    assert set(table.index.get_level_values("protocol")) == {"train", "refit"}
    y = demo.test["y_amount_eur"].to_numpy()
    expected = 0.1 * y.mean() - np.abs(y - 3_000).mean()
    assert table.loc[("refit", "all"), "delta"] == pytest.approx(expected)


# Ablations


def test_variants_have_names_of_their_own_and_known_feature_sets():
    from lib.feature_sets import FEATURE_SETS
    from lib.systems.registry import SYSTEMS

    assert not set(ablations.VARIANTS) & set(SYSTEMS)
    for name, variant in ablations.VARIANTS.items():
        assert variant.features in FEATURE_SETS
        assert variant.diagnostic == (variant.features == "leaking"), name


@pytest.fixture(scope="module")
def lab(demo, tmp_path_factory):
    """A report whose systems and variants are made up: predictions off by a factor each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPD_REPORTS", str(tmp_path_factory.mktemp("reports")))
        made = Report(demo, [predicted(demo, BASELINE, lambda c: np.full(len(c), 3_000.0))])
        factors = {}

        def variants(names):
            found = []
            for name in names:
                splits = ("test",) if name.endswith(REFITTED) else ("validation", "test")
                factors.setdefault(name, 0.2 + 0.01 * len(factors))
                value = factors[name]
                pred = (
                    (lambda c: np.full(len(c), 3_000.0))
                    if name == BASELINE
                    else (lambda c, value=value: c["y_amount_eur"] * value)
                )
                found.append(predicted(demo, name, pred, splits))
            return found

        patch.setattr(made, "variants", variants)
        yield made, factors


def test_table_28_by_hand(demo, lab):
    made, factors = lab
    table = ablation.table_28(made, resamples=50)
    assert len(table) == 12
    for row in table.itertuples():
        library = next(k for k, name in ablations.LIBRARIES.items() if name == row.library)
        off = 1 - factors[f"{library}-{row.features}"]
        for split, value in (("validation", row.validation), ("test", row.test)):
            assert value == pytest.approx(off * demo.split(split)["y_amount_eur"].mean())
        if row.features != "public":
            other = 1 - factors[f"{library}-public"]
            assert row.delta == pytest.approx((off - other) * demo.test["y_amount_eur"].mean())
    assert table.loc[table["features"] == "public", "delta"].isna().all()


def test_steps_by_hand(demo, lab):
    made, factors = lab
    table = ablation.steps(made, resamples=50)
    y = demo.test["y_amount_eur"].to_numpy()
    base = np.abs(y - 3_000).mean()
    expected = [(1 - factors[name]) * y.mean() / base - 1 for name in ablation.STEPS]
    assert table["relative"].tolist() == pytest.approx(expected)
    assert table["validation"].isna().tolist() == [n.endswith(REFITTED) for n in ablation.STEPS]
    assert CHOSEN in ablation.STEPS


def test_leak_by_hand(demo, lab):
    made, factors = lab
    table = ablation.leak(made, resamples=50)
    for row, (honest, leaking) in zip(table.itertuples(), ablation.LEAKS.values(), strict=True):
        change = (factors[honest] - factors[leaking]) * demo.test["y_amount_eur"].mean()
        assert row.delta == pytest.approx(change)
        assert training.find(leaking).diagnostic


def test_mae_of_a_system_without_validation_predictions_is_unknown(demo, lab):
    made, _ = lab
    systems = [predicted(demo, "late", lambda c: c["y_amount_eur"] + 10, ("test",))]
    assert np.isnan(made.mae(systems, "validation")["late"])
    assert made.mae(systems)["late"] == pytest.approx(10)
    assert metrics.mae(np.array([1.0]), np.array([3.0])) == 2
