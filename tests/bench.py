"""`make bench`: how long the main jobs take, beside their peers and targets, in one run.

Works on the official release where it is at hand, else on the demo. Nothing in the checkout's
reports/ or predictions/ is touched.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from lib import bootstrap, predictions, release
from lib.files import ROOT
from lib.systems import training

SYSTEMS = 20
PUBLISHED = ("catboost", "lightgbm", "xgboost")
CORES = os.cpu_count() or 1


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def line(what: str, measured: str, target: str, reached: bool) -> None:
    print(
        f"{what:<58} {measured:>24}   target {target:<20} {'yes' if reached else 'NO'}", flush=True
    )


def noisy_copies(folder: Path, data: release.Release) -> None:
    """Twenty noisy copies of one system's file, in a folder of users' files."""
    stream = np.random.default_rng(0)
    base = pd.read_csv(training.ensure(data, ["train-median"])[0])
    for i in range(SYSTEMS):
        noisy = base.assign(y_pred=base["y_pred"] * stream.lognormal(0, 0.5, len(base)))
        predictions.write(folder, f"copy-{i:02d}", noisy, predictions.Card(name=f"Copy {i}"))


def bench_score(data: release.Release, folder: Path, env: dict[str, str]) -> None:
    mine = predictions.write(
        folder.parent, "mine", pd.read_csv(folder / "copy-00.csv"), predictions.Card(name="Mine")
    )
    command = [str(Path(sys.executable).parent / "npd"), "score", str(mine)]
    command += ["--profile", data.profile]
    run = lambda: subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)  # noqa: E731
    run()  # file caches
    seconds = min(timed(run) for _ in range(3))
    line(
        f"npd score, {SYSTEMS + 1} known systems, {data.profile}",
        f"{seconds:.2f} s",
        "≤ 3 s",
        seconds <= 3,
    )


def bench_bootstrap(cases: int) -> None:
    stream = np.random.default_rng(1)
    errors = pd.DataFrame(stream.lognormal(8, 2, (cases, SYSTEMS))).add_prefix("s")
    ours = min(timed(lambda: bootstrap.paired(errors)) for _ in range(3))

    def difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return a.mean(axis=axis) - b.mean(axis=axis)

    values = errors.to_numpy()

    def peer() -> None:
        for i in range(SYSTEMS):
            for j in range(i + 1, SYSTEMS):
                stats.bootstrap(
                    (values[:, i], values[:, j]), difference, paired=True, vectorized=True,
                    n_resamples=bootstrap.RESAMPLES, method="percentile", rng=42, batch=100,
                )  # fmt: skip

    theirs = timed(peer)
    pairs = SYSTEMS * (SYSTEMS - 1) // 2
    line(
        f"paired bootstrap, {pairs} pairs × {cases:,} cases × {bootstrap.RESAMPLES:,}",
        f"{ours:.2f} s, scipy {theirs:.1f} s",
        "≥ 50 × faster",
        theirs / ours >= 50,
    )
    print(f"    {theirs / ours:.0f} × faster than scipy.stats.bootstrap(paired=True)")


def bench_million() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    errors = np.random.default_rng(2).lognormal(8, 2, (1_000_000, 2))
    seconds = timed(lambda: bootstrap.resampled_means(errors, resamples=100))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    line(
        "resampled means, 1,000,000 cases × 100 resamples",
        f"{seconds:.1f} s, +{grown:.0f} MB",
        "bounded memory",
        grown < 500,
    )


def bench_report(profile: str, folder: Path, env: dict[str, str]) -> None:
    """In a copy of the checkout, so that its reports and site stay as they are."""
    copy = folder / "checkout"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        if not name.startswith("reports/") and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    env = env | {"PYTHONPATH": str(copy)}
    env.pop("NPD_PREDICTIONS"), env.pop("NPD_REPORTS")

    def npd(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "lib.cli", *arguments, "--profile", profile],
            cwd=copy, env=env, check=True, capture_output=True,
        )  # fmt: skip

    published = timed(lambda: npd("train", *PUBLISHED))
    trained = published + timed(lambda: npd("train"))
    wall = timed(lambda: npd("report", "--stage-only"))
    runs = [json.loads(p.read_text()) for p in (copy / "reports" / profile / "runs").glob("*.json")]
    kernels = sum(run["kernel_seconds"] for run in runs)
    ratio = wall / (kernels / CORES)
    line(
        "training the published three, both protocols",
        f"{published:.0f} s",
        "≤ 120 s",
        published <= 120,
    )
    line("training all systems, both protocols", f"{trained:.0f} s", "≤ 900 s", trained <= 900)
    line(
        f"{len(runs)} notebooks, cold, {CORES} cores, {profile}",
        f"{wall:.1f} s = {ratio:.2f} × Σ/cores",
        f"≤ 1.3 × {kernels / CORES:.1f} s",
        ratio <= 1.3,
    )
    npd("report")
    warm = timed(lambda: npd("report"))
    line("npd report, nothing changed", f"{warm:.1f} s", "≤ 5 s", warm <= 5)


def bench_judgments(folder: Path, release_: release.Release) -> None:
    """Read, segment and extract judgments; time per thousand, and memory for a half and for all."""
    from lib.judgments import corpus

    files = corpus.default_files(release_)
    if not files:
        print("no judgments at hand (NPD_JUDGMENTS)")
        return
    script = (
        "import resource, sys; from pathlib import Path; from lib.judgments import corpus; "
        "files = [Path(name) for name in sys.stdin.read().split()]; "
        "corpus.run(files, Path(sys.argv[1]), workers=int(sys.argv[2])); "
        "who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN; "
        "print(max(resource.getrusage(one).ru_maxrss for one in who) // 1024)"
    )  # fmt: skip

    def run(some: list[Path], name: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", script, str(folder / name), str(CORES)], cwd=ROOT, check=True,
            input="\n".join(map(str, some)), capture_output=True, text=True,
        )  # fmt: skip
        return int(done.stdout)

    half = run(files[: len(files) // 2], "half")
    peaks: list[int] = []
    wall = timed(lambda: peaks.append(run(files, "all")))
    thousand = wall / len(files) * 1000
    line(
        f"{len(files)} judgments read, segmented, extracted, {CORES} cores",
        f"{wall:.1f} s = {thousand:.0f} s per 1,000",
        "≤ 60 s per 1,000",
        thousand <= 60,
    )
    line("their peak memory", f"{peaks[0]} MB; a half {half} MB", "≤ 1.3 ×", peaks[0] <= 1.3 * half)


def main() -> None:
    data = release.load()
    print(f"{data.name or data.path}, {len(data.test):,} test cases, {CORES} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        users = folder / "users"
        os.environ |= {"NPD_REPORTS": str(folder / "reports"), "NPD_PREDICTIONS": str(users)}
        noisy_copies(users, data)
        bench_score(data, users, dict(os.environ))
        bench_bootstrap(len(data.test))
        bench_million()
        bench_judgments(folder, data)
        bench_report(data.profile, folder, dict(os.environ))


if __name__ == "__main__":
    main()
