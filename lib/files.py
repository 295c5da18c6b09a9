"""Files that are either whole or absent, and their hashes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def report_folder(profile: str) -> Path:
    """``reports/<profile>``: everything that a run writes (``NPD_REPORTS`` moves ``reports``)."""
    return Path(os.environ.get("NPD_REPORTS") or ROOT / "reports") / profile


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that replaces it when the block ends without error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-", suffix=path.suffix)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with ``\\n`` line ends, atomically."""
    with atomic(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def keep_inside_checkout() -> None:
    """Point the caches and run-time folders of Jupyter and Matplotlib into the checkout."""
    cache = ROOT / ".cache"
    for variable, name in {
        "XDG_CACHE_HOME": "",
        "MPLCONFIGDIR": "matplotlib",
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "jupyter/config",
        "JUPYTER_DATA_DIR": "jupyter/data",
        "JUPYTER_RUNTIME_DIR": "jupyter/runtime",
    }.items():
        os.environ.setdefault(variable, str(cache / name))
