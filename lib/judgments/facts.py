"""Leakage-safe facts: the facts of a case without anything about its award (paper section 3.3).

The gate works paragraph by paragraph. What it withholds it reports with the reason; where nothing
is left, or most is withheld, the case has no raw-text input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lib.judgments import money
from lib.judgments.extract import Extraction
from lib.judgments.text import Evidence, Paragraph

# Why a paragraph is withheld, in the order of the tests.
RULES = {
    "article_41": r"\bArt(?:icle|\.)s? (?:[\d§, ]+(?:and )?)?(?:41|50)\b(?! (?:of|§|\(|-)[^.]{0,40}(?:Code|Constitution|Act|Law|Protocol|Regulation))|"
                  r"\b(?i:just satisfaction)\b|\bafford(?:ed)? (?:just )?satisfaction\b",
    "court_award": r"\brespondent (?:State|Government) (?:is|are|shall|to|must) (?:to )?pay\b|"
                   r"\b[Tt]he Court (?:\w+ )?(?:awards?|awarded|grants?|decides to award|makes (?:an|no) award)\b(?! of)|"
                   r"\bFOR THESE REASONS\b|(?i:finding of (?:a )?violation (?:constitutes|is|would be|in itself))",
    "compensation_submission": r"\bGovernment\b[^.;]{0,120}\b(?:compensation|award|damages)\b[^.;]{0,80}\b(?:Court|Strasbourg|excessive|Convention)\b|"
                               r"\bapplicants?\b[^.;]{0,60}\bclaim(?:s|ed)?\b[^.;]{0,80}\b(?:to the Court|before the Court|under the Convention|in Strasbourg)\b",
}  # fmt: skip
_RULES = {name: re.compile(pattern) for name, pattern in RULES.items()}
_EURO = re.compile(r"\bEUR\b|€|\beuros?\b", re.I)
_FIGURE = re.compile(r"\d[\d ,.]*\d")
CASE_SUM = "case_sum"  # a sum equal to one that is claimed or awarded in the case
MOST = 0.5  # withheld share of the characters from which the case has no raw-text input


@dataclass(frozen=True, slots=True)
class Withheld:
    """A paragraph that the gate refused: a key of ``RULES`` or ``CASE_SUM``, and the words."""

    rule: str
    evidence: Evidence


@dataclass(frozen=True)
class Facts:
    """The raw-text input of a case.

    Attributes:
        text: the paragraphs that passed, separated by line feeds; "" where there is no input.
        withheld: what the gate refused.
        refused: why the case has no input: ``no_facts``, ``mostly_withheld``, ``parts_unclear`` (no
            law part was found after the facts, which may then hold it) or "".
    """

    text: str
    withheld: tuple[Withheld, ...]
    refused: str = ""


def gate(paragraph: Paragraph, sums: set[tuple[float, str]]) -> tuple[str, int, int] | None:
    """The rule by which a paragraph is withheld, with the offsets of the words; None if it passes.

    Args:
        sums: value and currency of every sum that is claimed or awarded in the case.
    """
    for name, pattern in _RULES.items():
        match = pattern.search(paragraph.text)
        if match:
            return name, paragraph.start + match.start(), paragraph.start + match.end()
    if _EURO.search(paragraph.text):  # in words, or in figures that are grouped in an odd way
        values = {int(value) for value, currency in sums if currency == money.EURO and value >= 100}
        words = paragraph.text.lower()
        for match in _FIGURE.finditer(words):
            if int(re.sub(r"\D", "", re.sub(r"[.,]\d\d\Z", "", match[0])) or 0) in values:
                return CASE_SUM, paragraph.start + match.start(), paragraph.start + match.end()
        for value in sorted(values):
            at = words.find(money.in_words(value) + " ")
            if at >= 0:
                return (
                    CASE_SUM,
                    paragraph.start + at,
                    paragraph.start + at + len(money.in_words(value)),
                )
    for one in money.find(paragraph.text):
        if (one.value, one.currency) in sums and one.value > 0:
            return CASE_SUM, paragraph.start + one.start, paragraph.start + one.end
    return None


def facts(found: Extraction, law: bool = True) -> Facts:
    """The facts of a case as far as the input contract permits them.

    Args:
        law: whether relevant law and practice belong to the input.
    """
    sums = {
        (one.value, one.currency)
        for one in [*found.claims, *found.reasoned, *found.ordered, *found.tabled]
    }
    passed, withheld, lost = [], [], 0
    for segment in found.segments:
        if segment.name != "facts" or (segment.part == "relevant_law" and not law):
            continue
        for paragraph in found.judgment.paragraphs[segment.first : segment.last + 1]:
            refused = gate(paragraph, sums)
            if refused:
                rule, start, end = refused
                withheld.append(Withheld(rule, found.judgment.evidence(start, end)))
                lost += len(paragraph.text)
            else:
                passed.append(found.judgment.text[paragraph.start : paragraph.end].strip())
    text = "\n".join(passed)
    if not any(segment.name == "law" for segment in found.segments):
        return Facts("", tuple(withheld), "parts_unclear")
    if sum(character.isalpha() for character in text) < 100 and not withheld:
        return Facts("", tuple(withheld), "no_facts")
    if lost > MOST * (lost + len(text)):
        return Facts("", tuple(withheld), "mostly_withheld")
    return Facts(text, tuple(withheld))
