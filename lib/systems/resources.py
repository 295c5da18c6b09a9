"""How long a fit takes and how much memory it needs, for a system's card."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_memory_mb() -> int:
    """The process's peak resident memory since :func:`_reset`, in MB; since its start elsewhere."""
    with suppress(OSError):  # Linux
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024)
    import resource
    import sys

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kB, on macOS bytes
    return round(used / (1024 * 1024 if sys.platform == "darwin" else 1024))


def _reset() -> None:
    with suppress(OSError):  # only Linux can, and only where /proc may be written
        CLEAR.write_text("5")


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Fill a mapping with ``fit_seconds`` and ``peak_memory_mb`` when the block ends."""
    _reset()
    found: dict[str, float] = {}
    start = time.perf_counter()
    yield found
    found |= {
        "fit_seconds": round(time.perf_counter() - start, 1),
        "peak_memory_mb": peak_memory_mb(),
    }
