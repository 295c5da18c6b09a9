"""Recognise known releases by hash, and say what changed in an altered copy of one.

``known_releases.json`` holds hashes only, no data: of the whole file, of each column, and of chunks
of some 25 rows. A chunk ends where the hash of a case id says so, so that a row put in, taken out
or altered changes its own chunk and no other.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from functools import cache

import pandas as pd

from lib.errors import Problem
from lib.files import ROOT

KNOWN_RELEASES = ROOT / "lib" / "known_releases.json"
ROWS_PER_CHUNK = 25
MEANT_TO_BE = 0.3  # the share of a known release's chunks that makes a file an altered copy of it


@cache
def known() -> dict[str, dict]:
    """The known releases by SHA-256: name, row count, column and chunk hashes."""
    return json.loads(KNOWN_RELEASES.read_text(encoding="utf-8"))


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:10]


def chunks(cases: pd.DataFrame) -> pd.DataFrame:
    """Hash a table of strings in chunks of rows.

    Returns:
        One row a chunk: ``hash``, ``first`` and ``last`` (row positions, both included).
    """
    rows = cases.astype(str).agg(",".join, axis=1).to_list()
    ids = cases.iloc[:, 0].astype(str)
    ends = [i for i, case in enumerate(ids) if zlib.crc32(case.encode()) % ROWS_PER_CHUNK == 0]
    if not ends or ends[-1] != len(rows) - 1:
        ends.append(len(rows) - 1)
    starts = [0, *(end + 1 for end in ends[:-1])]
    return pd.DataFrame(
        [(_digest(rows[a : b + 1]), a, b) for a, b in zip(starts, ends, strict=True)],
        columns=["hash", "first", "last"],
    )


def fingerprint(cases: pd.DataFrame, name: str) -> dict:
    """What ``known_releases.json`` holds of one release."""
    return {
        "name": name,
        "rows": len(cases),
        "columns": {column: _digest(cases[column].astype(str).to_list()) for column in cases},
        "chunks": chunks(cases)["hash"].to_list(),
    }


def altered_copy(cases: pd.DataFrame) -> tuple[str, list[Problem]] | None:
    """Compare a table whose hash is unknown with the known releases.

    Returns:
        None where it is no copy of a known release; else that release's name and what changed.
    """
    if cases.empty:
        return None
    ours = chunks(cases)
    for release in known().values():
        theirs = release["chunks"]
        if len(set(ours["hash"]) & set(theirs)) < MEANT_TO_BE * len(theirs):
            continue
        problems = []
        if len(cases) != release["rows"]:
            problems.append(Problem(f"{len(cases):,} rows instead of {release['rows']:,}"))
        else:
            altered = [
                column
                for column, digest in release["columns"].items()
                if column not in cases or _digest(cases[column].astype(str).to_list()) != digest
            ]
            if altered:
                problems.append(Problem(f"changed columns: {', '.join(altered)}"))
        odd = ours[~ours["hash"].isin(theirs)]
        where = tuple(
            f"lines {first + 2}–{last + 2}, {cases.iloc[first, 0]} to {cases.iloc[last, 0]}"
            for first, last in zip(odd["first"], odd["last"], strict=True)
        )
        missing = len(set(theirs) - set(ours["hash"])) - len(odd)
        if where:
            problems.append(Problem("changed somewhere in these rows", where, len(where)))
        if missing > 0:
            problems.append(
                Problem(
                    f"some {missing * ROWS_PER_CHUNK:,} rows of the release are not in the file"
                )
            )
        if not problems:
            problems.append(Problem("the bytes differ (line ends, quoting or encoding)"))
        return release["name"], problems
    return None
