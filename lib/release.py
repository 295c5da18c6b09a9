"""The benchmark release: find it, download it, check it, load it.

Two profiles: ``demo`` (synthetic, made by :mod:`lib.demo`) and ``official`` (the authors' release,
which users download themselves; it is never part of this project).
"""

from __future__ import annotations

import io
import os
import shutil
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from lib import fingerprints
from lib.errors import Problem, UserError
from lib.files import ROOT, read_strings, sha256

CASE_TABLE = "case_level.csv"
APPLICANT_TABLE = "applicant_level.csv"
HASHES = {
    CASE_TABLE: "39e528be5a2bb4fc4ee64fc32abef32ec88904f0dc72978b4a87c938291ffc62",
    APPLICANT_TABLE: "7fdf64bccf065dbf67ccaf6cc34ead5196db4e3f61a8445fb65c02ef31e31e30",
}
SOURCE = "https://raw.githubusercontent.com/YanyiPU/ECtHR-NPD/main/data/"
DOWNLOADS = ROOT / "data" / "ecthr-npd"
PROFILES = ("demo", "official")

INTEGERS = (
    "judgment_year",
    "hudoc_application_count",
    "num_applicants",
    "num_violations_found",
    "violated_articles_count",
    "y_binary",
)
FLOATS = ("gdp_per_capita_current_usd", "gdp_constant_2015_usd", "y_amount_eur")


@dataclass(frozen=True)
class Release:
    """A checked benchmark release.

    Attributes:
        cases: one row a case, the release's 33 columns, typed: dates as datetimes, counts as
            integers, amounts (nominal euros) and GDP (US dollars) as floats,
            ``violation_duration_months`` as floats with NaN for "unknown", the rest as strings.
        sha256: of the file as read.
        name: what the file was recognised as, or "" where it is unknown.
        profile: "demo" or "official".
        path: the file; None for the demo release, which is generated.
    """

    cases: pd.DataFrame
    sha256: str
    name: str
    profile: str
    path: Path | None = None

    def split(self, name: str) -> pd.DataFrame:
        """The cases of one split, in the release's order."""
        return self.cases[self.cases["split"] == name]

    @cached_property
    def case_ids(self) -> frozenset[str]:
        return frozenset(self.cases["case_id"])

    @cached_property
    def test(self) -> pd.DataFrame:
        return self.split("test")


def data_folder() -> Path | None:
    """The official release's folder: ``NPD_DATA``, or where ``npd data fetch`` puts it.

    Raises:
        UserError: where ``NPD_DATA`` is set and holds no release.
    """
    named = os.environ.get("NPD_DATA", "").strip()
    if not named:
        return DOWNLOADS if (DOWNLOADS / CASE_TABLE).is_file() else None
    folder = Path(named).expanduser()
    folder = folder.parent if folder.name == CASE_TABLE else folder
    if not (folder / CASE_TABLE).is_file():
        raise UserError(
            f"NPD_DATA names {folder}, which holds no {CASE_TABLE}.",
            hint=f"Set it to the folder with {CASE_TABLE}, or unset it and run: npd data fetch",
        )
    return folder


def default_profile() -> str:
    """``official`` where the release is at hand, else ``demo``."""
    return "official" if data_folder() else "demo"


def load(profile: str | None = None) -> Release:
    """Load the release of a profile; by default the official one where it is at hand.

    Raises:
        UserError: for an unknown profile, a missing release, or a file that breaks the schema.
    """
    profile = profile or default_profile()
    if profile == "demo":
        return load_demo()
    if profile != "official":
        raise UserError(f"There is no profile {profile!r}; there are {' and '.join(PROFILES)}.")
    folder = data_folder()
    if folder is None:
        raise UserError(
            "The official release is not on this machine.",
            hint="Run `npd data fetch`, or set NPD_DATA to the folder that holds it.",
        )
    return load_file(folder / CASE_TABLE)


def load_demo() -> Release:
    """The synthetic demo release, generated in memory from its fixed seed."""
    import hashlib

    from lib import demo

    text = demo.generate().to_csv(index=False, lineterminator="\n")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Release(typed(read_cells(io.StringIO(text))), digest, "demo (synthetic)", "demo")


def load_file(path: Path) -> Release:
    """Load a release file, recognised by its SHA-256 or else checked against the schema.

    Raises:
        UserError: where the file is an altered copy of a known release (with what changed), or
            departs from the schema (with every violation).
    """
    digest = sha256(path)
    if digest in fingerprints.known():
        return Release(
            typed(read_cells(path)), digest, fingerprints.known()[digest]["name"], "official", path
        )
    problems = check(path)
    if problems:
        raise UserError(f"{path} is not a valid release:", problems)
    return Release(typed(read_cells(path)), digest, "", "official", path)


