"""The Article 41 section (Article 50 before 1998): claims, the Court's awards, and reasons for zero.

Source: paper appendix A.3 (heads and the taxonomy of zero awards), Rule 60 of the Rules of Court.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lib.judgments.awards import DAMAGE, NON_PECUNIARY, NONE, Award, read
from lib.judgments.operative import Provision
from lib.judgments.segments import Segment, inside
from lib.judgments.text import Evidence, Judgment

# The paper's taxonomy, in the order in which a reason outranks the ones after it: what the Court
# states as its decision comes before what it notes about the claim.
RATIONALES = {
    "finding_sufficient": r"(?:findings?|judgment|conclusions?|decision|it)\b[^.;]{0,220}?(?:sufficient|adequate)\s*"
                          r"(?:just\s*satisfaction|compensation|redress|reparation)|sufficient just satisfaction|"
                          r"sufficiently compensated by (?:the|its|this) (?:finding|judgment)|"
                          r"provides? (?:him|her|them|the applicants?) with sufficient",
    "applicant_deceased_no_heir": r"(?:died|death|deceased)[^.;]{0,160}(?:no (?:heir|relative|one|person|successor)|"
                                  r"nobody|not (?:been )?(?:pursued|continued))",
    "domestic_award_covers": r"(?:domestic|national)[^.;]{0,120}(?:sufficient|adequate|appropriate)[^.;]{0,40}"
                             r"(?:redress|compensation|satisfaction)|already (?:been )?(?:awarded|compensated|received|"
                             r"obtained)[^.;]{0,120}(?:domestic|national|damage|compensation)",
    "no_claim": r"(?:did|do|does|has|have|had)(?: not| n't) (?:\w+ )?(?:submit(?:ted)?|ma[dk]e|claim(?:ed)?|s(?:eek|ought)|lodg(?:ed?)|"
                r"fil(?:ed?)|request(?:ed)?|present(?:ed)?|put forward|ask(?:ed)?|express)|"
                r"(?:made|submitted|put forward|lodged|raised|there (?:is|was)|makes?|received) no (?:\w+ )?(?:claim|request)|"
                r"failed to (?:submit|make|lodge)[^.;]{0,40} claims?|"
                r"no (?:\w+ ){0,2}claims? (?:was|were|has|have|for)|no details have been|only a finding|"
                r"no (?:call|need|reason) to (?:make|award)|has not (?:\w+ )?(?:submitted|quantified)",
    "rule_60_non_compliance": r"Rule 60|(?:outside|after|within|beyond|expiry of) the (?:\w+[ -]){0,2}time-?limit|out of time|"
                              r"belatedly|not (?:been )?(?:quantif|itemis|particularis)|in accordance with the Rules|requirements? of Rule",
    "unsubstantiated": r"unsubstantiated|not (?:\w+ )?(?:substantiated|proved|proven|established)|causal (?:link|connection)|"
                       r"(?:rejects?|dismiss(?:es|ed)?|cannot (?:make|award|accept)|no award|makes no|not (?:consider|find)[^.;]{0,60}award|"
                       r"does not (?:award|make)|need not|not justif|no basis|no grounds?|not necessary to)",
}  # fmt: skip
_RATIONALES = {name: re.compile(pattern, re.I) for name, pattern in RATIONALES.items()}

_SENTENCE = re.compile(
    r"[^.;]+(?:(?:[.;](?!\s+[A-Z(\"“])|(?:nos?|Mr|Mrs|Ms|v|cf|art|para|p|op|cit)\.\s)[^.;]*)*[.;]?"
)
_COURT = re.compile(r"\b(?:Court|Chamber|[Ii]t (?:therefore |accordingly |further |also |thus )?"
                    r"(?:awards?|considers?|finds?|holds?|notes?|decides?|rejects?|dismisses|makes|agrees|grants?)|"
                    r"on an equitable basis|call to|(?:should|must|will) be (?:dismissed|rejected))\b")  # fmt: skip
_AWARDS = re.compile(r"\b(?:awards?(?! of)|grants?|allows?|decides? to award|award(?:ed)? (?:him|her|them|each|the applicants?)|"
                     r"(?:make|makes|making) an award|(?:should|to) be (?:awarded|paid|reimbursed)|assess(?:es|ed)|fix(?:es|ed)|"
                     r"reasonable (?:to award|sum)|sum of|entitled to)\b")  # fmt: skip
_CLAIMS = re.compile(
    r"\b(?:claim(?:s|ed|ing)?|sought|seeks?|request(?:s|ed)?|asked|asks?|left the|demanded|requires? payment)\b"
)
_PARTY = re.compile(r"(?:\d{1,4}\s*[.)]\s*)?(?:(?:The|In the|As|According to the|For (?:its|their) part, the)\s+)?"
                    r"(?:(?:respondent )?Governments?|Delegate|third[- ]part|Commission|applicants?|applicant company)\b", re.I)  # fmt: skip
_GOVERNMENT_SAYS = re.compile(
    r"\b(?:Government|Delegate|State)\b[^.;]{0,60}\b(?:submit|argu|consider|maintain|contend|contest|"
    r"stat|claim|object|suggest|disagree|oppos|propos|ask|invit|express|request|point|left|"
    r"f(?:ound|ind)|believ|dispute|reiterat|opin|emphas|view)", re.I
)  # fmt: skip
_RESERVED = re.compile(
    r"not (?:yet )?ready for (?:a )?decision|\badjourn|reserves? (?:it|the (?:said )?(?:question|matter|procedure|whole))",
    re.I,
)
_SETTLED = re.compile(
    r"friendly settlement|agreement (?:reached )?between the (?:Government|parties)", re.I
)


@dataclass(frozen=True, slots=True)
class Rationale:
    """Why no non-pecuniary sum was awarded.

    Attributes:
        name: a key of ``RATIONALES``.
        evidence: the sentence; None where the reason is that the claims listed name no such head.
    """

    name: str
    evidence: Evidence | None


def sentences(judgment: Judgment, segments: list[Segment]) -> list[tuple[str, int, str]]:
    """The section's sentences: the head under which each stands, its offset, its words."""
    found = []
    for segment in segments:
        if segment.name != "article_41":
            continue
        for paragraph in judgment.paragraphs[segment.first : segment.last + 1]:
            if paragraph.text.lstrip().startswith(("“If the Court", '"If the Court')):
                continue
            for match in _SENTENCE.finditer(paragraph.text):
                if match[0].strip():
                    found.append((segment.part, paragraph.start + match.start(), match[0]))
    return found


