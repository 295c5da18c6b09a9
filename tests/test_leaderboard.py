from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib import leaderboard, metrics, predictions, report
from lib.errors import UserError
from lib.predictions import Card, Predictions
from lib.release import Release
from lib.systems import training
from lib.systems.registry import BASELINE

AWARDS = {"a": 0.0, "b": 1000.0, "c": 2000.0, "d": 5000.0}


@pytest.fixture(scope="module")
def release():
    cases = pd.DataFrame({"case_id": list(AWARDS), "y_amount_eur": list(AWARDS.values())})
    return Release(cases.assign(split="test"), "", "", "demo")


def system(name, cases="abcd", card=None, **columns):
    table = pd.DataFrame({"case_id": list(cases), **columns})
    return Predictions(name, Card(**{"name": name, **(card or {})}), table, Path(f"{name}.csv"))


@pytest.fixture(scope="module")
def scored(release):
    """Absolute errors: low 100 everywhere; high 400; part 50 on a and b; only-d 0 on d."""
    return predictions.align(
        [
            system("high", y_pred=[400, 1400, 1600, 4600]),
            system("low", y_pred=[100, 900, 2100, 4900]),
            system("part", "ab", y_pred=[50, 950]),
            system("twin", y_pred=[100, 1100, 1900, 5100]),
            system("only-d", "dc", y_pred=[5000, np.nan]),
        ],
        release,
    )


def test_leaderboard_by_hand(scored):
    board = leaderboard.leaderboard(scored, len(AWARDS), resamples=200)
    assert board["system"].tolist() == ["only-d", "part", "low", "twin", "high"]
    assert board["n"].tolist() == [1, 2, 4, 4, 4]
    assert board["coverage"].tolist() == [0.25, 0.5, 1, 1, 1]
    assert board["mae"].tolist() == [0, 50, 100, 100, 400]
    assert board["bias"].tolist() == [0, 0, 0, 50, 0]
    assert board["mae_low"].tolist() == board["mae"].tolist()  # constant errors do not vary
    assert board["mae_high"].tolist() == board["mae"].tolist()
    for key in metrics.POINT_METRICS:
        value, low, high = board[key], board[f"{key}_low"], board[f"{key}_high"]
        known = value.notna() & low.notna()
        assert (low[known] <= high[known]).all()
    assert list(board) == [
        "system", "n", "coverage",
        *(f"{key}{end}" for key in metrics.POINT_METRICS for end in ("", "_low", "_high")),
    ]  # fmt: skip


def test_leaderboard_depends_on_its_seed_alone(release):
    scored = predictions.align([system("a", y_pred=[0, 0, 500, 9000])], release)
    first = leaderboard.leaderboard(scored, 4, resamples=50)
    pd.testing.assert_frame_equal(first, leaderboard.leaderboard(scored, 4, resamples=50))
    other = leaderboard.leaderboard(scored, 4, resamples=50, seed=1)
    assert other["mae"].tolist() == first["mae"].tolist()
    assert other["bias_low"].tolist() != first["bias_low"].tolist()


def test_pairs_are_compared_on_shared_cases_only(scored):
    table = leaderboard.standing(scored, "part", resamples=200).set_index("system")
    assert table.index.tolist() == ["low", "twin", "high", "only-d"]
    assert table["n"].tolist() == [2, 2, 2, 0]
    assert table["mae"].tolist()[:3] == [100, 100, 400]
    assert table["mae_own"].tolist()[:3] == [50, 50, 50]
    assert table["delta"].tolist()[:3] == [-50, -50, -350]
    assert table.loc["only-d", ["mae", "delta", "low", "p_holm"]].isna().all()
    assert table.loc["only-d", "verdict"] == "no clear difference"


def test_own_error_is_taken_on_the_shared_cases(release):
    scored = predictions.align(
        [system("mine", y_pred=[10, 1010, 2900, 5900]), system("part", "ab", y_pred=[20, 1020])],
        release,
    )
    row = leaderboard.standing(scored, "mine", resamples=50).iloc[0]
    assert (row["n"], row["mae"], row["mae_own"], row["delta"]) == (2, 20, 10, -10)


