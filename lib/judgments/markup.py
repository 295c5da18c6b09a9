"""Judgments as HUDOC gives them: HTML and DOCX. Scripts and styles never reach the text."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping

from lib.judgments.text import Judgment, Unreadable, build

LARGEST = 200_000_000  # bytes that a DOCX may unpack to
_BLOCKS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "div", "td", "th", "blockquote", "body")
_SPACE = re.compile(r"[ \t\r\n\f]+")

Rows = tuple[tuple[str, ...], ...]


def _assemble(
    case_id: str,
    lines: Iterable[str],
    tables: list[Rows],
    metadata: Mapping[str, str] | None,
    notes: Iterable[str],
) -> Judgment:
    text = "\n".join(line for line in lines if line)
    if any(ord(character) > 0xFFFF for character in text):
        notes = [*notes, "astral_characters"]
    return build(case_id, text, metadata, tables=tuple(tables), notes=tuple(notes))


def read_html(
    case_id: str, page: bytes | str, metadata: Mapping[str, str] | None = None
) -> Judgment:
    """A judgment from HUDOC's HTML.

    Raises:
        Unreadable: ``empty_file`` or ``broken_markup``.
    """
    from lxml import etree, html

    if not page.strip():
        raise Unreadable("empty_file", "the HTML holds nothing")
    try:
        parser = html.HTMLParser(encoding="utf-8" if isinstance(page, bytes) else None,
                                 remove_comments=True, no_network=True)  # fmt: skip
        root = html.document_fromstring(page, parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise Unreadable("broken_markup", str(error)) from None
    notes = []
    dropped = root.xpath("//script|//style|//noscript|//iframe|//object|//template")
    if root.xpath("//script") or root.xpath("//@*[starts-with(name(), 'on')]"):
        notes.append("scripts_removed")
    for element in dropped:
        element.drop_tree()
    tables = [
        tuple(
            tuple(_words(cell) for cell in row.xpath("./td|./th")) for row in table.xpath(".//tr")
        )
        for table in root.xpath("//table")
    ]
    return _assemble(case_id, _lines(root), [rows for rows in tables if rows], metadata, notes)


def _words(element: object) -> str:
    return _SPACE.sub(" ", element.text_content()).strip()  # type: ignore[attr-defined]


def _lines(root: object) -> list[str]:
    """Text of the innermost blocks in document order; a line break ends a line."""
    lines = [""]

    def add(text: str | None) -> None:
        if text:
            lines[-1] += _SPACE.sub(" ", text)

    def walk(element: object) -> None:  # libxml2 stops at a depth of 256
        block = element.tag in _BLOCKS or element.tag == "br"  # type: ignore[attr-defined]
        if block:
            lines.append("")
        add(element.text)  # type: ignore[attr-defined]
        for child in element:  # type: ignore[attr-defined]
            if isinstance(child.tag, str):
                walk(child)
            add(child.tail)
        if block:
            lines.append("")

    walk(root.find("body") if root.find("body") is not None else root)  # type: ignore[attr-defined]
    return [line.strip() for line in lines]


def read_docx(case_id: str, data: bytes, metadata: Mapping[str, str] | None = None) -> Judgment:
    """A judgment from HUDOC's DOCX.

    Raises:
        Unreadable: ``empty_file`` or ``broken_markup``.
    """
    import docx

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > LARGEST:
                raise Unreadable("broken_markup", "the DOCX unpacks to more than 200 MB")
            if re.search(rb'w:gridSpan w:val="\d{4,}"', archive.read("word/document.xml")):
                raise Unreadable("broken_markup", "a table cell spans a thousand columns")
        document = docx.Document(io.BytesIO(data))
    except Unreadable:
        raise
    except Exception as error:  # python-docx raises whatever it trips over
        raise Unreadable("broken_markup", f"not a DOCX: {error}") from None
    try:
        lines, tables = _blocks(document)
    except Exception as error:  # tables may be broken in ways of their own
        raise Unreadable(
            "broken_markup", f"a table cannot be read: {type(error).__name__}"
        ) from None
    return _assemble(case_id, lines, tables, metadata, ())


def _blocks(document: object) -> tuple[list[str], list[Rows]]:
    """Lines and tables of a DOCX, in the order in which they stand."""
    from docx.table import Table

    lines: list[str] = []
    tables: list[Rows] = []
    for block in document.iter_inner_content():  # type: ignore[attr-defined]
        if isinstance(block, Table):
            rows = tuple(
                tuple(_SPACE.sub(" ", cell.text).strip() for cell in row.cells)
                for row in block.rows
            )
            tables.append(rows)
            lines += [cell for row in rows for cell in dict.fromkeys(row)]
        else:
            lines += [_SPACE.sub(" ", line).strip() for line in block.text.splitlines()]
    return lines, tables
