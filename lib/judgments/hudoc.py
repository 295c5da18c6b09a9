"""Download judgments from HUDOC: politely, resumably, with every failure listed.

HUDOC answers a query with metadata and a conversion with the text. A judgment lands in two files,
``<item id>.html`` and ``<item id>.json``; one that is there is not asked for again.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lib.errors import UserError
from lib.judgments.sources import ITEM_ID

SERVER = "https://hudoc.echr.coe.int"
FIELDS = ("itemid", "docname", "doctype", "doctypebranch", "languageisocode", "kpdate", "appno", "respondent",
          "importance", "originatingbody", "conclusion", "article", "violation", "nonviolation",
          "separateopinion", "representedby", "ecli")  # fmt: skip
PAUSE = 1.0  # seconds between two requests
ATTEMPTS = 4
ENDS = re.compile(
    rb"Done in|Done at|Registrar|APPENDIX", re.I
)  # a judgment that breaks off has none
PAGE = 500  # rows a query answers at most


@dataclass(frozen=True, slots=True)
class Failure:
    """A judgment that could not be had: its id, a reason of ``checks.UNREADABLE``, what was seen."""

    case_id: str
    reason: str
    detail: str


class _FetchError(Exception):
    def __init__(self, reason: str, detail: str):
        self.reason, self.detail = reason, detail


class Client:
    """Talks to a HUDOC server, one request at a time."""

    def __init__(self, server: str = SERVER, pause: float = PAUSE, timeout: float = 60):
        import requests

        self.server, self.pause, self.timeout = server.rstrip("/"), pause, timeout
        self._session = requests.Session()
        self._session.headers["User-Agent"] = "human-rights-benchmark-lab (research)"
        self._last = 0.0

    def _get(self, path: str, parameters: dict[str, str]) -> bytes:
        """The body of an answer; waits longer after each failure.

        Raises:
            _FetchError: ``not_found`` at once; ``download_failed`` or ``truncated`` after ``ATTEMPTS``.
        """
        import requests

        seen = _FetchError("download_failed", "no answer")
        for attempt in range(ATTEMPTS):
            time.sleep(
                max(
                    0.0,
                    self._last + self.pause * 2**attempt - time.monotonic(),
                )
            )
            try:
                answer = self._session.get(
                    self.server + path, params=parameters, timeout=self.timeout
                )
                body = answer.content
            except requests.exceptions.ChunkedEncodingError:
                seen = _FetchError("truncated", "the answer broke off")
                continue
            except requests.exceptions.RequestException as error:
                seen = _FetchError("download_failed", type(error).__name__)
                continue
            finally:
                self._last = time.monotonic()
            if answer.status_code in (204, 404):
                raise _FetchError("not_found", f"HTTP {answer.status_code}")
            if answer.status_code != 200:
                seen = _FetchError("download_failed", f"HTTP {answer.status_code}")
                continue
            promised = answer.headers.get("Content-Length")
            if (
                promised
                and promised.isdigit()
                and "Content-Encoding" not in answer.headers
                and len(body) < int(promised)
            ):
                seen = _FetchError("truncated", f"{len(body):,} of {int(promised):,} bytes")
                continue
            return body
        raise seen

    def query(
        self, query: str, progress: Callable[[int, int], None] = lambda done, of: None
    ) -> list[dict[str, str]]:
        """Metadata of all documents that a HUDOC query finds, in item-id order.

        Raises:
            UserError: where HUDOC does not answer the query.
        """
        rows: list[dict[str, str]] = []
        while True:
            parameters = {"query": query, "select": ",".join(FIELDS), "sort": "itemid Ascending",
                          "start": str(len(rows)), "length": str(PAGE)}  # fmt: skip
            try:
                answer: Any = json.loads(self._get("/app/query/results", parameters))
                found = [row["columns"] for row in answer["results"]]
                total = int(answer["resultcount"])
            except _FetchError as failed:
                raise UserError(
                    f"HUDOC did not answer the query: {failed.detail}.", hint="Try again later."
                ) from None
            except (ValueError, KeyError, TypeError):
                raise UserError("HUDOC's answer to the query could not be read.") from None
            rows += [{str(key): str(value or "") for key, value in row.items()} for row in found]
            progress(len(rows), total)
            if not found or len(rows) >= total:
                return rows

    def text(self, case_id: str) -> bytes:
        """The HTML of a judgment.

        Raises:
            _FetchError: ``not_found``, ``download_failed``, ``empty_file`` or ``truncated``.
        """
        parameters = {"library": "ECHR", "id": case_id}
        body = self._get("/app/conversion/docx/html/body", parameters)
        if not body.strip():
            raise _FetchError("empty_file", "HUDOC has no text for it")
        if not ENDS.search(body[-40_000:]):
            raise _FetchError("truncated", "the text has no end")
        return body


def judgments_query(since: str, until: str, languages: Iterable[str] = ("ENG",)) -> str:
    """HUDOC's query for judgments in a span of dates (YYYY-MM-DD), both included."""
    spoken = " OR ".join(f'languageisocode:"{language}"' for language in languages)
    return (
        f'contentsitename:ECHR AND (documentcollectionid2:"JUDGMENTS") AND ({spoken}) '
        f'AND (kpdate>="{since}T00:00:00.0Z" AND kpdate<="{until}T23:59:59.0Z")'
    )


def fetch(
    case_ids: Iterable[str],
    folder: Path,
    client: Client,
    progress: Callable[[str], None] = lambda case_id: None,
) -> list[Failure]:
    """Download judgments into a folder; those already there are left alone.

    Returns:
        What could not be had; the rest of the list is downloaded all the same.

    Raises:
        UserError: for ids that are no HUDOC item ids, before anything is asked for.
    """
    wanted = list(dict.fromkeys(case_ids))
    odd = [one for one in wanted if not ITEM_ID.fullmatch(one)]
    if odd:
        raise UserError(f"Not HUDOC item ids (like 001-57574): {', '.join(map(repr, odd[:20]))}")
    folder.mkdir(parents=True, exist_ok=True)
    failures = []
    for case_id in wanted:
        path = folder / f"{case_id}.html"
        if not path.is_file():
            try:
                page = client.text(case_id)
                described = client.query(f'contentsitename:ECHR AND (itemid:"{case_id}")')
            except _FetchError as failed:
                failures.append(Failure(case_id, failed.reason, failed.detail))
                progress(case_id)
                continue
            except UserError as error:
                failures.append(Failure(case_id, "download_failed", error.summary))
                progress(case_id)
                continue
            if described:
                _write(
                    path.with_suffix(".json"),
                    json.dumps(described[0], ensure_ascii=False, indent=1, sort_keys=True).encode(),
                )
            _write(path, page)  # last, since its presence says that all is there
        progress(case_id)
    return failures


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)
