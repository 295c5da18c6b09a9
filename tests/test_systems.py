import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

from lib import metrics, predictions, run
from lib.errors import UserError
from lib.features import PREDICTORS, public_predictors
from lib.files import ROOT
from lib.systems import ablations, training, trees
from lib.systems.constants import STATISTICS, Constant
from lib.systems.registry import BASELINE, CHOSEN, REFITTED, REPORTED, SYSTEMS
from lib.systems.trees import SETTINGS, Trees

LIBRARIES = list(SETTINGS)
CONSTANTS = ["train-median", "train-mean", "zero", "train-positive-median", "train-positive-mean"]
FAST = [*CONSTANTS, *LIBRARIES, "knn-euclidean", "recency", "log-normal", "multi-quantile"]
ENDS = (".csv", ".yaml", "-refit.csv", "-refit.yaml")


@pytest.fixture(autouse=True)
def reports(tmp_path, monkeypatch):
    monkeypatch.setenv("NPD_REPORTS", str(tmp_path))
    return tmp_path


@pytest.fixture
def quick(monkeypatch):
    """The three libraries, as published, with a few trees."""
    for library, few in zip(LIBRARIES, ("iterations", "n_estimators", "n_estimators"), strict=True):
        monkeypatch.setitem(SETTINGS, library, SETTINGS[library] | {few: 15})


# Estimators


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [("median", 10), ("mean", 30), ("zero", 0), ("positive median", 30), ("positive mean", 50)],
)
def test_constants_by_hand(statistic, expected):
    system = Constant(statistic).fit(None, [0, 0, 10, 30, 110])
    assert system.predict(pd.DataFrame(index=range(3))).tolist() == [expected] * 3


def test_every_statistic_is_tested_and_registered():
    assert len(STATISTICS) == len(CONSTANTS) == 5
    assert {*CONSTANTS, *LIBRARIES} < set(SYSTEMS)
    assert {BASELINE, CHOSEN} < set(SYSTEMS)
    assert set(REPORTED) == {*SYSTEMS, CHOSEN + REFITTED}
    assert not set(ablations.VARIANTS) & set(SYSTEMS)


def test_published_settings():
    """Paper appendix C.3, as in the facts that the project is checked against."""
    cat, light, xgb = (SETTINGS[name] for name in ("catboost", "lightgbm", "xgboost"))
    assert cat == {"depth": 4, "iterations": 700, "learning_rate": 0.04, "l2_leaf_reg": 5}
    assert (light["n_estimators"], light["num_leaves"], light["min_child_samples"]) == (900, 31, 20)
    assert (light["reg_lambda"], light["subsample"], light["subsample_freq"]) == (5, 0.9, 1)
    assert (xgb["n_estimators"], xgb["max_depth"], xgb["tree_method"]) == (600, 4, "hist")
    assert light["colsample_bytree"] == xgb["colsample_bytree"] == xgb["subsample"] == 0.9
    assert light["learning_rate"] == xgb["learning_rate"] == 0.04
    assert trees.SEED == 42


@pytest.mark.parametrize("library", LIBRARIES)
def test_trees_never_predict_below_zero(demo, quick, library):
    train, test = demo.split("train").head(400), demo.split("test")
    y = np.random.default_rng(0).choice([0, 0, 1e6], len(train))
    system = Trees(library).fit(public_predictors(train), y)
    predicted = system.predict(public_predictors(test))
    assert predicted.shape == (len(test),)
    assert (predicted >= 0).all()
    assert np.isfinite(predicted).all()
    assert len(np.unique(predicted)) > 1
    system.model_ = SimpleNamespace(predict=lambda X: np.linspace(-5, np.log1p(7), len(X)))
    assert system.predict(public_predictors(test))[[0, -1]].tolist() == pytest.approx([0, 7])


@pytest.mark.parametrize("library", LIBRARIES)
def test_trees_get_seed_threads_and_settings(library):
    given = trees.model(library, SETTINGS[library], []).get_params()
    assert given.get("random_state", given.get("random_seed")) == 42
    assert given.get("n_jobs", given.get("thread_count")) == 1
    assert {key: given[key] for key in SETTINGS[library]} == SETTINGS[library]


@pytest.mark.parametrize("library", LIBRARIES)
def test_trees_take_values_unseen_in_training(demo, quick, library):
    X = public_predictors(demo.split("train").head(300))
    system = Trees(library).fit(X, np.arange(300.0))
    odd = X.head(2).assign(
        country_alpha2="zz", violated_articles="P16-9", violation_duration_months=np.nan
    )
    assert (system.predict(odd) >= 0).all()


