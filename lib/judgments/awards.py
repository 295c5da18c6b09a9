"""Awards and claims: sums of money with their head of damage and their beneficiaries.

The Court states an award twice, in its Article 41 reasoning and in the operative provisions; both
are read with the same clause grammar. Source: paper sections 3.4, A.3, A.5, B.3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lib.judgments import money
from lib.judgments.applicants import ORDINALS

# The heads of just satisfaction. "damage" alone and a sum for several heads are their own kinds,
# since such a sum is no non-pecuniary award until something else says so.
NON_PECUNIARY, PECUNIARY, COSTS = "non_pecuniary", "pecuniary", "costs"
DAMAGE, BUNDLED, NONE = "damage", "bundled", ""

_NPD = r"(?:(?:compensation for )?(?:the )?(?:any )?non[- ]\s?pecuniary|(?:moral|non-material|immaterial)(?= damage))(?: damages?| loss| harm)?"
_HEADS = re.compile(
    rf"(?P<bundled>(?<!non-)(?:pecuniary|material)(?: damage)?(?:,? (?:and|or|as well as)(?: for| in respect of)?\s+|/ ?){_NPD}"
    rf"|{_NPD}(?: damage)?,? (?:and|or|as well as)(?: for| in respect of)? (?:pecuniary|material)"
    rf"|{_NPD}(?: damage)? and (?:for |in respect of )?(?:legal |the )?costs"
    r"|all heads|(?:pecuniary|material) damage and (?:legal )?costs|damages? and (?:legal )?costs"
    r"|damages?, costs)"
    rf"|(?P<non_pecuniary>{_NPD})"
    r"|(?P<pecuniary>\bpecuniary|\bmaterial damage|loss of (?:earnings|income|profits?|property)|"
    r"default interest on)"
    r"|(?P<costs>value-added tax|\bVAT\b|\bcosts\b|\bexpenses\b|\b(?:legal|lawyers?'?s?'?|representation) fees|\bfees\b)"
    r"|(?P<damage>\bdamages?\b|\bnon-?$|just satisfaction|Article (?:41|50)(?! provides))",
    re.I,
)
_EACH = re.compile(
    r"\beach\b|\bapiece\b|\bper (?:applicant|person)\b|\bevery (?:one of the )?applicants?\b", re.I
)
_JOINT = re.compile(r"\bjoint(?:ly)?\b|\btogether\b(?! with)|\bglobal sum\b|\bin total\b", re.I)
_ORDINAL = re.compile(
    rf"\b({'|'.join(ORDINALS)})\b(?!\s*(?:section|paragraph|sentence|instance))", re.I
)
_OF_THEM = re.compile(rf"each of (?:the )?(?P<n>{'|'.join(money.SMALL)}|\d+)\b", re.I)
_BOTH = re.compile(r"\b(?:both|each of the two)\b", re.I)
# "each" of a part of the applicants, or a sum stated with its parts: nothing that can be multiplied
_UNCLEAR = re.compile(
    r"\b(?:remaining|others?|rest of|except|save for|apart from|last|nos?\.|numbers?|famil(?:y|ies)|households?|"
    r"listed|named|mentioned|indicated|i\.e\.|that is|compris\w+|of which|total of|half|"
    rf"(?:{'|'.join(ORDINALS)}) (?:to|two|three|four|five|six|seven|eight|nine|ten)|"
    r"the same (?:amount|sum)|less|minus|deduct\w*)\b",
    re.I,
)
# those of them that make any sum unclear, to each or not: it is a total with its parts
_PARTS = re.compile(
    r"\bi\.e\.|\bthat is\b|compris|of which|total of|\bhalf\b|\bless\b|minus|deduct|the same (?:amount|sum)",
    re.I,
)
_TO_NAMES = re.compile(r"\beach to (?!the\b|Mr|Ms|Mrs|Miss)[A-Z]")
_NAMES = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Messrs)\.?\s+[A-Z]")
_LESS = re.compile(
    r"\b(?:less|minus|deduct(?:ing|ed)?|from which|already (?:paid|received))\b[^.;]{0,90}$", re.I
)


@dataclass(frozen=True, slots=True)
class Award:
    """A sum with what it is for.

    Attributes:
        head: ``non_pecuniary``, ``pecuniary``, ``costs``, ``damage`` (no kind named), ``bundled``
            (one sum for several heads) or "" (nothing named).
        value: as stated, in units of ``currency``.
        currency: ISO 4217 code.
        share: ``each`` (the value goes to each of several), ``joint`` or "" (one sum stated).
            ``unclear`` where it goes to some of them or is stated with its parts.
        among: to how many it goes where the text counts them, else None (all applicants).
        tax: whether "plus any tax that may be chargeable" is added.
        start, end: offsets of the sum in the judgment.
        words: the sum spelled out, or "".
        who: the beneficiaries as far as the clause names them by ordinal, e.g. ("first", "third").
    """

    head: str
    value: float
    currency: str
    share: str
    among: int | None
    tax: bool
    start: int
    end: int
    words: str = ""
    who: tuple[str, ...] = ()

    def total(self, applicants: int | None) -> float | None:
        """The sum over beneficiaries; None where their number is not known."""
        if self.share == "unclear":
            return None
        if self.share != "each":
            return self.value
        among = self.among or applicants
        return None if among is None else self.value * among


def head_of(match: re.Match[str] | None) -> str:
    return NONE if match is None else next(name for name, text in match.groupdict().items() if text)


def read(text: str, offset: int = 0, lead: str = "") -> list[Award]:
    """The sums of one clause of prose, each with its head and its beneficiaries.

    Args:
        text: a provision's item or a sentence, typography made plain.
        offset: of the text in the judgment.
        lead: the words that introduce the item ("is to pay each applicant the following amounts"),
            which tell head and beneficiaries where the item itself does not.

    A head named after a sum and before the next belongs to it; else the next one that follows; else
    the last one before. Where the item opens with a head ("for costs, EUR 500"), heads precede.
    """
    sums = [
        one
        for one in money.find(text)
        if not _LESS.search(text[max(0, one.start - 110) : one.start])
    ]
    if not sums:
        return []
    heads = list(_HEADS.finditer(text))
    opening = [head for head in heads if head.start() < sums[0].start]
    prefixed = bool(opening) and (
        head_of(opening[-1]) != DAMAGE or opening[-1][0].lower().startswith("damage")
    )
    awards = []
    for place, one in enumerate(sums):
        before = sums[place - 1].end if place else 0
        after = sums[place + 1].start if place + 1 < len(sums) else len(text)
        own = [head for head in heads if one.end <= head.start() < after]
        preceding = [head for head in heads if head.end() <= one.start]
        following = [head for head in heads if head.start() >= one.end]
        if prefixed:
            chosen = preceding[-1] if preceding else None
            # "for costs EUR 500 and EUR 2,000 in respect of non-pecuniary damage"
            if place and chosen in opening and own:
                chosen = own[0]
        else:
            chosen = (own or following or preceding[::-1] or [None])[0]
        head = head_of(chosen)
        # two heads behind the only sum left: one sum for both
        if (
            not prefixed
            and after == len(text)
            and len({head_of(one) for one in own} - {DAMAGE}) > 1
        ):
            head = BUNDLED
        if head in (NONE, DAMAGE) and lead:
            led = [found for found in _HEADS.finditer(lead) if head_of(found) != DAMAGE]
            head = head_of(led[-1]) if led else head
        clause = text[before : one.start], text[one.end : after]
        share, among, who = _beneficiaries(clause, lead, first=place == 0)
        if head in (NON_PECUNIARY, DAMAGE, NONE) and (
            (
                _UNCLEAR.search(re.split(r"\bplus any\b", clause[1])[0] + " " + clause[0][-80:])
                and (share == "each" or _PARTS.search(text))
            )
            or _TO_NAMES.search(clause[1])
        ):
            share = "unclear"
        awards.append(
            Award(
                head, one.value, one.currency, share, among,
                tax=bool(re.search(r"plus any(?: \w+)? tax|any tax", text + lead)),
                start=offset + one.start, end=offset + one.end, words=one.words, who=who,
            )
        )  # fmt: skip
    return awards


def _beneficiaries(
    clause: tuple[str, str], lead: str, first: bool
) -> tuple[str, int | None, tuple[str, ...]]:
    before, after = clause
    # what stands between two sums belongs to the first; what stands before the first, to all
    near = re.split(r"\bplus any\b|;|, to be converted", after)[0]
    own = (
        before
        if first
        else before[-60:]
        if re.search(r"\bto (?:the|each)\b[^,;]*[, ]*$", before[-60:])
        else ""
    )
    for words in (near, own, after, lead):
        if _EACH.search(words):
            counted = _OF_THEM.search(words)
            if counted:
                number = counted["n"]
                return "each", int(number) if number.isdigit() else money.SMALL[number.lower()], ()
            who = tuple(word.lower() for word in _ORDINAL.findall(words))
            if _BOTH.search(words):
                return "each", 2, who
            who = who or tuple(word.lower() for word in _ORDINAL.findall(lead))
            names = len(_NAMES.findall(words))
            return "each", len(who) or (names if names > 1 else None), who
        if _JOINT.search(words):
            return "joint", None, tuple(word.lower() for word in _ORDINAL.findall(words))
    who = tuple(word.lower() for word in _ORDINAL.findall(near or own))
    return "", None, who
