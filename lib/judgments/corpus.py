"""Run the pipeline over many judgments: one record each, then tables, a review queue, a cascade.

Records are appended as judgments finish, so that an interrupted run goes on where it stopped; a
file that changed, or other code, makes a new record. Memory does not grow with the texts, since
only records stay.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import FileLock

from lib import tables
from lib.errors import UserError
from lib.files import ROOT, sha256, write_text
from lib.judgments import checks, demo, facts, features, segments, sources
from lib.judgments.extract import Extraction, extract
from lib.judgments.text import Evidence, Judgment, Unreadable
from lib.release import Release

RECORDS = "records.jsonl"
DOWNLOADS = ROOT / "data" / "judgments"
# HUDOC's language codes, and words that only one language has; English is the benchmark's.
_FRENCH = re.compile(r"\b(?:la Cour|requérante?|EN FAIT|EN DROIT|PAR CES MOTIFS|Dit qu)\b")
_ENGLISH = re.compile(r"\b(?:the Court|applicants?|THE FACTS|THE LAW|FOR THESE REASONS)\b")
_DECISION = re.compile(
    r"^\s*(?:PARTIAL |FINAL )?DECISION(?: AS TO|\s*$)|^THE FACTS AND PROCEDURE$|AS TO THE ADMISSIBILITY OF",
    re.M,
)
_JUDGMENT = re.compile(r"^\s*JUDGMENT\b|Delivers the following judgment", re.M)
MANY_APPLICANTS = 100  # from which on a reviewer is told


def kind(judgment: Judgment) -> str:
    """ "" for a judgment in English, else the reason why the text is none of ours."""
    spoken = judgment.metadata.get("languageisocode", "")
    french, english = len(_FRENCH.findall(judgment.text)), len(_ENGLISH.findall(judgment.text))
    if (spoken and spoken != "ENG") or (not spoken and french > english):
        return "not_english"
    head = judgment.text[:6000]
    if "DECISION" in judgment.metadata.get("doctype", "").upper() or (
        _DECISION.search(head) and not _JUDGMENT.search(head)
    ):
        return "decision_not_judgment"
    return ""


def read(path: Path) -> Extraction:
    """What is extracted from a file that holds a judgment in English.

    Raises:
        Unreadable: with the file's reason; ``failed`` whatever else a hostile file does.
    """
    try:
        judgment = sources.read(path)
        why = kind(judgment)
        if why:
            raise Unreadable(why, checks.EXCLUDED[why])
        return extract(judgment)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable("failed", type(error).__name__) from error


def process(path: Path, audited: Collection[str] = ()) -> dict[str, Any]:
    """The record of one file: JSON-ready, small, with every doubt as an entry of ``review``."""
    record: dict[str, Any] = {"case_id": sources.case_id_of(path), "file": _name(path)}
    try:
        found = read(path)
    except Unreadable as error:
        status = "excluded" if error.reason in checks.EXCLUDED else "unreadable"
        return record | {
            "status": status,
            "reason": error.reason,
            "review": [_doubt(error.reason, "", error.detail)],
        }
    return record | _described(found, audited)


def _described(found: Extraction, audited: Collection[str]) -> dict[str, Any]:
    judgment = found.judgment
    target = checks.decide(found, audited)
    safe = facts.facts(found)
    named = {one.name for one in found.segments}
    review = [
        _doubt(one.reason or one.check, one.check, one.detail, evidence)
        for one in target.findings
        for evidence in one.evidence or (None,)
    ]
    if target.reason and not review:
        described = checks.EXCLUDED.get(target.reason) or checks.CHECKS.get(target.reason, "")
        review.append(_doubt(target.reason, "", described))
    review += [_doubt(note, "", "seen while reading") for note in judgment.notes]
    if (found.applicants.count or 0) >= MANY_APPLICANTS:
        review.append(
            _doubt(
                "many_applicants",
                "",
                f"{found.applicants.count:,} applicants",
                found.applicants.evidence,
            )
        )
    if "article_41" not in named and target.reason != "no_article_41":
        review.append(_doubt("no_article_41", "", checks.EXCLUDED["no_article_41"]))
    review += [
        _doubt(f"facts_{one.rule}", "facts_gate", "withheld from the facts", one.evidence)
        for one in safe.withheld
    ]
    if safe.refused:
        review.append(_doubt(safe.refused, "facts_gate", "no raw-text input"))
    return {
        "status": target.status,
        "reason": target.reason,
        "amount": target.amount,
        "rationale": found.rationale.name if found.rationale else "",
        "evidence": _evidence(found.rationale.evidence if found.rationale else None),
        "applicants": found.applicants.count,
        "violated_articles": ";".join(found.violated),
        "violations": found.violations,
        "reserved": found.reserved,
        "settled": found.settled,
        "characters": len(judgment.text),
        "paragraphs": len(judgment.paragraphs),
        "facts_characters": len(safe.text),
        "notes": ";".join(judgment.notes),
        "year": features.year_of(judgment, found.segments),
        "segments": segments.frame(judgment, found.segments).to_dict("records"),
        "sums": _sums(found),
        "outcomes": [
            {"articles": ";".join(one.articles), "outcome": one.outcome, "limb": one.limb, "start": one.start, "end": one.end}
            for one in found.outcomes
        ],
        "review": review,
    }  # fmt: skip


def _evidence(evidence: Evidence | None) -> dict[str, Any]:
    if evidence is None:
        return {"paragraph": "", "start": None, "end": None, "quote": ""}
    return {"paragraph": evidence.paragraph, "start": evidence.start, "end": evidence.end,
            "quote": " ".join(evidence.quote.split())[:400]}  # fmt: skip


def _doubt(
    reason: str, check: str, detail: str, evidence: Evidence | None = None
) -> dict[str, Any]:
    return {"reason": reason, "check": check, "detail": detail, **_evidence(evidence)}


def _sums(found: Extraction) -> list[dict[str, Any]]:
    return [
        {
            "where": where, "head": one.head, "value": one.value, "currency": one.currency,
            "share": one.share, "among": one.among, "who": ";".join(one.who), "tax": one.tax,
            **_evidence(found.judgment.evidence(one.start, one.end) if one.end else None),
        }
        for where, awards in (
            ("claim", found.claims), ("reasoning", found.reasoned),
            ("operative", found.ordered), ("table", found.tabled),
        )
        for one in awards
    ]  # fmt: skip


@cache
def code_version() -> str:
    """A hash of this pipeline's code; a record made by other code is made again."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _name(path: Path) -> str:
    """The file's name as text, whatever bytes it has."""
    return path.name.encode("utf-8", "replace").decode("utf-8")


