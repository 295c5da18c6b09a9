import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lib import cli, predictions, scorecard
from lib import demo as generator
from lib.files import ROOT
from lib.metrics import POINT_METRICS
from lib.systems import training

KNOWN = ["train-median", "train-mean", "zero"]


@pytest.fixture(scope="module")
def reports(demo, tmp_path_factory):
    """A reports folder in which three of our systems are trained on the demo."""
    folder = tmp_path_factory.mktemp("reports")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPD_REPORTS", str(folder))
        training.ensure(demo, KNOWN)
    return folder


@pytest.fixture(autouse=True)
def surroundings(reports, tmp_path, monkeypatch):
    monkeypatch.setenv("NPD_REPORTS", str(reports))
    monkeypatch.setenv("NPD_PREDICTIONS", str(tmp_path / "predictions"))
    monkeypatch.delenv("NPD_DATA", raising=False)


@pytest.fixture
def npd(monkeypatch, capsys):
    """Run the command: exit code, standard output, standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["npd", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return left.value.code or 0, said.out, said.err

    return run


@pytest.fixture
def file(demo, tmp_path):
    """Write a prediction file for the demo's test cases."""

    def write(y_pred, name="mine", card="", head=None, **columns):
        table = pd.DataFrame({"case_id": demo.test["case_id"], "y_pred": y_pred, **columns})
        path = tmp_path / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        table.head(len(table) if head is None else head).to_csv(path, index=False)
        if card:
            path.with_suffix(".yaml").write_text(card, encoding="utf-8")
        return path

    return write


@pytest.fixture
def award(demo):
    return demo.test["y_amount_eur"].to_numpy()


# npd score


def test_score_prints_metrics_intervals_coverage_and_rank(npd, file, award):
    path = file(award + 10, card="name: Near\n")
    code, out, err = npd("score", path, "--profile", "demo")
    assert (code, err) == (0, "")
    assert out.startswith(
        "Near on demo (synthetic), test split\nscored 600 of 600 cases (coverage 100.0%)"
    )
    for metric in POINT_METRICS.values():
        assert re.search(rf"^{re.escape(metric.title)} +\S+   \S+ to \S+$", out, re.MULTILINE)
    assert re.search(r"^MAE +€10   10 to 10$", out, re.MULTILINE)
    assert "rank 1 of 4 by MAE" in out
    assert re.search(r"^   1 \(yours\)", out, re.MULTILINE)
    assert re.search(r"^   2 .*\n   3 ", out, re.MULTILINE)
    assert "synthetic demo cases" in out


def test_score_puts_the_sign_before_the_unit(npd, file, award):
    out = npd("score", file(np.zeros(600)), "--profile", "demo")[1]
    assert re.search(rf"^Bias +−€{award.mean():,.0f} ", out, re.MULTILINE)


def test_ties_share_a_place(npd, file):
    out = npd("score", file(np.zeros(600)), "--profile", "demo")[1]  # the same as our zero
    place = int(re.search(r"rank (\d) of 4", out)[1])
    assert re.search(rf"^ +{place} \(yours\)", out, re.MULTILINE)
    assert re.search(rf"^ +{place} Zero .*   0 \(0 to 0\)$", out, re.MULTILINE)


def test_the_last_place_is_shown(npd, file):
    out = npd("score", file(np.full(600, 1e9)), "--profile", "demo")[1]
    assert "rank 4 of 4" in out
    assert out.index("   3 ") < out.index("   4 (yours)")
    assert re.search(r"Train median +€[\d,]+   [\d,]+ \([\d,]+ to [\d,]+\) \*$", out, re.MULTILINE)


def test_stated_uncertainty_is_scored(npd, file, award):
    zero = (award == 0).astype(float)
    path = file(award, p_zero=zero, q05=award, q50=award, q95=award)
    out = npd("score", path, "--profile", "demo")[1]
    assert re.search(r"^Zero AUROC +1.000$", out, re.MULTILINE)
    assert re.search(r"^CRPS +€0$", out, re.MULTILINE)
    assert "Zero AUROC" not in npd("score", file(award), "--profile", "demo")[1]


