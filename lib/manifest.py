"""What a report was made from: hashes, versions, seeds, parameters, times."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pandas as pd

from lib import bootstrap, plan, release
from lib.files import ROOT, sha256, write_text

PACKAGES = (
    "pandas", "numpy", "scipy", "scikit-learn", "statsmodels", "catboost", "lightgbm",
    "xgboost-cpu", "matplotlib", "seaborn", "papermill", "nbclient", "ipykernel", "snakemake",
)  # fmt: skip


def inputs(made: plan.Plan) -> dict[str, Any]:
    """What a run starts from; the same for the same data, files, code and packages."""
    data = release.load(made.profile)
    return {
        "profile": made.profile,
        "release": {"name": data.name, "sha256": data.sha256, "cases": len(data.cases)},
        "predictions": {
            path.stem: {
                "sha256": sha256(path),
                "origin": "user" if path in made.users else "this project",
            }
            for path in plan.system_files(made)
            if path.is_file()  # a notebook opened by hand may come before any training
        },
        "notebooks": {
            page.name: {
                "notebook": page.source.name,
                "sha256": sha256(ROOT / page.source),
                "parameters": page.parameters,
            }
            for page in made.pages
        },
        "bootstrap": {"resamples": bootstrap.RESAMPLES, "seed": bootstrap.SEED},
        "code": {"version": version("human-rights-benchmark-lab"), "commit": _commit()},
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def make(made: plan.Plan) -> dict[str, Any]:
    """The manifest of a run whose notebooks have been executed: its inputs, times and outputs."""
    folder = made.folder
    seconds = {}
    for page in made.pages:
        record = json.loads((folder / "runs" / f"{page.name}.json").read_text(encoding="utf-8"))
        seconds[page.name] = record["kernel_seconds"]
    return inputs(made) | {
        "made": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "platform": platform.platform(terse=True),
        "kernel_seconds": seconds,
        "failed": sorted(path.stem for path in (folder / "failures").glob("*.json")),
        "outputs": {
            path.relative_to(folder).as_posix(): sha256(path)
            for path in sorted((folder / "tables").glob("*.csv"))
        },
    }


def _commit() -> str:
    """The checkout's commit, "+" where its code differs from it, "" outside git."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=20, check=True
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!reports")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def predictions_table(manifest: dict[str, Any]) -> pd.DataFrame:
    """One row a prediction file: system, origin, SHA-256."""
    return pd.DataFrame(
        columns=["System", "Origin", "SHA-256"],
        data=[
            {"System": name, "Origin": entry["origin"], "SHA-256": entry["sha256"]}
            for name, entry in manifest["predictions"].items()
        ],
    )


def notebooks_table(manifest: dict[str, Any]) -> pd.DataFrame:
    """One row a page: its notebook and parameters."""
    return pd.DataFrame(
        columns=["Page", "Notebook", "Parameters", "SHA-256 of the notebook"],
        data=[
            {
                "Page": name,
                "Notebook": entry["notebook"],
                "Parameters": ", ".join(f"{k} = {v!r}" for k, v in entry["parameters"].items()),
                "SHA-256 of the notebook": entry["sha256"],
            }
            for name, entry in manifest["notebooks"].items()
        ],
    )


def packages_table(manifest: dict[str, Any]) -> pd.DataFrame:
    """Python and the packages that the figures depend on."""
    versions = {"python": manifest["python"]} | manifest["packages"]
    return pd.DataFrame({"Package": list(versions), "Version": list(versions.values())})


def main(profile: str) -> int:
    """Write the manifest of a profile's run."""
    made = plan.make(profile)
    text = json.dumps(make(made), ensure_ascii=False, indent=1)
    write_text(made.folder / "manifest.json", text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