def _keyed(path: Path, audited: Collection[str]) -> str:
    return f"{_name(path)}:{sha256(path)}:{code_version()}:{sources.case_id_of(path) in audited}"


def _process(task: tuple[Path, bool]) -> dict[str, Any]:
    path, audited = task
    return process(path, {sources.case_id_of(path)} if audited else ())


def run(
    files: list[Path],
    folder: Path,
    audited: Collection[str] = (),
    workers: int = 2,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Path:
    """Process files and write the tables of :func:`write` into a folder.

    Args:
        workers: processes; 1 works in this one.
        progress: told how many of how many are done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / RECORDS
    done = {record["key"] for record in _read(kept)}
    keys = {path: _keyed(path, audited) for path in files}
    todo = [path for path in files if keys[path] not in done]
    progress(len(files) - len(todo), len(files))
    tasks = [(path, sources.case_id_of(path) in audited) for path in todo]
    with kept.open("a", encoding="utf-8", newline="\n") as out:
        if out.tell():
            out.write("\n")  # ends a line that an interruption cut off; blank ones are passed over
        for place, record in enumerate(_results(tasks, workers), 1):
            record["key"] = keys[todo[place - 1]]
            out.write(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n")
            out.flush()
            progress(len(files) - len(todo) + place, len(files))
    write(kept, list(keys.values()), folder)
    return folder


def _results(tasks: list[tuple[Path, bool]], workers: int) -> Iterator[dict[str, Any]]:
    if workers == 1 or len(tasks) < 8:
        yield from map(_process, tasks)
        return
    with ProcessPoolExecutor(workers) as pool:
        try:
            # in slices, so that no queue of results builds up
            for start in range(0, len(tasks), 64):
                yield from pool.map(_process, tasks[start : start + 64], chunksize=4)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _read(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:  # the line that an interruption cut off
                continue


CASE_COLUMNS = ["case_id", "file", "status", "reason", "amount", "rationale", "applicants", "violated_articles", "violations",
                "reserved", "settled", "year", "characters", "paragraphs", "facts_characters", "notes"]  # fmt: skip


def write(records: Path, keys: list[str], folder: Path) -> None:
    """The tables of a run, sorted by case: cases, segments, sums, outcomes, review, cascade (CSV)."""
    wanted = set(keys)
    found = {record["key"]: record for record in _read(records) if record["key"] in wanted}
    ordered = sorted(found.values(), key=lambda record: (record["case_id"], record["file"]))
    counts = Counter(record["case_id"] for record in ordered)
    for record in ordered:
        if counts[record["case_id"]] > 1:
            said = f"{counts[record['case_id']]} files have this item id"
            record |= {"status": "unreadable", "reason": "duplicate_case", "amount": None}
            record["review"] = [*record["review"], _doubt("duplicate_case", "", said)]
    cases = pd.DataFrame(ordered).reindex(columns=CASE_COLUMNS)
    _save(cases, folder / "cases.csv")
    for name in ("segments", "sums", "outcomes", "review"):
        rows = [
            {"case_id": record["case_id"], "file": record["file"]} | row
            for record in ordered
            for row in record.get(name, [])
        ]
        _save(pd.DataFrame(rows), folder / f"{name}.csv")
    _save(cascade(cases), folder / "cascade.csv")


def _save(frame: pd.DataFrame, path: Path) -> None:
    write_text(path, tables.neutralised(frame).to_csv(index=False, lineterminator="\n"))


# Table 10's steps: what leaves the corpus at each, in the order of `checks.decide`.
STEPS = [
    ("readable", list(checks.UNREADABLE)),
    ("judgments in English", ["not_english", "decision_not_judgment"]),
    ("with operative provisions", ["no_operative_provisions"]),
    ("with a violation found", ["no_violation"]),
    ("with Article 41 decided", ["article_41_reserved", "friendly_settlement", "no_article_41"]),
    ("in euros", ["pre_euro_currency"]),
    ("without a bundled award", ["bundled_award"]),
    ("with an award or a reason for none", ["no_zero_rationale"]),
    ("passing every check", list(checks.CHECKS)),
]  # fmt: skip


def cascade(cases: pd.DataFrame) -> pd.DataFrame:
    """Table 10 for a corpus: from files to the supervised pool.

    Args:
        cases: columns ``status`` and ``reason``.

    Returns:
        Columns step, removed, left, reasons ("no_violation 12; …", those that occur).
    """
    left = len(cases)
    counts = cases.loc[cases["status"] != "target", "reason"].value_counts()
    rows = [{"step": "files", "removed": 0, "left": left, "reasons": ""}]
    for step, reasons in STEPS:
        here = {reason: int(counts[reason]) for reason in reasons if reason in counts}
        left -= sum(here.values())
        said = "; ".join(f"{reason} {count}" for reason, count in here.items())
        rows.append({"step": step, "removed": sum(here.values()), "left": left, "reasons": said})
    return pd.DataFrame(rows)


def inputs(files: Iterable[Path]) -> Iterator[tuple[str, facts.Facts]]:
    """The leakage-safe facts of every readable English judgment."""
    for path in files:
        try:
            found = read(path)
        except Unreadable:
            continue
        yield found.judgment.case_id, facts.facts(found)


def default_files(release: Release) -> list[Path]:
    """The judgments that reports are made from.

    The demo profile has synthetic ones; else the files under ``NPD_JUDGMENTS`` (a folder, or the
    LAM:ECHR archive as downloaded), or ``data/judgments``, where ``npd judgments fetch`` puts them.
    An empty list where there are none.

    Raises:
        UserError: where ``NPD_JUDGMENTS`` names nothing with judgments in it.
    """
    if release.profile == "demo":
        return demo.write(release, ROOT / ".cache" / "judgments" / "demo-texts")
    named = os.environ.get("NPD_JUDGMENTS", "").strip()
    if named:
        chosen = Path(named).expanduser()
        is_archive = chosen.is_file() and tarfile.is_tarfile(chosen)
        return sources.find([unpack(chosen) if is_archive else chosen])
    return sources.find([DOWNLOADS]) if DOWNLOADS.is_dir() and any(DOWNLOADS.iterdir()) else []


def unpack(archive: Path) -> Path:
    """The folder with an archive's XMI files; unpacked once, links and odd paths left out."""
    folder = ROOT / ".cache" / "judgments" / sha256(archive)[:16]
    done = folder / ".unpacked"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # else a page may read what another is still unpacking
        if not done.is_file():
            with tarfile.open(archive) as tar:
                members = [one for one in tar if one.isfile() and one.name.endswith(".xmi")]
                tar.extractall(folder, members=members, filter="data")
            done.touch()
    return folder


@dataclass(frozen=True)
class Corpus:
    """A run's tables, as :func:`run` writes them."""

    cases: pd.DataFrame
    segments: pd.DataFrame
    sums: pd.DataFrame
    review: pd.DataFrame


def load(release: Release) -> Corpus | None:
    """The tables of the default corpus, made now where they are missing; None without judgments."""
    files = default_files(release)
    if not files:
        return None
    folder = ROOT / ".cache" / "judgments" / f"{release.profile}-tables"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # pages run side by side
        run(files, folder)
    names = {"case_id": str, "paragraph": str, "first_number": str, "last_number": str}
    read = {
        name: pd.read_csv(folder / f"{name}.csv", dtype=names, keep_default_na=True)
        for name in ("cases", "segments", "sums", "review")
    }
    for frame in read.values():
        text = frame.select_dtypes(include=["object", "string"]).columns
        frame[text] = frame[text].fillna("")
    return Corpus(**read)


def pick(cases: pd.DataFrame, case_id: str, scored: Collection[str]) -> pd.Series:
    """The case that the viewer shows: the one named, else the first target with an award.

    Args:
        scored: ids of the cases that systems predict; such a case is preferred.

    Raises:
        UserError: for a case that is not in the corpus, or was not read.
    """
    readable = cases[cases["characters"].notna()]
    if case_id:
        named = readable[readable["case_id"] == case_id]
        if named.empty:
            raise UserError(f"There is no readable judgment {case_id!r} in the corpus.")
        return named.iloc[0]
    targets = readable[(readable["status"] == "target") & (readable["amount"] > 0)]
    shown = targets[targets["case_id"].isin(set(scored))]
    if targets.empty:
        raise UserError("The corpus holds no target with an award.")
    return (targets if shown.empty else shown).iloc[0]