def _of_section(award: Award, part: str) -> Award:
    """The award with the head of the section where its sentence names none."""
    if award.head == NONE and part in ("damage", "costs"):
        return replace(award, head=DAMAGE if part == "damage" else part)
    return award


def claims(judgment: Judgment, segments: list[Segment]) -> list[Award]:
    """The sums that the applicants claim, by head."""
    found = []
    for part, start, words in sentences(judgment, segments):
        if _CLAIMS.search(words) and not _GOVERNMENT_SAYS.search(words) and not _awarding(words):
            found += [_of_section(one, part) for one in read(words, start)]
    return found


def _awarding(words: str) -> bool:
    return bool(_COURT.search(words) and _AWARDS.search(words))


def awards(judgment: Judgment, segments: list[Segment]) -> list[Award]:
    """The sums that the Court's reasoning awards, by head."""
    found = []
    for part, start, words in sentences(judgment, segments):
        verb = _AWARDS.search(words)
        if (
            verb
            and not _GOVERNMENT_SAYS.search(words)
            and not (_PARTY.match(words.lstrip()) and not _COURT.search(words))
        ):
            if _CLAIMS.search(words[: verb.start()]) and not _COURT.search(words):
                continue
            found += [_of_section(one, part) for one in read(words, start)]
    return found


def rationale(
    judgment: Judgment, segments: list[Segment], provisions: list[Provision], claimed: list[Award]
) -> Rationale | None:
    """Why the Court awarded nothing for non-pecuniary damage; None where the text does not say.

    The operative provisions are asked first, then what the Court says about damage, then about
    claims in general. Sentences that report a party's view are left out.
    """
    sufficient = _RATIONALES["finding_sufficient"]
    for provision in provisions:
        match = sufficient.search(provision.text)
        if match:
            span = provision.start + match.start(), provision.start + match.end()
            return Rationale("finding_sufficient", judgment.evidence(*span))
    said = sentences(judgment, segments)
    # a sentence under costs or interest is about those, unless it speaks of damage
    about = [
        (start, words)
        for part, start, words in said
        if (part not in ("costs", "default_interest") or "pecuniary" in words)
        and not _GOVERNMENT_SAYS.search(words)
        and not re.match(r"\s*(?:\d+\.\s*)?[^.]{0,40}costs and expenses", words)
    ]
    for name, pattern in _RATIONALES.items():
        for start, words in about:
            court = _COURT.search(words) or name in (
                "no_claim",
                "rule_60_non_compliance",
                "applicant_deceased_no_heir",
            )
            if (
                court
                and pattern.search(words)
                and not (name == "unsubstantiated" and _only_pecuniary(words))
            ):
                return Rationale(name, judgment.evidence(start, start + len(words)))
    other = {one.head for one in claimed}
    if said and not other & {NON_PECUNIARY, DAMAGE, "bundled", NONE}:
        return Rationale("no_claim", None)
    for start, words in about:  # the claim as a whole was refused
        if _COURT.search(words) and _RATIONALES["unsubstantiated"].search(words):
            return Rationale("unsubstantiated", judgment.evidence(start, start + len(words)))
    return None


def _only_pecuniary(words: str) -> bool:
    return bool(re.search(r"\bpecuniary|material", words)) and not re.search(
        r"non-pecuniary|moral|just satisfaction", words
    )


def reserved(provisions: list[Provision]) -> bool:
    """Whether the Court left Article 41 for a later judgment, wholly or for damage."""
    return any(_RESERVED.search(provision.text) for provision in provisions)


def settled(judgment: Judgment, segments: list[Segment], provisions: list[Provision]) -> bool:
    """Whether the parties settled just satisfaction between them."""
    section = " ".join(p.text for p in inside(judgment, segments, "article_41"))
    return any(
        _SETTLED.search(p.text) and re.search(r"takes? note|strik", p.text, re.I)
        for p in provisions
    ) or bool(
        re.search(
            r"(?:reached|concluded|signed) (?:a |an )?(?:friendly settlement|agreement)", section
        )
    )
