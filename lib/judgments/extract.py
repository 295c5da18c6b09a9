"""Everything that the pipeline reads out of one judgment, with its evidence.

Deterministic: the same text gives the same values. Nothing here decides whether a value is good
enough to be a target; :mod:`lib.judgments.checks` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from lib.judgments import article41, operative, tables
from lib.judgments.applicants import Applicants, count
from lib.judgments.article41 import Rationale
from lib.judgments.awards import BUNDLED, DAMAGE, NON_PECUNIARY, NONE, PECUNIARY, Award
from lib.judgments.operative import Outcome, Provision
from lib.judgments.segments import Segment, split
from lib.judgments.text import Judgment


@dataclass(frozen=True)
class Extraction:
    """What was read.

    Attributes:
        judgment, segments, provisions: what it was read from.
        applicants: their number.
        outcomes: decision per complaint.
        claims: sums claimed, by head.
        reasoned: sums that the Article 41 reasoning awards.
        ordered: sums that the operative provisions order to be paid; a head that they leave out is
            taken from the reasoning where that names one for the same sum.
        tabled: sums in appendix tables of awards, one a row.
        rationale: why nothing was awarded for non-pecuniary damage; None where something was.
        reserved, settled: Article 41 left for later; settled between the parties.
        refers_to_table: whether the operative provisions point to an appendix for the sums.
    """

    judgment: Judgment
    segments: list[Segment]
    provisions: list[Provision]
    applicants: Applicants
    outcomes: list[Outcome]
    claims: list[Award] = field(default_factory=list)
    reasoned: list[Award] = field(default_factory=list)
    ordered: list[Award] = field(default_factory=list)
    tabled: list[Award] = field(default_factory=list)
    rationale: Rationale | None = None
    reserved: bool = False
    settled: bool = False
    refers_to_table: bool = False

    @property
    def violated(self) -> list[str]:
        """Codes of the violated articles in the release's order ("13", "3", "P1-1")."""
        found = {
            code for one in self.outcomes if one.outcome == "violation" for code in one.articles
        }
        return sorted(found)

    @property
    def violations(self) -> int:
        """How many provisions find a violation."""
        return sum(one.outcome == "violation" for one in self.outcomes)

    @property
    def non_pecuniary(self) -> list[Award]:
        """The non-pecuniary awards: those of the table where the provisions point to it."""
        source = self.tabled if self.refers_to_table and self.tabled else self.ordered
        return [one for one in source if one.head == NON_PECUNIARY]

    @property
    def bundled(self) -> list[Award]:
        """Sums for several heads, ordered or in a table."""
        return [one for one in [*self.ordered, *self.tabled] if one.head == BUNDLED]

    @property
    def amount(self) -> float | None:
        """The case-level non-pecuniary award in its own currency; 0 where there is none.

        None where its total depends on a number of applicants that the text does not give.
        """
        totals = [one.total(self.applicants.count) for one in self.non_pecuniary]
        return None if None in totals else float(sum(totals))


def extract(judgment: Judgment) -> Extraction:
    """Read one judgment."""
    segments = split(judgment)
    provisions = operative.provisions(judgment, segments)
    claimed = article41.claims(judgment, segments)
    reasoned = article41.awards(judgment, segments)
    ordered = [_named(one, reasoned, claimed) for one in operative.awards(provisions)]
    points = any(
        re.search(r"\bappendi|\bannex|\btables?\b", provision.text, re.I)
        and operative.PAYS.search(provision.text)
        for provision in provisions
    )
    found = Extraction(
        judgment,
        segments,
        provisions,
        count(judgment, segments),
        operative.outcomes(provisions) or operative.concluded(judgment, segments),
        claims=claimed,
        reasoned=reasoned,
        ordered=ordered,
        tabled=tables.awards(judgment) if points else [],
        reserved=article41.reserved(provisions),
        settled=article41.settled(judgment, segments, provisions),
        refers_to_table=points,
    )
    if found.non_pecuniary or found.reserved:
        return found
    return replace(found, rationale=article41.rationale(judgment, segments, provisions, claimed))


def _named(award: Award, reasoned: list[Award], claimed: list[Award]) -> Award:
    """The ordered award with the head that the reasoning gives the same sum, where it has none."""
    if award.head not in (NONE, DAMAGE):
        return award
    same = {
        one.head
        for one in reasoned
        if one.value == award.value and one.currency == award.currency and one.head != NONE
    }
    plain = same - {DAMAGE}
    if len(plain) == 1:
        return replace(award, head=plain.pop())
    if award.head == DAMAGE or same == {DAMAGE}:
        # "damage" alone is non-pecuniary where nothing else was claimed under damage
        heads = {one.head for one in claimed}
        if NON_PECUNIARY in heads and not heads & {PECUNIARY, BUNDLED, DAMAGE}:
            return replace(award, head=NON_PECUNIARY)
        return replace(award, head=DAMAGE)
    return award
