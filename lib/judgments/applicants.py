"""Who complains, and how many: from the opening paragraphs of a judgment."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lib.judgments.money import SMALL, spelled
from lib.judgments.segments import Segment, inside
from lib.judgments.text import Evidence, Judgment

_NUMBERS = "|".join([*SMALL, "[a-z]+-[a-z]+", r"\d{1,4}"])
_NATIONALS = re.compile(rf"\b(?:by|and) (?:a group of )?(?P<n>{_NUMBERS})\b[^.;]{{0,60}}?\b(?:nationals|persons|applicants|"
                        r"citizens|individuals|companies|associations|organisations)\b")  # fmt: skip
_ONE = re.compile(r"\(\s*[\"“”]?the applicants?\s*(?:company|association|organisation|party|foundation|trust)?"
                  r"[\"”“]?|[\"“]the applicants?\b")  # fmt: skip
_NAMED = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Messrs|Mr\.|Mrs\.)\s+[A-Z]")
ORDINALS = {
    word: place
    for place, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"], 1
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Applicants:
    """How many applicants a judgment has.

    Attributes:
        count: None where the text does not tell.
        evidence: the words it was read from.
    """

    count: int | None
    evidence: Evidence | None


def _value(words: str) -> int:
    return int(words) if words.isdigit() else int(spelled(words) or 0)


def count(judgment: Judgment, segments: list[Segment]) -> Applicants:
    """The number of applicants, as the opening paragraphs state it."""
    opening = inside(judgment, segments, "procedure", "header")[:60]
    text = "\n".join(p.text for p in opening)
    plural = bool(re.search(r"[\"“]the applicants[\"”]|the applicants\b", text))
    for paragraph in opening:
        words = paragraph.text
        if not re.search(r"lodged|originated|referred|brought", words):
            continue
        stated = [(found, _value(found["n"])) for found in _NATIONALS.finditer(words)]
        stated = [(found, value) for found, value in stated if value]
        called = _ONE.search(words)
        if stated:
            # "the applicant organisation and three Russian nationals"
            alone = bool(called) and called.start() < stated[0][0].start()
            span = paragraph.start + stated[0][0].start(), paragraph.start + stated[-1][0].end()
            return Applicants(alone + sum(value for _, value in stated), judgment.evidence(*span))
        if called and not called[0].rstrip('"”“').endswith("applicants"):
            span = paragraph.start + called.start(), paragraph.start + called.end()
            return Applicants(1, judgment.evidence(*span))
        if called:
            begins = re.search(r"\b(?:by|from)\b", words[words.find("Convention") :])
            since = words.find("Convention") + begins.start() if begins else 0
            names = _NAMED.findall(words[since : called.start()])
            if len(names) > 1:
                return Applicants(len(names), judgment.evidence(paragraph.start, paragraph.end))
    numbered = [
        ORDINALS[word]
        for word in re.findall(r"[Tt]he (\w+) applicants?\b", text)
        if word in ORDINALS
    ]
    if numbered:
        return Applicants(max(numbered), None)
    if not plural and opening:
        found = re.search(r"the applicant\b", text)
        if found:
            return Applicants(1, None)
    return Applicants(None, None)
