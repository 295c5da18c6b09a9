"""The parts of a judgment: procedure, facts, law, Article 41, operative provisions, opinions.

Headings vary by decade and formation ("AS TO THE LAW", "SUBJECT MATTER OF THE CASE", Article 50
before 1998), so a part is found by what its heading says, in the order in which parts may follow
each other. Source: paper appendix A.2; Rules of Court, Rule 74.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from lib.judgments.articles import articles
from lib.judgments.text import Judgment, Paragraph

LONGEST_HEADING = 220  # characters

# A heading's own numbering ("I.", "B.", "(a)", "3."), which is not part of what it says.
_NUMERAL = r"\s*(?:(?:[IVXL]+|[A-Z]|\d{1,2}|\([a-z]+\))\s*[.)\-]?\s+)?"
_ARTICLE_41 = r"ARTICLES?\s+(?:46\s+AND\s+(?:ARTICLE\s+)?)?(?:41|50)\b"

# (segment, part, pattern of the heading). The first that matches wins.
HEADINGS = [
    ("operative", "", r"FOR (?:THESE|THOSE) REASONS?,?\s*(?:THE COURT|THE CHAMBER|,|$)"),
    ("opinions", "", r"(?:(?:JOINT|PARTLY|SEPARATE|DISSENTING|CONCURRING|DECLARATION|STATEMENT|"
                     r"PARTIALLY|INDIVIDUAL)[ ,A-Z]*(?:OPINION|BY JUDGE)|"
                     r"(?:DECLARATION|STATEMENT)[A-Z ,]* JUDGE|SEPARATE OPINION|OPINION OF )"),
    ("appendix", "", r"(?:APPENDIX|ANNEX|APPENDICES|LIST OF (?:APPLICANTS|APPLICATIONS|CASES))\b"),
    ("article_41", "", rf"(?:AS TO THE |ON THE |THE )?(?:APPLICATION|APPLICABILITY) OF {_ARTICLE_41}"),
    ("article_41", "", rf"{_ARTICLE_41}(?:\s*\(art\. \d+\))?(?: OF THE CONVENTION)?\s*$"),
    ("article_41", "", r"(?:THE )?(?:CLAIMS? FOR )?JUST SATISFACTION\b.{0,60}$"),
    ("procedure", "", r"(?:(?:AS TO THE )?PROCEDURE|INTRODUCTION)\b"),
    ("facts", "", r"(?:(?:AS TO )?THE FACTS|THE CIRCUMSTANCES OF THE CASE|SUBJECT[ -]MATTER OF THE CASE"
                  r"|FACTS)\s*$"),
    ("facts", "circumstances", r"(?:THE )?(?:PARTICULAR )?(?:CIRCUMSTANCES|BACKGROUND) (?:OF|TO) THE"
                               r"(?: PRESENT)? CASES?\b"),
    ("facts", "relevant_law", r"(?:THE )?(?:RELEVANT|APPLICABLE|OTHER RELEVANT|DOMESTIC LAW|INTERNATIONAL"
                              r"|EUROPEAN|COMPARATIVE|COUNCIL OF EUROPE)\b.*(?:LAW|PRACTICE|LEGISLATION|"
                              r"FRAMEWORK|MATERIALS?|INSTRUMENTS?|PROVISIONS?|TEXTS?|DOCUMENTS?|"
                              r"STANDARDS?|SOURCES?)\b"),
    ("commission", "", r"PROCEEDINGS BEFORE THE COMMISSION"),
    ("submissions", "", r"(?:FINAL SUBMISSIONS|CONCLUDING SUBMISSIONS)\b.*(?:TO THE COURT|BY|OF|$)"),
    ("law", "", r"(?:AS TO )?THE LAW\s*$|THE COURT'S ASSESSMENT\s*$"),
    ("law", "complaint", r"(?:AS TO THE )?(?:ALLEGED|ALLEGATION|THE ALLEGED|OTHER ALLEGED|REMAINING COMPLAINT|"
                         r"COMPLAINTS? |WHETHER THERE|MERITS\b|ADMISSIBILITY\b|THE GOVERNMENT'S "
                         r"PRELIMINARY|PRELIMINARY (?:OBJECTION|ISSUE)|JOINDER|RULE 39|"
                         r"APPLICATION OF ARTICLE|REMAINDER|EXISTENCE OF|OTHER COMPLAINTS|SCOPE OF)"),
]  # fmt: skip
_HEADINGS = [(name, part, re.compile(_NUMERAL + pattern)) for name, part, pattern in HEADINGS]

HEADS = {  # of Article 41
    "damage": r"(?:(?:PECUNIARY|NON-?PECUNIARY|MATERIAL|MORAL)[ ,A-Z-]*|THE )?DAMAGES?\b",
    "costs": r"(?:LEGAL )?COSTS\b|FEES AND EXPENSES|COSTS AND EXPENSES",
    "default_interest": r"(?:DEFAULT )?INTEREST\b",
}
_HEADS = {head: re.compile(_NUMERAL + rf"(?:{pattern})", re.I) for head, pattern in HEADS.items()}

# What may come after what; a heading out of order is one in a quotation or in an opinion.
ORDER = {
    name: place
    for place, name in enumerate(
        ("header", "procedure", "facts", "commission", "submissions", "law", "article_41",
         "operative", "end", "opinions", "appendix")
    )
}  # fmt: skip
NAMES = tuple(ORDER)
_FORMULA = re.compile(r"FOR (?:THESE|THOSE) REASONS?,?\s*,?\s*(?:THE )?(?:COURT|CHAMBER)", re.I)
# Where the source has lost the headings (LAM:ECHR from 2019 on), Article 41 begins with its own text.
_OPENS_41 = re.compile(
    r".{0,160}\bArticle (?:41|50)\b[^.;]{0,80}(?:provides|reads|states|,\s*$)", re.I
)
_DONE = re.compile(r"\s*(?:Done (?:in|at)\b|DONE IN\b|Delivered (?:in|at)\b)")


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a judgment.

    Attributes:
        name: one of ``NAMES``.
        part: within facts ``circumstances`` or ``relevant_law``, within law ``complaint``, within
            Article 41 a head (``damage``, ``costs``, ``default_interest``), else "".
        heading: as it stands in the judgment, or "".
        first, last: positions in ``Judgment.paragraphs``, both included; the heading is among them.
    """

    name: str
    part: str
    heading: str
    first: int
    last: int


