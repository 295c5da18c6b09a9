"""What a report was made from: hashes, versions, seeds, parameters, times."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from lib import bootstrap, plan, release
from lib.files import ROOT, report_folder, sha256, write_text

PACKAGES = (
    "pandas", "numpy", "scipy", "scikit-learn", "statsmodels", "catboost", "lightgbm",
    "xgboost-cpu", "matplotlib", "seaborn", "papermill", "nbclient", "ipykernel", "snakemake",
)  # fmt: skip


def make(made: plan.Plan) -> dict[str, Any]:
    """Gather the manifest of a run whose notebooks have been executed."""
    data = release.load(made.profile)
    folder = made.folder
    runs = {}
    for page in made.pages:
        path = folder / "runs" / f"{page.name}.json"
        if not path.is_file():  # opened by hand before any run
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        runs[page.name] = record | {"failed": (folder / "failures" / f"{page.name}.json").exists()}
    return {
        "profile": made.profile,
        "made": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "release": {
            "name": data.name,
            "sha256": data.sha256,
            "cases": len(data.cases),
        },
        "predictions": {
            path.stem: {
                "sha256": sha256(path),
                "origin": "user" if path in made.users else "this project",
            }
            for path in plan.system_files(made)
            if path.is_file()
        },
        "notebooks": runs,
        "bootstrap": {"resamples": bootstrap.RESAMPLES, "seed": bootstrap.SEED},
        "code": {"version": version("human-rights-benchmark-lab"), "commit": _commit()},
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "packages": {name: version(name) for name in PACKAGES},
        "outputs": {
            path.relative_to(folder).as_posix(): sha256(path)
            for path in sorted((folder / "tables").glob("*.csv"))
        },
    }


def _commit() -> str:
    """The checkout's commit, "+" where files differ from it, "" outside git."""
    try:
        head = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"],
            cwd=ROOT, capture_output=True, text=True, timeout=20, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return head.stdout.strip()


def path_of(profile: str) -> Path:
    return report_folder(profile) / "manifest.json"


def read(profile: str = "") -> dict[str, Any]:
    """The manifest of a profile's last run; made now, without notebooks, where there was none.

    Args:
        profile: "demo" or "official"; "" takes the default profile.
    """
    profile = profile or release.default_profile()
    path = path_of(profile)
    if not path.is_file():
        return make(plan.make(profile))
    return json.loads(path.read_text(encoding="utf-8"))


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
    """One row a page: its notebook, parameters, and seconds in the kernel."""
    return pd.DataFrame(
        columns=["Page", "Notebook", "Parameters", "Seconds", "Result"],
        data=[
            {
                "Page": name,
                "Notebook": entry["notebook"],
                "Parameters": ", ".join(f"{k} = {v!r}" for k, v in entry["parameters"].items()),
                "Seconds": entry["kernel_seconds"],
                "Result": "failed" if entry["failed"] else "done",
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
    write_text(path_of(profile), text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
