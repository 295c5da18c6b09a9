"""Files that are either whole or absent, and their hashes."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lib.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

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


def read_strings(source: Path | io.StringIO, encoding: str) -> pd.DataFrame:
    """A CSV table with every cell as the file has it, as text.

    Raises:
        UserError: for an empty file, another encoding, or a row with too many cells.
    """
    import pandas as pd  # jobs that read no table do without

    try:
        with warnings.catch_warnings():
            # without index_col=False pandas takes surplus cells for an index; with it, it warns
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                source, dtype=str, keep_default_na=False, encoding=encoding, index_col=False
            )
    except UnicodeDecodeError as error:
        raise UserError(
            f"{source} is not UTF-8 (byte {error.start:,}); save it as UTF-8."
        ) from None
    except pd.errors.EmptyDataError:
        raise UserError(f"{source} is empty.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise UserError(f"{source} cannot be read as CSV: {error}".rstrip()) from None


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