def _says(paragraph: Paragraph) -> tuple[str, str] | None:
    """The segment and part that a paragraph opens, were it a heading."""
    words = paragraph.text.strip()
    if len(words) > LONGEST_HEADING:
        return None
    if _FORMULA.match(words) and len(words) < 90:
        return "operative", ""
    # headings are in capitals; a few old judgments write the Article 50 one in small letters
    letters = [character for character in words if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    small = re.match(_NUMERAL + r"Application of Article (?:41|50)\b", words)
    if not letters or (capitals < 0.6 * len(letters) and not small):
        return None
    for name, part, pattern in _HEADINGS:
        if pattern.match(words.upper() if small else words):
            return name, part
    return None


def split(judgment: Judgment) -> list[Segment]:
    """The judgment's segments in reading order, without gaps, from the first paragraph to the last.

    A heading counts only where its segment may follow the one that is open, so that a judgment
    quoted inside another, or an opinion with headings of its own, stays whole.
    """
    paragraphs = judgment.paragraphs
    starts: list[tuple[int, str, str, str]] = [(0, "header", "", "")]
    headings = [_says(paragraph) for paragraph in paragraphs]
    formula = _operative_start(paragraphs, headings)
    headed = ("article_41", "") in headings[:formula]
    last_law = max((i for i, said in enumerate(headings) if said == ("law", "")), default=-1)
    for place, paragraph in enumerate(paragraphs):
        name, part = starts[-1][1:3]
        if formula is not None and place == formula:
            starts.append((place, "operative", "", paragraph.text.strip()))
            continue
        if name == "operative" and _DONE.match(paragraph.text):
            starts.append((place, "end", "", ""))
            continue
        if name == "law" and not headed and _OPENS_41.match(paragraph.text):
            starts.append((place, "article_41", "", ""))
            continue
        if name == "article_41":
            found = _head(paragraph)
            if found and found != part:
                starts.append((place, name, found, paragraph.text.strip()))
                continue
        said = headings[place]
        if said is None or said[0] == "operative" or said == (name, part) != ("law", "complaint"):
            continue
        opened, section = said
        # without a heading of its own the law begins with its first complaint; "complaint" headings
        # in the facts ("Admissibility …") only count where no law heading follows
        early = said == ("law", "complaint") and ORDER[name] < ORDER["law"]
        if early and place <= last_law:
            continue
        if opened in ("opinions", "appendix") and ORDER[name] < ORDER["operative"]:
            continue
        if ORDER[opened] < ORDER[name] and not (name == "article_41" and opened == "law"):
            continue
        if name in ("opinions", "appendix") and opened not in ("opinions", "appendix"):
            continue
        starts.append((place, opened, section, paragraph.text.strip()))
    ends = [start[0] - 1 for start in starts[1:]] + [len(paragraphs) - 1]
    return [
        Segment(name, part, heading, first, last)
        for (first, name, part, heading), last in zip(starts, ends, strict=True)
        if last >= first
    ]


def _operative_start(
    paragraphs: tuple[Paragraph, ...], headings: list[tuple[str, str] | None]
) -> int | None:
    """Where the operative provisions begin: the formula that provisions follow, not a quoted one."""
    found = [place for place, said in enumerate(headings) if said == ("operative", "")]
    for place in found:
        following = [p.text.strip() for p in paragraphs[place + 1 : place + 4]]
        if following and not following[0].startswith(("...", "[", "(...)", "…")):
            return place
    return found[0] if found else None


def _head(paragraph: Paragraph) -> str | None:
    words = paragraph.text.strip()
    if len(words) > 90 or (paragraph.number and len(words) > 60) or words.endswith((".", ";", ":")):
        return None
    for head, pattern in _HEADS.items():
        if pattern.match(words):
            return head
    return None


def frame(judgment: Judgment, segments: list[Segment]) -> pd.DataFrame:
    """One row a segment.

    Returns:
        Columns case_id, segment, part, heading, articles (semicolon-separated), first_number and
        last_number (the Court's paragraph numbers, "" where it has none), start, end (offsets).
    """
    rows = []
    for segment in segments:
        inside = judgment.paragraphs[segment.first : segment.last + 1]
        numbers = [p.number for p in inside if p.number]
        rows.append(
            {
                "case_id": judgment.case_id,
                "segment": segment.name,
                "part": segment.part,
                "heading": segment.heading,
                "articles": ";".join(articles(segment.heading)),
                "first_number": numbers[0] if numbers else "",
                "last_number": numbers[-1] if numbers else "",
                "start": inside[0].start,
                "end": inside[-1].end,
            }
        )
    return pd.DataFrame(rows)


def inside(judgment: Judgment, segments: list[Segment], *names: str) -> list[Paragraph]:
    """The paragraphs of the named segments, in reading order."""
    return [
        paragraph
        for segment in segments
        if segment.name in names
        for paragraph in judgment.paragraphs[segment.first : segment.last + 1]
    ]
