"""`npd report`: only what changed, resumed, and failures named; on short copies of the checkout."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkout import copy_to, environment, npd, shorten

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = copy_to(tmp_path_factory.mktemp("run"))
    shorten(folder, "home", "error-buckets")
    return folder


@pytest.fixture(scope="module")
def made(copy):
    done = npd(copy, "report")
    assert done.returncode == 0, done.stderr
    return copy


def pages(folder):
    return {p.name: p.stat().st_mtime_ns for p in (folder / "reports" / "demo").glob("*.ipynb")}


def test_second_run_runs_nothing(made):
    before = pages(made)
    done = npd(made, "report")
    assert done.returncode == 0
    assert "notebook" not in done.stderr
    assert pages(made) == before
    assert set(before) == {"home.ipynb", "error-buckets.ipynb", "system-train-median.ipynb",
                           "system-zero.ipynb"}  # fmt: skip


def test_the_demo_run_makes_no_official_report(made):
    assert not (made / "reports" / "official").exists()


def test_same_inputs_same_bytes(made):
    folder = made / "reports" / "demo"
    kept = [*folder.glob("*.ipynb"), *folder.glob("tables/*"), *folder.glob("figures/*")]
    before = {path: path.read_bytes() for path in kept}
    for path in kept:
        path.unlink()
    assert npd(made, "report").returncode == 0
    assert {path: path.read_bytes() for path in kept} == before


def test_bad_user_files_are_refused_before_anything_runs(made):
    before = pages(made)
    bad = made / "predictions" / "bad.csv"
    bad.write_text("case_id,y_pred\n900-000001,-1\nnonsense,x\n", "utf-8")
    try:
        done = npd(made, "report")
    finally:
        bad.unlink()
    assert done.returncode == 2
    assert "is negative" in done.stderr
    assert "is not a number" in done.stderr
    assert "Traceback" not in done.stderr
    assert pages(made) == before


def test_a_file_named_like_one_of_ours_is_refused(made):
    clash = made / "predictions" / "catboost.csv"
    clash.write_text("case_id,y_pred\n", "utf-8")
    try:
        done = npd(made, "report")
    finally:
        clash.unlink()
    assert done.returncode == 2
    assert "names a system that is there already" in done.stderr


def test_a_failing_notebook_is_named_and_the_rest_runs(made):
    path = made / "notebooks" / "error-buckets.ipynb"
    kept = path.read_text("utf-8")
    notebook = json.loads(kept)
    cell = next(c for c in notebook["cells"] if "bucket_shares" in "".join(c["source"]))
    cell["source"] = "raise RuntimeError('planted')"
    path.write_text(json.dumps(notebook), "utf-8")
    (made / "reports" / "demo" / "home.ipynb").unlink()
    try:
        done = npd(made, "report")
    finally:
        path.write_text(kept, "utf-8")
    assert done.returncode == 2
    assert "error-buckets failed in cell" in done.stderr
    assert "RuntimeError: planted" in done.stderr
    assert (made / "reports" / "demo" / "home.ipynb").is_file()
    page = (made / "_site" / "report" / "error-buckets.html").read_text("utf-8")
    assert "could not be made" in page
    assert "planted" not in page
    again = npd(made, "report")
    assert again.returncode == 0
    assert "could not" not in (made / "_site" / "report" / "error-buckets.html").read_text("utf-8")


def test_a_kernel_that_dies_is_started_again_and_then_named(tmp_path, monkeypatch):
    from lib import notebooks
    from lib.page import Page

    page = Page("methods", Path("notebooks/methods.ipynb"), {"profile": "demo"})
    tries, kept = [], notebooks.papermill.execute_notebook

    def dies_once(*arguments, **kwargs):
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError("Kernel died before replying to kernel_info")
        return kept(*arguments, **kwargs)

    monkeypatch.setattr(notebooks.papermill, "execute_notebook", dies_once)
    assert notebooks.run(page, tmp_path)
    assert len(tries) == 2

    def dies(*_, **__):
        raise RuntimeError("Kernel died")

    monkeypatch.setattr(notebooks.papermill, "execute_notebook", dies)
    assert not notebooks.run(page, tmp_path)
    assert "the kernel died" in (tmp_path / "failures" / "methods.json").read_text("utf-8")
    assert "could not be made" in (tmp_path / "methods.ipynb").read_text("utf-8")


def test_an_interrupted_run_goes_on(made):
    folder = made / "reports" / "demo"
    for path in folder.glob("*.ipynb"):
        path.unlink()
    process = subprocess.Popen(
        [sys.executable, "-m", "lib.cli", "report"], cwd=made, env=environment(made),
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 120
    while len(list(folder.glob("*.ipynb"))) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(0.7)  # a page is on disk a moment before its job has ended
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "goes on from here" in said
    finished = {path: path.stat().st_mtime_ns for path in folder.glob("*.ipynb")}
    assert finished
    for path in finished:
        json.loads(path.read_text("utf-8"))
    assert not list(folder.rglob(".part-*"))
    done = npd(made, "report")
    assert done.returncode == 0, done.stderr
    assert len(list(folder.glob("*.ipynb"))) == 4
    # a page whose job had not ended yet may run again, never all of them
    again = [path for path, at in finished.items() if path.stat().st_mtime_ns != at]
    assert len(again) <= len(finished) - 1


def test_bad_configuration_lists_every_problem(copy, tmp_path):
    folder = copy_to(tmp_path)
    shorten(folder, "home", "no-such", "../home", systems=("zero", "nobody"))
    done = npd(folder, "report")
    assert done.returncode == 2
    for what in ("'no-such'", "'../home'", "'nobody'", "train-median must be there"):
        assert what in done.stderr