# Training


def path_of(name: str):
    return training.path_of(name, "demo")


def written(name: str) -> tuple[bytes, ...]:
    """A system's files of both protocols, their cards without what was measured."""
    files = []
    for path in (path_of(name), path_of(name + REFITTED)):
        card = yaml.safe_load(path.with_suffix(".yaml").read_text("utf-8"))
        card["measured"].pop("fit_seconds")
        card["measured"].pop("peak_memory_mb")
        files += [path.read_bytes(), yaml.safe_dump(card).encode()]
    return tuple(files)


@pytest.mark.slow
def test_every_system_covers_its_cases_and_states_its_recipe(demo):
    validation, test = set(demo.split("validation")["case_id"]), set(demo.test["case_id"])
    named = [name for name in REPORTED if not name.endswith(REFITTED)]
    for name in [*named, *(name + REFITTED for name in named)]:
        refitted = name.endswith(REFITTED)
        (path,) = training.ensure(demo, [name])
        loaded = predictions.load(path, demo)  # checks against the contract of prediction files
        assert set(loaded.table["case_id"]) == (test if refitted else validation | test)
        system, card = training.find(name), loaded.card
        assert card.recipe["data_sha256"] == demo.sha256
        assert card.recipe["trained_on"] == (
            "train and validation, 2,400 cases" if refitted else "train, 2,100 cases"
        )
        assert card.recipe["versions"] == {p: version(p) for p in system.packages}
        assert card.coverage == "full"
        assert not card.diagnostic
        assert card.measured["fit_seconds"] >= 0
        assert card.measured["peak_memory_mb"] > 0
        assert ("trees" in card.recipe) == system.short
        if (
            system.packages
            and "knn" not in name
            and name.removesuffix(REFITTED) != ("median-regression")
        ):
            assert card.recipe["settings"]["seed"] == 42
        tried = card.measured.get("candidates", [])
        assert [one["parameters"] for one in tried] == list(system.candidates)
        assert sum(one["chosen"] for one in tried) == bool(system.candidates)
        least = min(tried, key=lambda one: one["validation_mae"], default=None)
        assert least is None or least["chosen"]


@pytest.mark.parametrize("name", ["train-mean", *LIBRARIES, "log-normal"])
def test_same_bytes_twice(demo, quick, name):
    training.train(name, demo)
    first = written(name)
    path_of(name).unlink()
    training.train(name, demo)
    assert written(name) == first


def with_later_awards_changed(release, splits):
    """The release with other awards, and other columns that describe them, in some splits."""
    cases = release.cases.copy()
    later = cases["split"].isin(splits)
    for column in training.AWARDS + training.BENEFICIARIES:
        values = cases.loc[later, column].sample(frac=1, random_state=0).to_numpy()
        cases.loc[later, column] = values
    cases.loc[later, "y_amount_eur"] = cases.loc[later, "y_amount_eur"] * 3 + 1
    return replace(release, cases=cases)


@pytest.mark.parametrize("name", FAST)
def test_test_awards_never_reach_a_system(demo, quick, name):
    training.train(name, demo)
    honest = written(name)
    training.train(name, with_later_awards_changed(demo, ["test"]))
    assert written(name) == honest


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SYSTEMS) - set(FAST)))
def test_test_awards_never_reach_the_other_systems(demo, name):
    training.train(name, demo)
    honest = written(name)
    training.train(name, with_later_awards_changed(demo, ["test"]))
    assert written(name) == honest


@pytest.mark.parametrize("name", [*CONSTANTS, *LIBRARIES, "knn-cosine", "median-regression"])
def test_validation_awards_reach_the_refitted_system_alone(demo, quick, name):
    training.train(name, demo)
    honest = written(name)
    training.train(name, with_later_awards_changed(demo, ["validation", "test"]))
    changed = written(name)
    assert changed[:2] == honest[:2]
    assert (changed[2] != honest[2]) == (name != "zero")


def test_training_is_handed_no_test_award(demo):
    handed = training.for_training(demo)
    test, rest = handed["split"] == "test", handed["split"] != "test"
    for column in training.AWARDS + training.BENEFICIARIES:
        assert handed.loc[test, column].isna().all()
        assert (handed.loc[rest, column] == demo.cases.loc[rest, column]).all()
    allowed = [c for c in handed if c not in training.AWARDS + training.BENEFICIARIES]
    assert handed[allowed].equals(demo.cases[allowed])


