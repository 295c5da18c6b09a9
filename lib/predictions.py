"""Prediction files and system cards: read, check, write, and align with the targets.

A prediction file is CSV or Parquet, named ``<system>.csv`` or ``<system>.parquet``, with a card
``<system>.yaml`` beside it. ``align`` is the one place where predictions meet targets.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lib.errors import SHOWN, Problem, UserError
from lib.files import ROOT, atomic, read_strings, write_text
from lib.release import Release

FOLDER = ROOT / "predictions"  # where users put their files
SUFFIXES = (".csv", ".parquet")
ALIASES = {
    "case_id": ("case_id", "itemid"),
    "y_pred": ("y_pred", "predicted_award_eur", "prediction", "award_eur"),
}
QUANTILE = re.compile(r"q\d\d")
SYSTEM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TEXT_COLUMNS = ("status", "raw_output")


class Card(BaseModel):
    """What a reader must know of a system. Text from users: escape it wherever it is shown."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: str = Field(min_length=1, max_length=80)
    family: str = Field(default="user system", max_length=60)
    input: str = Field(default="not stated", max_length=200)
    diagnostic: bool = False  # † in the paper: uses signals beyond the input contract
    coverage: Literal["full", "partial"] = "full"
    source: str = Field(default="", max_length=500)
    notes: str = Field(default="", max_length=4000)
    recipe: dict[str, Any] = Field(default_factory=dict)  # settings, seeds, versions, data hash
    measured: dict[str, Any] = Field(default_factory=dict)  # what came of fitting: time, choices

    @property
    def label(self) -> str:
        """The name as tables show it, with the paper's dagger for diagnostic settings."""
        return f"{self.name} †" if self.diagnostic else self.name


@dataclass(frozen=True)
class Predictions:
    """A checked prediction file.

    Attributes:
        system: its identifier, safe as a file name.
        card: its system card.
        table: ``case_id``, ``y_pred`` (euros, NaN for a stated failure) and the optional columns.
        path: the file.
    """

    system: str
    card: Card
    table: pd.DataFrame
    path: Path


def system_name(path: Path) -> str:
    """The system's identifier: the file's stem.

    Raises:
        UserError: for a stem that would not be safe as the name of a page.
    """
    if not SYSTEM_NAME.fullmatch(path.stem):
        raise UserError(
            f"{path.name!r} cannot name a system.",
            hint="Use letters, digits, '.', '_' and '-', at most 64, the first a letter or digit. "
            "The name that readers see is the card's `name`.",
        )
    return path.stem


