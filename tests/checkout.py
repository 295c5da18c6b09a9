"""Copies of the checkout for tests that make reports; the checkout's own stay as they are."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from lib.files import ROOT


def copy_to(folder: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        if not name.startswith("reports/") and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def environment(checkout: Path) -> dict[str, str]:
    ours = ("NPD_DATA", "NPD_REPORTS", "NPD_PREDICTIONS", "MPLCONFIGDIR", "XDG_CACHE_HOME")
    kept = {key: value for key, value in os.environ.items() if key not in ours}
    return kept | {"PYTHONPATH": str(checkout)}


def npd(checkout: Path, *arguments: str, **kwargs) -> subprocess.CompletedProcess:
    """Run the command in a copy; ends after fifteen minutes at the latest."""
    return subprocess.run(
        [sys.executable, "-m", "lib.cli", *arguments],
        cwd=checkout, env=environment(checkout), capture_output=True, text=True, timeout=900,
        **kwargs,
    )  # fmt: skip


def shorten(checkout: Path, *notebooks: str, systems: tuple[str, ...] = ("train-median", "zero")):
    """Cut report.yaml down, for tests that are not about the pages."""
    path = checkout / "report.yaml"
    config = yaml.safe_load(path.read_text("utf-8"))
    config |= {"notebooks": [{"notebook": n} for n in notebooks], "systems": list(systems)}
    path.write_text(yaml.safe_dump(config), "utf-8")
