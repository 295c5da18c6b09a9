"""A judgment as text: its paragraphs with their numbers and character offsets.

Every source (:mod:`lib.judgments.sources`) yields this one shape, so that nothing after it knows
where a judgment came from. Offsets count Unicode code points of ``Judgment.text``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd

# Typography that HUDOC varies, one character for one so that offsets stay: spaces, hyphens, quotes.
PLAIN = str.maketrans(
    dict.fromkeys("\xa0\u2002\u2003\u2007\u2009\u200a\u202f\t\x85\u2028", " ")
    | dict.fromkeys("‐‑\xad﹣－", "-")
    | dict.fromkeys("‘’ʼ´", "'")
)
# "12." and "12)" start a paragraph; HUDOC's DOCX and old texts leave out the space now and then.
NUMBER = re.compile(r"\s*(\d{1,4})\s*[.)](?=\s|[A-Z“\"(])")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph.

    Attributes:
        start, end: offsets in the judgment's text; ``text[start:end]`` is the paragraph.
        text: the paragraph with its typography made plain, of the same length.
        number: the Court's paragraph number, or "".
    """

    start: int
    end: int
    text: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where in a judgment a value was read.

    Attributes:
        start, end: offsets in the judgment's text.
        paragraph: the Court's number of the paragraph, or of the last numbered one before it.
        quote: the words themselves.
    """

    start: int
    end: int
    paragraph: str
    quote: str


@dataclass(frozen=True)
class Judgment:
    """A judgment as read.

    Attributes:
        case_id: the HUDOC item id.
        text: the whole text, paragraphs separated by line feeds.
        paragraphs: in reading order; blank ones are left out.
        metadata: what the source says about the case, by HUDOC's field names.
        tables: appendix tables as rows of cells, where the source keeps them.
        notes: named oddities of the source that a reviewer should know.
    """

    case_id: str
    text: str
    paragraphs: tuple[Paragraph, ...]
    metadata: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[tuple[tuple[str, ...], ...], ...] = ()
    notes: tuple[str, ...] = ()

    def frame(self) -> pd.DataFrame:
        """One row a paragraph: number, start, end, text."""
        rows = [(p.number, p.start, p.end, self.text[p.start : p.end]) for p in self.paragraphs]
        return pd.DataFrame(rows, columns=["number", "start", "end", "text"])

    def evidence(self, start: int, end: int) -> Evidence:
        """The evidence for a span of the text."""
        number = ""
        for paragraph in self.paragraphs:
            if paragraph.start > start:
                break
            number = paragraph.number or number
        return Evidence(start, end, number, self.text[start:end])


class Unreadable(Exception):  # noqa: N818 (it names a state of a file)
    """A file that is no judgment that we can read; goes to the review queue, never stops a run.

    Attributes:
        reason: a stable name, one of :data:`lib.judgments.checks.REASONS`.
        detail: what was seen.
    """

    def __init__(self, reason: str, detail: str = ""):
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


def plain(text: str) -> str:
    """The text with plain spaces, hyphens and apostrophes; as long as the original."""
    return text.translate(PLAIN)


def build(
    case_id: str,
    text: str,
    metadata: Mapping[str, str] | None = None,
    spans: Iterable[tuple[int, int]] | None = None,
    **rest: tuple,
) -> Judgment:
    """A judgment from its text.

    Args:
        spans: offsets of the paragraphs; by default one paragraph a line.

    Raises:
        Unreadable: ``empty_file`` where the text holds no word.
    """
    smooth = plain(text)
    if not smooth.strip():
        raise Unreadable("empty_file", "it holds no text")
    if spans is None:
        spans = (match.span() for match in re.finditer(r"[^\n]+", smooth))
    paragraphs = []
    for start, end in spans:
        words = smooth[start:end]
        if words.strip():
            found = NUMBER.match(words)
            paragraphs.append(Paragraph(start, end, words, found[1] if found else ""))
    return Judgment(case_id, text, tuple(paragraphs), dict(metadata or {}), **rest)
