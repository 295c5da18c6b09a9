"""Quarto's pre-render step: make the report's pages, unless that has just been done.

Quarto starts this with whatever Python it finds; it moves to the project's own where there is one.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> int:
    if os.environ.get("NPD_STAGED"):
        return 0
    python = str(OWN) if OWN.is_file() else sys.executable
    return subprocess.run([python, "-m", "lib.cli", "report", "--stage-only"], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
