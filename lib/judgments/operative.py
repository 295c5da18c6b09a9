"""The operative provisions: outcome per complaint, awards, and what was said about Article 41."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lib.judgments.articles import articles
from lib.judgments.awards import Award, read
from lib.judgments.segments import Segment, inside
from lib.judgments.text import Judgment

_VERBS = ("Holds", "Declares", "Dismisses", "Decides", "Reserves", "Rejects", "Joins", "Strikes",
          "Takes note", "Invites", "Says", "Finds", "Considers", "Discontinues", "Orders",
          "Awards", "Unanimously", "By ")  # fmt: skip
_ITEM = re.compile(rf"\s*(?:(\d{{1,2}})\s*[.)]\s*)?(?:{'|'.join(_VERBS)})", re.I)
PAYS = re.compile(r"\b(?:to pay|shall pay|must pay|pays?|awards?|be paid)\b", re.I)
_VIOLATION = re.compile(
    r"(?P<no>\b(?:there )?(?:has|have|had) (?:not been|been no)(?: \w+)? (?:a )?(?:\w+ )?(?:violation|breach)|"
    r"\bno (?:\w+ )?(?:violation|breach)|(?:has|have) not been violated|not (?:violated|breached)|"
    r"would (?:not (?:be|constitute|involve|give rise to)|be no|involve no)[^.;]{0,30}(?:violation|breach)|discloses no)"
    r"|(?P<would>would (?:\w+ )?(?:be|give rise to|constitute|entail|amount to|violate|have been)[^.;]{0,30}(?:violation|breach)?)"
    r"|(?P<yes>(?:violations?|breach(?:es)?)\b|(?:has|have|was|were) (?:been )?(?:violated|breached)|failed to comply with)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Provision:
    """One numbered provision with its items.

    Attributes:
        number: "" where the judgment does not number it.
        text: the words, paragraphs separated by line feeds, typography made plain.
        start, end: offsets in the judgment.
        lines: start and text of its paragraphs.
    """

    number: str
    text: str
    start: int
    end: int
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the Court decided on a complaint.

    Attributes:
        articles: codes as in the release ("8", "P1-1").
        outcome: ``violation``, ``no_violation``, ``inadmissible``, ``not_examined``,
            ``struck_out`` or ``admissible``.
        limb: ``substantive``, ``procedural``, ``both`` or "".
        start, end: offsets of the provision.
    """

    articles: tuple[str, ...]
    outcome: str
    limb: str
    start: int
    end: int


def provisions(judgment: Judgment, segments: list[Segment]) -> list[Provision]:
    """The operative provisions in order; the formula that opens them is left out."""
    groups: list[list] = []
    for paragraph in inside(judgment, segments, "operative")[1:]:
        item = _ITEM.match(paragraph.text)
        if not groups or (item and not re.match(r"\s*\(", paragraph.text)):
            groups.append([item[1] or "" if item else "", []])
        groups[-1][1].append(paragraph)
    return [
        Provision(
            number,
            "\n".join(p.text for p in paragraphs),
            paragraphs[0].start,
            paragraphs[-1].end,
            tuple((p.start, p.text) for p in paragraphs),
        )
        for number, paragraphs in groups
    ]


def pays(provision: Provision) -> bool:
    """Whether a provision orders a payment; one that refuses or notes one does not."""
    refuses = re.match(
        r"\s*(?:\d+[.)]\s*)?(?:(?:Unanimously|By [^,]{3,40}),?\s*)?(?:Rejects|Dismisses|Takes note|Notes)\b",
        provision.text, re.I,
    )  # fmt: skip
    return bool(PAYS.search(provision.text)) and not refuses


def awards(found: list[Provision]) -> list[Award]:
    """The sums that the respondent State is to pay."""
    result = []
    for provision in found:
        if not pays(provision):
            continue
        lead = ""
        for start, line in _joined(provision.lines):
            sums = read(line, start, lead)
            result += sums
            if not sums and (PAYS.search(line) or re.search(r"following (?:sums?|amounts?)", line)):
                lead = line
    return result