@pytest.mark.parametrize(
    ("name", "place"), [("part", 1), ("only-d", 1), ("low", 3), ("twin", 3), ("high", 5)]
)
def test_rank_counts_who_is_better_on_shared_cases(scored, name, place):
    """low and twin share the third place, behind part (on a, b) and only-d (on d)."""
    assert leaderboard.rank(leaderboard.standing(scored, name, resamples=50)) == place


def test_one_system_alone_is_first(release):
    scored = predictions.align([system("a", y_pred=[1, 2, 3, 4])], release)
    table = leaderboard.standing(scored, "a")
    assert table.empty
    assert leaderboard.rank(table) == 1


def test_uncertainty_only_of_systems_that_state_any(release):
    sure = {"p_zero": [0.9, 0.1, 0.0, 0.0], "q05": [0, 500, 2500, 0], "q95": [10, 1500, 3000, 9000]}
    scored = predictions.align(
        [
            system("plain", y_pred=[1, 2, 3, 4]),
            system("sure", y_pred=[0, 1000, 2750, 4500], **sure),
            system("part", "ab", y_pred=[0, 1000], p_zero=[0.2, 0.4]),
        ],
        release,
    )
    table = leaderboard.uncertainty(scored).set_index("system")
    assert table.index.tolist() == ["sure", "part"]
    assert table.loc["sure", "auroc_zero"] == 1
    assert table.loc["sure", "brier_zero"] == pytest.approx((0.1**2 + 0.1**2) / 4)
    assert table.loc["sure", "coverage_90"] == 0.75
    assert table.loc["sure", "width_90"] == pytest.approx((10 + 1000 + 500 + 9000) / 4)
    assert table.loc["part", "auroc_zero"] == 0
    assert pd.isna(table.loc["part", "coverage_90"])
    plain = scored[scored["system"] == "plain"]
    assert leaderboard.uncertainty(plain).empty


# Which systems a report's figures and sentences speak of


def test_best_is_the_lowest_full_system_that_keeps_to_the_contract(release):
    cheat = system("cheat", y_pred=list(AWARDS.values()), card={"diagnostic": True})
    part = system("part", "ab", y_pred=[1, 1001])
    fair = system("fair", y_pred=[9, 1009, 2009, 5009])
    poor = system("poor", y_pred=[0, 0, 0, 0])
    lab = report.Report(release, [poor, part, fair, cheat])
    assert lab.names == ["cheat", "part", "fair", "poor"]
    assert lab.best == "fair"
    assert report.Report(release, [part, cheat]).best == "part"
    assert report.Report(release, [cheat]).best == "cheat"


def test_representative_systems(release):
    def one(name, error, family):
        card = {"family": family}
        return system(name, y_pred=[y + error for y in AWARDS.values()], card=card)

    many = [one(f"t{i}", i, "trees") for i in range(1, 7)]
    lab = report.Report(release, [*many, one("llm", 50, "LM"), one(BASELINE, 90, "constant")])
    assert lab.representative == ["t1", "t2", "t3", "llm", BASELINE]
    assert report.Report(release, many[:2]).representative == ["t1", "t2"]  # no baseline there


def test_systems_of_one_name_are_told_apart(release):
    same = {"card": {"name": "GPT"}, "y_pred": [1, 2, 3, 4]}
    dagger = {"card": {"name": "GPT", "diagnostic": True}, "y_pred": [1, 2, 3, 4]}
    labels = report.Report(
        release, [system("a", **same), system("b", **same), system("c", **dagger)]
    ).labels
    assert labels == {"a": "GPT (a)", "b": "GPT (b)", "c": "GPT †"}


