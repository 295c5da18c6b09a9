"""One way to read a judgment, whatever its file: LAM:ECHR XMI, HUDOC HTML, HUDOC DOCX, plain text."""

from __future__ import annotations

import json
import re
from pathlib import Path

from lib.errors import UserError
from lib.judgments import markup, xmi
from lib.judgments.text import Judgment, Unreadable, build

SUFFIXES = (".xmi", ".html", ".htm", ".docx", ".txt")
ITEM_ID = re.compile(r"\d{3}-\d{1,8}")
METADATA = ".json"  # beside a file: what HUDOC says about the case


def find(places: list[Path]) -> list[Path]:
    """The judgment files in folders (searched through) and among files, by name, each once.

    Raises:
        UserError: where a place does not exist or nothing is found.
    """
    missing = [place for place in places if not place.exists()]
    if missing:
        raise UserError(f"No such file or folder: {', '.join(map(str, missing))}")
    files: set[Path] = set()
    for place in places:
        files |= {place} if place.is_file() else {
            path for path in place.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file()
        }  # fmt: skip
    if not files:
        raise UserError(
            f"No judgments in {', '.join(map(str, places))}.",
            hint=f"Judgments are files that end in {', '.join(SUFFIXES)}; `npd judgments fetch` downloads some.",
        )
    return sorted(files, key=lambda path: (path.stem, str(path)))


def case_id_of(path: Path) -> str:
    """The HUDOC item id in a file's name, or a harmless form of the name."""
    found = ITEM_ID.search(path.stem)
    return found[0] if found else re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem)[:60] or "unnamed"


def read(path: Path) -> Judgment:
    """The judgment in a file.

    Raises:
        Unreadable: with a reason of :data:`lib.judgments.checks.UNREADABLE`.
    """
    case_id, suffix = case_id_of(path), path.suffix.lower()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable("not_found", error.strerror or str(error)) from None
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise Unreadable("empty_file", f"{len(data)} bytes, none of them text")
    metadata = _metadata(path)
    if suffix == ".docx" or data.startswith(b"PK\x03\x04"):
        return markup.read_docx(case_id, data, metadata)
    text = _decode(data)
    if suffix == ".xmi" or "<xmi:XMI" in text[:5000]:
        return xmi.read(case_id, text)
    if suffix in (".html", ".htm") or re.match(r"\s*<(?:!doctype|html|body|div|p)\b", text, re.I):
        return markup.read_html(case_id, text, metadata)
    return build(case_id, text.replace("\r\n", "\n"), metadata)


def _decode(data: bytes) -> str:
    """The text of bytes in UTF-8, or in UTF-16 where they begin with its mark.

    Raises:
        Unreadable: ``binary_file`` or ``wrong_encoding``.
    """
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not marked and b"\0" in data[:4096]:
        raise Unreadable("binary_file", "it holds zero bytes")
    try:
        return data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        head = data[:4096]
        odd = sum(byte < 9 or 13 < byte < 32 for byte in head)
        if odd > 0.02 * len(head):
            raise Unreadable("binary_file", "it is not text") from None
        raise Unreadable(
            "wrong_encoding",
            f"byte {error.start:,} ({data[error.start]:#04x}) is not {error.encoding}",
        ) from None


def _metadata(path: Path) -> dict[str, str]:
    beside = path.with_suffix(METADATA)
    try:
        found = json.loads(beside.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}