def _joined(lines: tuple[tuple[int, str], ...]) -> list[tuple[int, str]]:
    """Lines that a page break cut apart, put together again; offsets stay true."""
    joined: list[tuple[int, str]] = []
    for start, line in lines:
        begins = line.lstrip()[:1]
        if (
            joined
            and (begins.islower() or begins.isdigit())
            and not re.match(r"\s*(?:\(|[a-z]\)|[ivx]+[.)])|\s*\d+\.\s", line)
        ):
            before, text = joined[-1]
            if start - before == len(text) + 1:
                joined[-1] = before, text + "\n" + line
                continue
        joined.append((start, line))
    return joined


def outcomes(found: list[Provision]) -> list[Outcome]:
    """What was decided on each complaint, in the order of the provisions.

    A provision whose items decide differently ("(a) … a violation … (b) … no violation …") is read
    item by item.
    """
    result = []
    for provision in found:
        items = [(start, line) for start, line in provision.lines if _VIOLATION.search(line)]
        if len(items) < 2:
            items = [(provision.start, provision.text)]
        for start, text in items:
            said = _outcome(text)
            if said:
                named = [code for code in articles(text.split("final in accordance")[0])
                         if code not in ("41", "50")]  # fmt: skip
                end = start + len(text)
                limb = _limb(text) if "violation" in said else ""
                result.append(Outcome(tuple(named), said, limb, start, end))
    return result


def _outcome(text: str) -> str:
    """The decision that a provision or an item states, "" where it states none."""
    if re.search(r"sufficient\s*just", text, re.I) or (
        PAYS.search(text) and not re.search(r"violations? of|breach of", text)
    ):
        return ""
    if re.search(
        r"no need|not necessary|unnecessary|no separate issue|does not (?:arise|consider)", text
    ):
        return "not_examined"
    if re.search(r"\bstrik(?:e|es|ing)\b.*\bout\b|discontinue", text, re.I):
        return "struck_out"
    said = {
        name
        for match in _VIOLATION.finditer(text)
        for name, value in match.groupdict().items()
        if value
    }
    if said:
        return "no_violation" if "no" in said else "violation"
    if re.search(r"\badmissible\b", text):
        return "admissible"
    return "inadmissible" if re.search(r"\binadmissible\b", text) else ""


_CONCLUDES = re.compile(
    r"there (?:has|have) (?:\w+ ){0,2}been (?:a |an )?(?:\w+ )?(?:violation|breach) of [^.;]{0,120}",
    re.I,
)


def concluded(judgment: Judgment, segments: list[Segment]) -> list[Outcome]:
    """Violations as the law part concludes them, for a source that has lost the provisions."""
    result = []
    for paragraph in inside(judgment, segments, "law", "article_41"):
        for match in _CONCLUDES.finditer(paragraph.text):
            before = paragraph.text[max(0, match.start() - 200) : match.start()]
            own = re.search(r"accordingly|therefore|consequently|concludes?|it follows|finds? that|hence|thus",
                            before[-120:] + match[0], re.I)  # fmt: skip
            # a quotation, a party's view, a precedent or a hypothesis is no conclusion
            other = re.search(r"Government|applicants? (?:submit|argu|claim|alleg|complain)|whether|“[^”]*$|\bif\b",
                              before)  # fmt: skip
            if own and not other and not re.search(r"\bv\. ", match[0]):
                named = tuple(articles(match[0].split(" Convention")[0] + " Convention"))
                span = paragraph.start + match.start(), paragraph.start + match.end()
                if named:
                    result.append(Outcome(named, "violation", _limb(match[0]), *span))
    distinct = {one.articles: one for one in reversed(result)}
    return list(distinct.values())[::-1]


def _limb(text: str) -> str:
    substantive = bool(re.search(r"\bsubstantive\b", text, re.I))
    procedural = bool(re.search(r"\bprocedural\b", text, re.I))
    if substantive and procedural:
        return "both"
    return "substantive" if substantive else "procedural" if procedural else ""