@pytest.fixture
def opened(demo, tmp_path, monkeypatch):
    """Opens the demo report with ``train-median``, ``zero`` and what a folder of the user holds."""
    monkeypatch.setenv("NPD_REPORTS", str(tmp_path / "reports"))
    monkeypatch.setenv("NPD_PREDICTIONS", str(tmp_path))
    monkeypatch.setattr(report.release, "load", lambda profile: demo)
    own = training.ensure(demo, [BASELINE, "zero"])
    monkeypatch.setattr(training, "ensure", lambda release, names, progress: own)
    return report.open_report


def user_file(demo, path, value):
    frame = pd.DataFrame({"case_id": demo.test["case_id"], "y_pred": value})
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)


def test_bad_and_doubled_files_of_users_are_left_out_and_named(demo, opened, tmp_path):
    user_file(demo, tmp_path / "mine.csv", 7)
    user_file(demo, tmp_path / "mine.parquet", 8)
    user_file(demo, tmp_path / "Zero.csv", 9)
    user_file(demo, tmp_path / "bad.csv", -1)
    lab = opened("demo")
    assert set(lab.names) == {BASELINE, "zero", "mine"}
    assert set(lab.system("mine").table["y_pred"]) == {7}
    assert set(lab.skipped) == {"mine.parquet", "Zero.csv", "bad.csv"}
    assert "another file names the system" in lab.skipped["Zero.csv"]


def test_restricting_systems_keeps_the_baseline(demo, opened, tmp_path):
    user_file(demo, tmp_path / "mine.csv", 7)
    assert set(opened("demo", ["mine"]).names) == {"mine", BASELINE}
    with pytest.raises(UserError, match="No prediction file for gpt"):
        opened("demo", ["mine", "gpt"])


def test_sentences_escape_their_values(monkeypatch):
    shown = []
    monkeypatch.setattr(report, "display", lambda page: shown.append(page.data))
    report.say("<strong>{name}</strong>", name="<b> {x}")
    report.definition_list({"<i>": "<u>", "empty": " "})
    assert shown == [
        '<p class="lab-finding"><strong>&lt;b&gt; {x}</strong></p>',
        '<dl class="lab-list"><dt>&lt;i&gt;</dt><dd>&lt;u&gt;</dd></dl>',
    ]


@pytest.mark.parametrize(
    ("delta", "verdict", "words"),
    [
        (-100, "A lower", "10.0% below the train median (Δ −€100, 95% interval −1 to 1)."),
        (
            50,
            "no clear difference",
            "5.0% above the train median (Δ €50, 95% interval −1 to 1, which",
        ),
    ],
)
def test_comparison_with_the_baseline_in_words(delta, verdict, words):
    row = pd.Series({"delta": delta, "mae": 1000, "low": -1, "high": 1, "verdict": verdict})
    assert words in report.compare(row, "the train median")


def test_explore_selects_the_cases_in_every_chosen_group(demo, opened):
    from lib import explore

    lab = opened("demo")
    cases = demo.test.set_index("case_id")
    chosen = explore.select(lab, "zero", view="Challenging", article="Art. 6", state=explore.ALL)
    article = cases["violated_articles"].str.split(";").map(lambda codes: "6" in codes)
    inside = cases[article & (cases["test_challenging_view"] == "yes")]
    assert set(chosen["case_id"]) == set(inside.index)
    assert 0 < len(chosen) < len(cases)
    assert chosen["abs_error"].is_monotonic_decreasing
    assert chosen["abs_error"].tolist() == sorted(inside["y_amount_eur"], reverse=True)
    assert len(explore.select(lab, "zero")) == len(cases)
    with pytest.raises(KeyError):
        explore.select(lab, "zero", state="Atlantis")


def test_every_metric_is_defined_on_the_methods_page(monkeypatch):
    from lib import formulas

    shown = []
    monkeypatch.setattr(formulas, "display", lambda page: shown.append(page.data))
    registry = metrics.POINT_METRICS | metrics.PROBABILISTIC_METRICS
    formulas.show(registry)
    for key, metric in registry.items():
        assert f'<dt id="metric-{key}">{metric.title}</dt>' in shown[0]
    assert shown[0].count("<math ") == shown[0].count("</math>") == len(registry)
    assert "<script" not in shown[0]
