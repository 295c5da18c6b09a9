"""Make a report: a thin front over Snakemake with a progress bar and errors for people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lib import plan, release, site
from lib.errors import UserError
from lib.files import ROOT, keep_inside_checkout
from lib.systems import training

LOCK = ROOT / ".cache" / "report.lock"
LOG_LINES = 40  # of Snakemake's output, shown where it fails


def report(profile: str, cores: int, stage_only: bool) -> tuple[plan.Plan, list[dict[str, Any]]]:
    """Train what is missing, run the notebooks that something changed for, render the site.

    Args:
        profile: "demo", "official", or "" for what ``report.yaml`` says.
        cores: jobs at once; 0 for one per core.
        stage_only: leave out the rendering.

    Returns:
        The plan, and what is recorded of each page that failed.

    Raises:
        UserError: for bad input, before anything runs; where another run is under way; where a
            step other than a notebook fails.
    """
    keep_inside_checkout()
    made = plan.make(profile)
    plan.check_users(made, release.load(made.profile))
    with _alone():
        for failure in failures(made):  # a page that failed runs again
            (made.folder / f"{failure['page']}.ipynb").unlink(missing_ok=True)
        _snakemake(made, cores or os.cpu_count() or 1, "pages" if stage_only else "all")
        sweep(made)
        if stage_only:
            site.stage(made.profile)
    return made, failures(made)


def train(profile: str, names: list[str], cores: int, executor: str = "") -> list[Path]:
    """Train systems whose prediction files are missing or out of date, side by side.

    Args:
        names: systems, or variants of :mod:`lib.systems.ablations`; empty for all of the report.
        cores: jobs at once; 0 for one per core.
        executor: one of Snakemake's (such as "slurm", whose plug-in must be installed); "" runs
            the jobs on this machine.

    Returns:
        The prediction files, in the order of the names.

    Raises:
        UserError: for an unknown name or bad data, before anything runs; where a training fails.
    """
    keep_inside_checkout()
    made = plan.make(profile)
    release.load(made.profile)  # bad data is told of before anything runs
    names = names or made.own
    for name in names:
        training.find(name)
    paths = [training.path_of(name, made.profile) for name in names]
    with _alone():
        targets = [os.path.relpath(path, ROOT) for path in paths]
        _snakemake(made, cores or os.cpu_count() or 1, *targets, executor=executor)
    return paths


@contextmanager
def _alone() -> Iterator[None]:
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(LOCK, timeout=0):
            yield
    except Timeout:
        raise UserError("Another run is under way in this checkout; wait for it.") from None


def _snakemake(made: plan.Plan, cores: int, *targets: str, executor: str = "") -> None:
    elsewhere = ["--executor", executor, "--jobs", str(cores)] if executor else []
    command = [
        sys.executable, "-m", "snakemake", "--cores", str(cores), *elsewhere, "--keep-going",
        "--rerun-incomplete", "--nolock", "--nocolor", "--config", f"profile={made.profile}",
        "--", *targets,
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        lines = []
        try:
            for line in _shown(process.stdout):
                lines.append(line)
        except KeyboardInterrupt:
            process.wait()  # the terminal told it too; let it clear away what is half done
            raise
    if process.returncode:
        raise UserError("The run did not finish:\n" + "".join(lines[-LOG_LINES:]).rstrip())


def _shown(lines: Iterator[str]) -> Iterator[str]:
    """Pass Snakemake's lines on while showing how far it is."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    names: dict[str, str] = {}
    job = ""
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("report", total=None)
        for line in lines:
            yield line
            if found := re.match(r"\s+jobid: (\d+)", line):
                job = found[1]
            elif found := re.match(r"\s+wildcards: (?:page|system|variant)=(\S+)", line):
                names[job] = found[1]
                bar.update(task, description=found[1])
            elif found := re.match(r"Finished jobid: (\d+) \(Rule: (\w+)\)", line):
                if not console.is_terminal:
                    console.print(f"{found[2]} {names.get(found[1], '')}".rstrip(), highlight=False)
            elif found := re.match(r"(\d+) of (\d+) steps", line):
                bar.update(task, completed=int(found[1]), total=int(found[2]))


def failures(made: plan.Plan) -> list[dict[str, Any]]:
    """What is recorded of each page of a plan that failed in the last run."""
    records = []
    for page in made.pages:
        path = made.folder / "failures" / f"{page.name}.json"
        if path.is_file():
            records.append(json.loads(path.read_text(encoding="utf-8")))
    return records


def describe(failure: dict[str, Any]) -> str:
    """A failed page for the terminal: notebook, cell, its code, and the traceback."""
    code = "\n".join("    " + line for line in failure["source"].splitlines())
    return (
        f"\n{failure['page']} failed in cell {failure['cell']} of {failure['notebook']}: "
        f"{failure['error']}\n{code}\n\n{failure['traceback']}\n"
    )


def sweep(made: plan.Plan) -> None:
    """Remove pages, tables and figures that no page of the plan makes any more."""
    pages = {page.name for page in made.pages}
    kept: set[Path] = set()
    for name in pages:
        record = made.folder / "runs" / f"{name}.json"
        kept |= {made.folder / f"{name}.ipynb", record, made.folder / "failures" / record.name}
        if record.is_file():
            outputs = json.loads(record.read_text(encoding="utf-8"))["outputs"]
            kept |= {made.folder / output for output in outputs}
    for pattern in ("*.ipynb", "runs/*", "failures/*", "tables/*", "figures/*"):
        for path in made.folder.glob(pattern):
            if path not in kept:
                path.unlink()