def check(path: Path) -> list[Problem]:
    """Every way in which a file departs from the schema, and from the known release it copies.

    Raises:
        UserError: where the file cannot be read as a table at all.
    """
    from lib import schema  # pandera takes a second to import; recognised releases do without

    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    if path.name == APPLICANT_TABLE:
        if sha256(path) == HASHES[APPLICANT_TABLE]:
            return []
        return [Problem("not the applicant table of the known release (its SHA-256 differs)")]
    if sha256(path) in fingerprints.known():
        return schema.violations(read_cells(path))
    cells = read_cells(path)
    problems = schema.violations(cells)
    copy = fingerprints.altered_copy(cells)
    if copy:
        name, changes = copy
        problems = [
            Problem(f"an altered copy of {name}: {c.what}", c.offenders, c.count) for c in changes
        ] + problems
    return problems


def read_cells(source: Path | io.StringIO) -> pd.DataFrame:
    """A release table as strings, each cell as the file has it.

    Raises:
        UserError: for an empty file, broken encoding, or a row with too many cells.
    """
    return read_strings(source, "utf-8")


def typed(cells: pd.DataFrame) -> pd.DataFrame:
    """Turn checked strings into dates and numbers (see :class:`Release`)."""
    cases = cells.copy()
    cases["judgment_date"] = pd.to_datetime(cases["judgment_date"], format="%Y-%m-%d")
    for column in INTEGERS:
        cases[column] = cases[column].astype("int64")
    for column in FLOATS:
        cases[column] = cases[column].astype("float64")
    duration = cases["violation_duration_months"]
    cases["violation_duration_months"] = duration.mask(duration == "unknown").astype("float64")
    return cases


def fetch(folder: Path = DOWNLOADS, source: str = SOURCE, tries: int = 4) -> list[Path]:
    """Download the official release into a folder; resumes what an earlier try left.

    Args:
        folder: where the tables go; each appears there only once whole and with the right hash.
        source: the address of the folder that holds the tables.
        tries: attempts per file, with growing pauses.

    Raises:
        UserError: without a network, or where a file's SHA-256 is not the published one.
    """
    import logging

    import pooch

    pooch.get_logger().setLevel(logging.ERROR)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, digest in HASHES.items():
        try:
            paths.append(
                Path(
                    pooch.retrieve(
                        url=source.rstrip("/") + "/" + name,
                        known_hash=f"sha256:{digest}",
                        fname=name,
                        path=folder,
                        downloader=ResumableDownloader(folder / f".{name}.part", tries),
                    )
                )
            )
        except ValueError as error:  # pooch's word for a wrong hash
            (folder / f".{name}.part").unlink(missing_ok=True)
            raise UserError(
                f"{name} from {source} is not the published file: its SHA-256 differs.",
                hint="The authors may have made a new release; nothing was kept. "
                "Download it by hand, look at it with `npd data check`, and set NPD_DATA.",
            ) from error
    return paths


class ResumableDownloader:
    """A pooch downloader that goes on where an interrupted download stopped (HTTP Range)."""

    def __init__(self, part: Path, tries: int, pause: float = 1.0):
        self.part, self.tries, self.pause = part, tries, pause

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        import requests

        for attempt in range(1, self.tries + 1):
            try:
                self._download(url)
                shutil.move(self.part, output_file)
                return
            except requests.exceptions.RequestException as error:
                status = getattr(error.response, "status_code", None)
                final = status is not None and status < 500 and status not in (408, 416, 429)
                if status == 416:  # the part is longer than the file: start again
                    self.part.unlink(missing_ok=True)
                if final or attempt == self.tries:
                    raise UserError(
                        f"Could not download {url} ({_short(error)}).",
                        hint="Check the network and run `npd data fetch` again (it resumes); or "
                        "download the tables elsewhere and set NPD_DATA to their folder.",
                    ) from None
                time.sleep(self.pause * 2 ** (attempt - 1))

    def _download(self, url: str) -> None:
        import requests
        from tqdm import tqdm

        have = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Range": f"bytes={have}-"} if have else {}
        with requests.get(url, headers=headers, stream=True, timeout=(10, 60)) as answer:
            answer.raise_for_status()
            if answer.status_code != 206:  # the server sends the whole file again
                have = 0
            total = int(answer.headers.get("Content-Length", 0)) + have
            bar = tqdm(
                total=total or None,
                initial=have,
                unit="B",
                unit_scale=True,
                desc=url.rsplit("/", 1)[-1],
            )
            with self.part.open("ab" if have else "wb") as sink, bar:
                for block in answer.iter_content(1 << 16):
                    sink.write(block)
                    bar.update(len(block))
        if total and self.part.stat().st_size < total:
            raise requests.exceptions.ConnectionError("the connection closed early")


def _short(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    return f"HTTP {status}" if status else type(error).__name__