def test_an_estimator_that_looks_for_test_awards_finds_none(demo, monkeypatch):
    class Thief(Constant):
        def fit(self, X, y):
            assert np.isfinite(y).all()
            return super().fit(X, y)

    read = []
    monkeypatch.setattr(
        training.features, "check_inputs", lambda inputs, cases, make: read.append(cases)
    )
    monkeypatch.setitem(SYSTEMS, "zero", replace(SYSTEMS["zero"], build=lambda: Thief("zero")))
    training.train("zero", demo)
    (test,) = [cases for cases in read if (cases["split"] == "test").all()]
    assert test[list(training.AWARDS + training.BENEFICIARIES)].isna().all(axis=None)


def test_training_awards_do_reach_a_system(demo):
    honest = training.train("train-mean", demo).read_bytes()
    cases = demo.cases.assign(y_amount_eur=demo.cases["y_amount_eur"] + 1)
    assert training.train("train-mean", replace(demo, cases=cases)).read_bytes() != honest


def test_a_system_is_given_predictors_and_training_awards_only(demo, monkeypatch):
    class Spy(Constant):
        def fit(self, X, y):
            seen["fit"].append((X, np.array(y)))
            return super().fit(X, y)

        def predict(self, X):
            seen["predict"].append(X)
            return super().predict(X)

    seen = {"fit": [], "predict": []}
    monkeypatch.setitem(SYSTEMS, "zero", replace(SYSTEMS["zero"], build=lambda: Spy("zero")))
    training.train("zero", demo)
    for (X, y), splits in zip(seen["fit"], [["train"], ["train", "validation"]], strict=True):
        expected = pd.concat([demo.split(split) for split in splits])
        assert X.index.tolist() == expected["case_id"].tolist()
        assert y.tolist() == expected["y_amount_eur"].tolist()
    for given in [*(X for X, _ in seen["fit"]), *seen["predict"]]:
        assert list(given) == list(PREDICTORS)
    assert sorted(len(given) for given in seen["predict"]) == [300, 600, 600]


# Training again


@pytest.fixture
def trained(demo):
    training.ensure(demo, CONSTANTS)
    return training.folder("demo")


def again(release, names=CONSTANTS) -> list[str]:
    """Which systems ``ensure`` trains."""
    told = []
    paths = training.ensure(release, names, progress=told.append)
    assert [path.stem for path in paths] == list(names)
    assert all(path.is_file() for path in paths)
    return told


def test_ensure_trains_nothing_twice(demo, trained):
    times = {path: path.stat().st_mtime_ns for path in trained.iterdir()}
    assert again(demo) == []
    assert {path: path.stat().st_mtime_ns for path in trained.iterdir()} == times


def test_ensure_trains_what_is_missing(demo, trained):
    (trained / "zero.csv").unlink()
    (trained / "train-mean.yaml").unlink()
    (trained / "train-median-refit.csv").unlink()
    assert again(demo) == ["train-median", "train-mean", "zero"]


def test_both_protocols_are_one_training(demo, trained):
    (trained / "zero-refit.csv").unlink()
    assert again(demo, ["zero-refit", "zero"]) == ["zero"]


@pytest.mark.parametrize(
    "change",
    [
        lambda card: card["recipe"].update(data_sha256="0" * 64),
        lambda card: card["recipe"].update(settings={"seed": 7}),
        lambda card: card["recipe"].update(versions={"catboost": "0.1"}),
        lambda card: card.update(notes="changed"),
        lambda card: card.pop("name"),
        lambda card: card.clear(),
        lambda card: card["recipe"].update(candidates=[{"half_life": 6}]),
    ],
)
def test_ensure_trains_what_is_stale(demo, trained, change):
    path = trained / "zero.yaml"
    card = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(card)
    path.write_text(yaml.safe_dump(card), encoding="utf-8")
    assert again(demo) == ["zero"]
    assert again(demo) == []


def test_ensure_trains_again_where_the_card_is_no_yaml(demo, trained):
    (trained / "zero.yaml").write_text("name: [", encoding="utf-8")
    assert again(demo) == ["zero"]


def test_ensure_trains_again_on_another_release(demo, trained):
    assert again(replace(demo, sha256="1" * 64)) == CONSTANTS


def test_an_interrupted_training_does_not_pass_for_done(demo, trained, monkeypatch):
    (trained / "zero.yaml").write_text("name: old", encoding="utf-8")

    def stopped(folder, system, table, card):
        (folder / f"{system}.yaml").write_text(predictions.dump_card(card), encoding="utf-8")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(predictions, "write", stopped)
        with pytest.raises(KeyboardInterrupt):
            training.ensure(demo, ["zero"])
    assert again(demo) == ["zero"]