def read(path: Path) -> pd.DataFrame:
    """A prediction file with its columns renamed to the contract's, every cell still as written.

    Raises:
        UserError: where it is absent, empty, in another format, or has other columns.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"{path}: a prediction file is {' or '.join(SUFFIXES)}.")
    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    if path.stat().st_size == 0:
        raise UserError(f"{path} is empty.")
    table = _read_parquet(path) if path.suffix.lower() == ".parquet" else _read_csv(path)
    renamed, problems = _rename(table)
    if problems:
        raise UserError(f"{path} is not a prediction file:", problems)
    if renamed.empty:
        raise UserError(f"{path} has a header and no rows.")
    return renamed


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except Exception as error:  # pyarrow raises many kinds
        raise UserError(f"{path} cannot be read as Parquet: {error}") from None


def _read_csv(path: Path) -> pd.DataFrame:
    with path.open("rb") as handle:
        header = handle.readline(100_000)
    for encoding, mark in (("UTF-16", b"\xff\xfe"), ("UTF-16", b"\xfe\xff"), ("binary", b"\0")):
        if mark in header[:200]:
            raise UserError(f"{path} is {encoding}; save it as CSV in UTF-8.")
    if b"," not in header:
        for other, name in ((b";", "';'"), (b"\t", "a tab"), (b"|", "'|'")):
            if other in header:
                raise UserError(f"{path} separates its columns by {name}; a CSV file uses ','.")
    return read_strings(path, "utf-8-sig")


def _rename(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    table = table.rename(columns=lambda name: str(name).strip())
    problems, names = [], {}
    for column, aliases in ALIASES.items():
        found = [name for name in table if name in aliases]
        if not found:
            problems.append(Problem(f"no column {column} (or {', '.join(aliases[1:])})"))
        elif len(found) > 1:
            problems.append(Problem(f"several columns for {column}: {', '.join(found)}"))
        names.update(dict.fromkeys(found, column))
    known = {*names, "p_zero", *TEXT_COLUMNS}
    unknown = [name for name in table if name not in known and not QUANTILE.fullmatch(name)]
    if unknown:
        problems.append(
            Problem(
                "unknown columns: " + ", ".join(name[:60] for name in unknown[:SHOWN])
                + "; allowed beside case_id and y_pred: p_zero, q05 … q95, status, raw_output",
            )
        )  # fmt: skip
    return table.rename(columns=names), problems


def check(
    table: pd.DataFrame, release: Release, partial: bool
) -> tuple[pd.DataFrame, list[Problem]]:
    """Check a table from :func:`read` against a release.

    Args:
        partial: whether test cases may be missing (the card's ``coverage: partial``).

    Returns:
        The table with numbers as floats, and every problem found. A row may lack ``y_pred`` only
        where its ``status`` names the failure; such rows count as missing, never as zero.
    """
    table = table.reset_index(drop=True).copy()
    ids = table["case_id"].astype("string").str.strip().fillna("")
    problems = []

    def report(mask: pd.Series, what: str, column: str | None = None) -> None:
        rows = np.flatnonzero(mask.to_numpy(bool))
        if len(rows):
            shown = rows[:SHOWN]
            offenders = tuple(
                f"line {i + 2}, {str(ids[i])[:40]!r}"
                + (f": {str(table.at[i, column])[:60]!r}" if column else "")
                for i in shown
            )
            problems.append(Problem(what, offenders, len(rows)))

    report(ids.duplicated(keep=False) & (ids != ""), "the same case more than once")
    unknown = pd.Series([one not in release.case_ids for one in ids], dtype=bool)
    report(unknown, "case ids that the release does not have")

    status = table.get("status", pd.Series("", index=table.index)).astype("string").fillna("")
    failed = pd.Series([one.strip().lower() not in ("", "ok") for one in status], dtype=bool)
    numeric = ["y_pred", *(c for c in table if c == "p_zero" or QUANTILE.fullmatch(c))]
    for column in numeric:
        written = table[column]
        blank = written.isna() | (written.astype("string").str.strip().fillna("") == "")
        values = pd.to_numeric(written, errors="coerce").astype("float64")
        excused = blank & failed
        report(blank & ~failed, f"{column} is empty (give `status` where the system failed)")
        text = values.isna() & ~blank
        words = ("nan", "na", "null", "none")
        nan = text & pd.Series([str(one).strip().lower() in words for one in written], dtype=bool)
        report(nan, f"{column} is not a number (NaN)", column)
        report(text & ~nan, f"{column} is not a number", column)
        report(np.isinf(values), f"{column} is infinite", column)
        report(values < 0, f"{column} is negative", column)
        if column == "p_zero":
            report((values > 1) & np.isfinite(values), "p_zero is above 1", column)
        table[column] = values.mask(excused)
    quantiles = sorted(c for c in table if QUANTILE.fullmatch(c))
    for lower, upper in pairwise(quantiles):
        report(table[lower] > table[upper], f"quantiles cross: {lower} is above {upper}", lower)

    table["case_id"] = ids.astype("str")
    answered = set(table.loc[table["y_pred"].notna(), "case_id"])
    missing = [case for case in release.test["case_id"] if case not in answered]
    if not answered & set(release.test["case_id"]):
        problems.append(Problem(f"no prediction for any of the {len(release.test):,} test cases"))
    elif missing and not partial:
        problems.append(
            Problem(
                "test cases without a prediction, and the card does not say `coverage: partial`",
                tuple(missing[:SHOWN]),
                len(missing),
            )
        )
    return table, problems


def read_card(path: Path) -> Card | None:
    """The card beside a prediction file, or None where there is none.

    Raises:
        UserError: where the card is not YAML or not a card, with every problem.
    """
    card_path = path.with_suffix(".yaml")
    if not card_path.is_file():
        return None
    try:
        content = yaml.safe_load(card_path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{card_path} is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise UserError(f"{card_path} must be a mapping with at least `name`.")
    try:
        return Card.model_validate(content)
    except ValidationError as error:
        problems = [
            Problem(f"{'.'.join(map(str, e['loc'])) or 'card'}: {e['msg']}") for e in error.errors()
        ]
        raise UserError(f"{card_path} is not a system card:", problems) from None


def load(path: Path, release: Release, partial: bool | None = None) -> Predictions:
    """Read and check a prediction file and its card.

    Args:
        partial: whether missing cases are fine; by default what the card says (full without one).

    Raises:
        UserError: with everything that is wrong with the file.
    """
    system = system_name(path)
    card = read_card(path) or Card(name=system, notes="No card was given with this file.")
    if partial is None:
        partial = card.coverage == "partial"
    table, problems = check(read(path), release, partial)
    if problems:
        raise UserError(f"{path} has problems:", problems, _hint(table, release))
    return Predictions(system, card, table, path)


def _hint(table: pd.DataFrame, release: Release) -> str:
    if release.profile == "demo" and table["case_id"].str.startswith("00").any():
        return (
            "These look like HUDOC ids, but the demo release is in use. Run `npd data fetch`, or "
            "set NPD_DATA to the folder that holds the official release."
        )
    return ""


def find(folder: Path) -> list[Path]:
    """Prediction files of a folder, sorted by name; hidden files are passed over."""
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.suffix in SUFFIXES and p.name[0] != ".")


def user_files() -> list[Path]:
    """The files that users put in ``predictions/`` (or the folder that NPD_PREDICTIONS names)."""
    return find(Path(os.environ.get("NPD_PREDICTIONS") or FOLDER))


def load_all(paths: list[Path], release: Release) -> list[Predictions]:
    """Load many files; every bad one is reported, not only the first.

    Raises:
        UserError: listing each file's problems, or two files that name the same system.
    """
    loaded, summaries = [], []
    for path in paths:
        try:
            loaded.append(load(path, release))
        except UserError as error:
            summaries.append(str(error))
    names = [p.system.lower() for p in loaded]
    for name in sorted({n for n in names if names.count(n) > 1}):
        files = ", ".join(str(p.path) for p in loaded if p.system.lower() == name)
        summaries.append(f"Several files name the system {name!r}: {files}")
    if summaries:
        raise UserError("\n".join(summaries))
    return loaded


def write(folder: Path, system: str, table: pd.DataFrame, card: Card) -> Path:
    """Write a system's predictions (rounded to cents, sorted by case) and its card, atomically."""
    path = folder / f"{system}.csv"
    system_name(path)
    with atomic(path) as part:
        table.sort_values("case_id").round(6).round({"y_pred": 2}).to_csv(
            part, index=False, lineterminator="\n"
        )
    write_text(path.with_suffix(".yaml"), dump_card(card))
    return path


def dump_card(card: Card) -> str:
    """A card as YAML text, keys in the card's own order."""
    return yaml.safe_dump(card.model_dump(), sort_keys=False, allow_unicode=True, width=100)


def align(systems: list[Predictions], release: Release, split: str = "test") -> pd.DataFrame:
    """Join predictions and targets: the scored frame, one row a (system, case).

    Args:
        split: whose cases to score.

    Returns:
        Columns ``system``, ``case_id``, ``y_true``, ``y_pred``, ``error`` (ŷ − y) and
        ``abs_error``, euros, plus whatever of ``p_zero`` and quantiles the files have (NaN
        elsewhere). Cases without a prediction are absent, never imputed.
    """
    cases = release.split(split)[["case_id", "y_amount_eur"]]
    frames = []
    for one in systems:
        table = one.table.loc[one.table["y_pred"].notna()].drop(
            columns=[c for c in TEXT_COLUMNS if c in one.table]
        )
        frames.append(cases.merge(table, on="case_id").assign(system=one.system))
    scored = (
        pd.concat(frames, ignore_index=True)
        if frames
        else cases.head(0).assign(y_pred=[], system=[])
    )
    scored = scored.rename(columns={"y_amount_eur": "y_true"})
    scored["error"] = scored["y_pred"] - scored["y_true"]
    scored["abs_error"] = scored["error"].abs()
    first = ["system", "case_id", "y_true", "y_pred", "error", "abs_error"]
    return scored[first + [c for c in scored if c not in first]]


def error_matrix(scored: pd.DataFrame, systems: list[str]) -> pd.DataFrame:
    """Absolute errors as (cases × systems), NaN where a system gives no prediction."""
    wide = scored.pivot(index="case_id", columns="system", values="abs_error")
    return wide.reindex(columns=systems)