def test_every_problem_of_a_bad_file_is_listed(npd, file, award, demo):
    y = award.astype(object)
    y[:25], y[30], y[31], y[40] = -1, "", "many", "inf"
    path = file(y)
    with path.open("a") as sink:
        sink.write(f"001-1,5\n{demo.test['case_id'].iloc[50]},5\n")
    code, out, err = npd("score", path, "--profile", "demo")
    assert (code, out) == (2, "")
    for problem in (
        "y_pred is negative (25)",
        "y_pred is empty",
        "y_pred is not a number\n    line 33, ",
        "y_pred is infinite\n    line 42, ",
        "the same case more than once (2)",
        "case ids that the release does not have\n    line 602, '001-1'",
    ):
        assert problem in err, problem
    assert err.count(": '-1'") == 20
    assert "… and 5 more" in err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.csv", None, "There is no file"),
        ("empty.csv", b"", "is empty"),
        ("header.csv", b"case_id,y_pred\n", "no rows"),
        ("wrong.csv", b"id,award\n1,2\n", "no column case_id"),
        ("wrong.json", b"{}", r"\.csv or \.parquet"),
        ("wrong.parquet", b"not one", "cannot be read as Parquet"),
        ("semi.csv", b"case_id;y_pred\n1;2\n", "separates its columns by ';'"),
        ("bad name.csv", b"case_id,y_pred\n1,2\n", "cannot name a system"),
        ("latin.csv", "case_id,y_pred,status\n1,2,é\n".encode("latin-1"), "not UTF-8"),
    ],
)  # fmt: skip
def test_files_that_are_none(npd, tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    code, out, err = npd("score", tmp_path / name, "--profile", "demo")
    assert (code, out) == (2, "")
    assert re.search(words, err)


def test_a_bad_card_is_refused(npd, file, award):
    code, _, err = npd("score", file(award, card="name: ''\ncolour: red\n"), "--profile", "demo")
    assert code == 2
    assert "name" in err
    assert "colour" in err


def test_partial_files_need_the_flag_or_the_card(npd, file, award):
    path = file(award, head=450)
    code, _, err = npd("score", path, "--profile", "demo")
    assert code == 2
    assert "test cases without a prediction" in err
    assert "(150)" in err
    code, out, _ = npd("score", path, "--profile", "demo", "--partial")
    assert code == 0
    assert "scored 450 of 600 cases (coverage 75.0%)" in out
    assert "rank 1 of 4" in out
    path = file(award, head=450, card="name: Part\ncoverage: partial\n")
    assert npd("score", path, "--profile", "demo")[0] == 0


def test_users_systems_are_ranked_too_and_bad_or_doubled_ones_passed_over(npd, file, award):
    file(award + 5, "predictions/rival", card="name: Rival <b>\n")
    file(award - 1e9, "predictions/broken")
    file(award, "predictions/zero")  # a name that is taken
    out = npd("score", file(award + 10), "--profile", "demo")[1]
    assert "rank 2 of 5" in out
    assert re.search(r"^   1 Rival <b> +€5   5 \(5 to 5\) \*$", out, re.MULTILINE)


def test_a_file_is_not_its_own_rival(npd, file, award):
    path = file(award + 10, "predictions/mine")
    assert "rank 1 of 4" in npd("score", path, "--profile", "demo")[1]


def test_predictions_made_from_another_release_are_not_known(demo, tmp_path, monkeypatch):
    changed = replace(demo, sha256="0" * 64)
    monkeypatch.setattr(scorecard.training, "ensure", lambda release, names: [])
    known = [one.system for one in scorecard.known_systems(demo, tmp_path / "x.csv")]
    assert known == KNOWN
    assert scorecard.known_systems(changed, tmp_path / "x.csv") == []


def test_places_where_pairs_share_different_cases():
    """ "part" has the lowest MAE, on easy cases where ours is lower still."""
    standing = pd.DataFrame(
        [
            ("part", 50, 20, -30),
            ("strong", 80, 100, 20),
            ("weak", 120, 100, -20),
            ("none", None, None, None),
        ],
        columns=["system", "mae", "mae_own", "delta"],
    ).assign(low=0.0, high=0.0, verdict="no clear difference")
    lines = scorecard._place(standing, {name: name for name in standing["system"]})
    assert lines[0].startswith("rank 2 of 4")
    assert [line.split()[:2] for line in lines[2:-1]] == [
        ["1", "strong"],
        ["2", "(yours)"],
        ["3", "weak"],
        ["4", "part"],
    ]
    assert scorecard._place(standing.tail(1), {"none": "none"}) == [
        "no known system shares a case with this file"
    ]


# Profiles and data


@pytest.mark.parametrize("command", [["score", "x.csv"], ["train"]])
def test_unknown_profile(npd, command):
    code, out, err = npd(*command, "--profile", "oficial")
    assert (code, out) == (2, "")
    assert err == "There is no profile 'oficial'; there are demo and official.\n"


@pytest.mark.parametrize("profile", [[], ["--profile", "official"]])
def test_a_bad_data_folder_is_one_clear_message(npd, file, award, tmp_path, monkeypatch, profile):
    monkeypatch.setenv("NPD_DATA", str(tmp_path / "nowhere"))
    code, out, err = npd("score", file(award), *profile)
    assert (code, out) == (2, "")
    assert err.count("\n") == 2
    assert f"NPD_DATA names {tmp_path / 'nowhere'}, which holds no case_level.csv" in err
    assert "npd data fetch" in err
    assert npd("score", file(award), "--profile", "demo")[0] == 0  # needs no such folder


def test_data_check(npd, tmp_path):
    cells = generator.generate(n=300, seed=1).astype(str)
    path = tmp_path / "case_level.csv"
    cells.to_csv(path, index=False, lineterminator="\n")
    for given in (path, tmp_path):
        code, out, _ = npd("data", "check", given)
        assert code == 0
        assert f"{path}: valid. Not a known release." in out
    cells.loc[:24, "y_amount_eur"] = "-5"
    cells.loc[3, "represented"] = "perhaps"
    cells.loc[4, "judgment_date"] = "2020-02-30"
    cells.to_csv(path, index=False, lineterminator="\n")
    code, out, err = npd("data", "check", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"{path} is not a valid release:")
    for part in (
        "y_amount_eur must be a non-negative number in euros (25)",
        "'perhaps'",
        "'2020-02-30'",
    ):
        assert part in err
    assert "… and 5 more" in err
    assert npd("data", "check", tmp_path / "absent.csv")[0] == 2


# npd train


def test_train_names_what_it_trains_and_trains_it_once(npd, reports):
    (reports / "demo" / "predictions" / "zero.csv").unlink()
    code, out, err = npd("train", "zero", "train-mean", "--profile", "demo")
    assert code == 0
    assert err == "train zero\n"
    assert [line.rsplit("/", 1)[1] for line in out.split()] == ["zero.csv", "train-mean.csv"]
    assert npd("train", "zero", "--profile", "demo")[2] == ""


def test_train_refuses_unknown_systems(npd):
    code, _, err = npd("train", "zero", "gpt", "--profile", "demo")
    assert code == 2
    assert "There is no system 'gpt'" in err
    assert "catboost" in err


# The command as it is started from a shell


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_exit_codes_and_streams_of_the_real_command(file, award):
    command = [sys.executable, "-m", "lib.cli", "score"]
    good = subprocess.run(
        [*command, file(award), "--profile", "demo"], capture_output=True, text=True, cwd=ROOT
    )
    assert (good.returncode, good.stderr) == (0, "")
    bad = subprocess.run(
        [*command, file(-award - 1), "--profile", "demo"], capture_output=True, text=True, cwd=ROOT
    )
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "y_pred is negative (600)" in bad.stderr
    assert "Traceback" not in bad.stderr


def test_help_imports_no_library_of_tables():
    code = "import sys, lib.cli; print(*{'pandas', 'numpy', 'yaml', 'pydantic'} & set(sys.modules))"
    assert python(code).strip() == ""


def test_scoring_imports_nothing_slow(file, award):
    path = file(award)
    slow = {"matplotlib", "sklearn", "scipy.stats", "pandera", "statsmodels", "catboost", "IPython"}
    code = (
        "import sys; from pathlib import Path; from lib import scorecard; "
        f"scorecard.make(Path({str(path)!r}), 'demo'); print(*{slow} & set(sys.modules))"
    )
    assert python(code).strip() == ""


def test_help_lists_the_commands(npd):
    code, out, _ = npd("--help")
    assert code == 0
    assert all(word in out for word in ("data", "score", "train", "report", "site"))


def test_predictions_of_the_fixture_are_what_ours_are(demo, reports):
    for name in KNOWN:
        path = reports / "demo" / "predictions" / f"{name}.csv"
        assert predictions.load(path, demo).card.recipe["data_sha256"] == demo.sha256