def test_unknown_system_is_refused_before_anything_is_trained(demo, reports):
    with pytest.raises(UserError, match=r"no system 'gpt'.*\n.*catboost"):
        training.ensure(demo, ["zero", "gpt"])
    assert not list(reports.rglob("*.csv"))


def test_two_processes_at_once_train_each_system_once(reports):
    code = (
        "from lib import release; from lib.systems import training; "
        f"training.ensure(release.load('demo'), {[*CONSTANTS, 'xgboost']}, progress=print)"
    )
    jobs = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for _ in range(3)
    ]
    said = [job.communicate(timeout=120) for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0, 0], said
    trained = [name for out, _ in said for name in out.split()]
    assert sorted(trained) == sorted([*CONSTANTS, "xgboost"])
    left = {path.name for path in training.folder("demo").iterdir()}
    assert left == {f"{name}{end}" for name in trained for end in ENDS}


# At full size


@pytest.mark.slow
@pytest.mark.parametrize("name", [*LIBRARIES, "hurdle", "stack"])
def test_same_bytes_in_a_fresh_process(demo, reports, name):
    path = training.train(name, demo)
    first = path.read_bytes()
    path.unlink()
    subprocess.run(
        [sys.executable, "-m", "lib.systems.training", name, "demo"], check=True, cwd=ROOT
    )
    assert path.read_bytes() == first


def test_variants_lie_apart(demo, quick):
    path = training.train("published-X1", demo)
    assert path.parent == training.folder("demo") / ablations.FOLDER
    assert training.is_current("published-X1", demo)
    assert sorted(p.name for p in path.parent.iterdir()) == [
        "published-X1.csv",
        "published-X1.yaml",
    ]


def test_only_variants_that_show_a_leak_see_forbidden_columns():
    leaking = {name for name, one in ablations.VARIANTS.items() if one.diagnostic}
    assert leaking == {"published-leak", "mae-leak"}
    assert not any(system.diagnostic for system in SYSTEMS.values())


def mae_of(name, release) -> float:
    table = predictions.load(training.train(name, release), release)
    scored = predictions.align([table], release)
    return float(metrics.mae(scored["y_true"], scored["y_pred"]))


@pytest.mark.official
@pytest.mark.parametrize(
    ("name", "published"),
    [("train-median", 11_006.33), ("train-mean", 14_945.17), ("zero", 11_713.41)],
)
def test_constants_on_the_official_release(official, name, published):
    assert mae_of(name, official) == pytest.approx(published, abs=0.006)


@pytest.mark.official
@pytest.mark.slow
def test_catboost_beats_the_train_median_on_the_official_release(official):
    assert mae_of("catboost", official) < 11_006.33


@pytest.mark.official
@pytest.mark.slow
def test_the_chosen_system_has_the_lowest_validation_mae(official):
    """By the files of the official report that the project carries."""
    folder = ROOT / "reports" / "official" / "predictions"
    loaded = predictions.load_all([folder / f"{name}.csv" for name in SYSTEMS], official)
    scored = predictions.align(loaded, official, "validation")
    assert scored.groupby("system")["abs_error"].mean().idxmin() == CHOSEN


# On a cluster


@pytest.fixture
def snakemake(monkeypatch, tmp_path):
    """The command lines that `npd train` would start."""
    commands = []

    class Started:
        returncode, stdout = 0, ()

        def __init__(self, command, **_):
            commands.append(command)

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *_: None  # noqa: E731

    monkeypatch.setattr(run.subprocess, "Popen", Started)
    monkeypatch.setattr(run, "LOCK", tmp_path / "lock")
    return commands


def test_train_passes_the_executor_to_snakemake(snakemake):
    paths = run.train("demo", ["zero", "hurdle-refit"], 8, "slurm")
    (command,) = snakemake
    at = command.index("--executor")
    assert command[at : at + 4] == ["--executor", "slurm", "--jobs", "8"]
    targets = command[command.index("--") + 1 :]
    assert [Path(target).name for target in targets] == ["zero.csv", "hurdle-refit.csv"]
    assert [path.name for path in paths] == ["zero.csv", "hurdle-refit.csv"]


def test_train_runs_here_by_default(snakemake):
    run.train("demo", [], 2)
    (command,) = snakemake
    assert "--executor" not in command
    targets = {Path(target).stem for target in command[command.index("--") + 1 :]}
    assert targets == set(REPORTED)


def test_train_refuses_unknown_names_before_it_starts(snakemake):
    with pytest.raises(UserError, match="no system 'gpt'"):
        run.train("demo", ["zero", "gpt"], 1)
    assert snakemake == []
