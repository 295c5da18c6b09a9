"""The eight validation checks between an extraction and a target (paper section B.3).

Each check has a stable name and says in words why it refused. A case becomes a target only if all
pass; else it goes to the review queue with the evidence quoted, or is excluded with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from lib.judgments import money, operative
from lib.judgments.awards import BUNDLED, COSTS, DAMAGE, NON_PECUNIARY, NONE, PECUNIARY, Award
from lib.judgments.extract import Extraction
from lib.judgments.text import Evidence

# Why a file or a case is not a target. The first group never yields a text, the second no
# supervised case (Table 10), the third a doubt that a person has to settle.
UNREADABLE = {
    "empty_file": "the file holds no text",
    "binary_file": "the file is not text, XML, HTML or DOCX",
    "wrong_encoding": "the bytes are not in the encoding that the file declares",
    "broken_markup": "the XML, HTML or DOCX cannot be parsed",
    "truncated": "the text breaks off before the end of the judgment",
    "failed": "the pipeline could not process it; please report it",
    "duplicate_case": "the item id occurs in several files",
    "not_found": "HUDOC has no text under this item id",
    "download_failed": "HUDOC did not answer",
}
EXCLUDED = {
    "not_english": "the judgment is not in English",
    "decision_not_judgment": "a decision on admissibility, not a judgment",
    "no_operative_provisions": "no operative provisions were found",
    "no_violation": "the Court found no violation",
    "no_article_41": "neither an Article 41 section nor an award was found",
    "article_41_reserved": "the question of Article 41 was reserved",
    "friendly_settlement": "just satisfaction was settled between the parties",
    "pre_euro_currency": "the award is in a national currency or in ECU",
    "bundled_award": "one sum covers several heads of damage",
    "no_zero_rationale": "no accepted reason for a zero award was found",
}
CHECKS = {
    "head_separation": "the award is for non-pecuniary damage alone",
    "applicant_beneficiary_consistency": "no more beneficiaries than applicants",
    "per_applicant_sum_consistency": "per-applicant awards add up to the case's total",
    "no_claim_positive_award": "nothing is awarded where nothing was claimed",
    "claim_award_consistency": "no more is awarded than was claimed",
    "currency_normalisation": "the award is in euros, and digits and words agree",
    "operative_recoverability": "the operative provisions order what the reasoning awards",
    "bundled_award_exception": "a bundled sum is a proxy only after an audit",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One check that refused.

    Attributes:
        check: a key of ``CHECKS``.
        reason: a key of ``EXCLUDED`` where the case is out, "" where a person should look.
        detail: what was seen, in words.
        evidence: the words of the judgment.
    """

    check: str
    reason: str
    detail: str
    evidence: tuple[Evidence, ...] = ()


def _quote(found: Extraction, awards: Collection[Award]) -> tuple[Evidence, ...]:
    return tuple(found.judgment.evidence(one.start, one.end) for one in awards if one.end)


def head_separation(found: Extraction, audited: Collection[str]) -> Finding | None:
    unclear = [one for one in found.ordered if one.head in (NONE, DAMAGE)]
    if unclear:
        return Finding(
            "head_separation", "", "a sum without a named head of damage", _quote(found, unclear)
        )
    return None


def bundled_award_exception(found: Extraction, audited: Collection[str]) -> Finding | None:
    bundled = found.bundled
    if not bundled:
        return None
    others = [one for one in found.ordered + found.claims if one.head in (PECUNIARY, COSTS)]
    if others:
        return Finding("bundled_award_exception", "bundled_award",
                       "a sum for several heads, with evidence of other heads", _quote(found, bundled))  # fmt: skip
    if found.judgment.case_id in audited:
        return None
    return Finding("bundled_award_exception", "", "a bundled sum that could be a proxy: to be audited",
                   _quote(found, bundled))  # fmt: skip


def applicant_beneficiary_consistency(
    found: Extraction, audited: Collection[str]
) -> Finding | None:
    applicants = found.applicants.count
    if (
        any(one.share == "each" and one.among is None for one in found.non_pecuniary)
        and applicants is None
    ):
        return Finding("applicant_beneficiary_consistency", "", "an award to each applicant, whose number is not stated",
                       _quote(found, found.non_pecuniary))  # fmt: skip
    unclear = [one for one in found.non_pecuniary if one.share == "unclear"]
    every = [one for one in found.non_pecuniary if one.share == "each" and one.among is None]
    if unclear or (every and len(found.non_pecuniary) > 1):
        return Finding("applicant_beneficiary_consistency", "", "who gets how much is not plain",
                       _quote(found, unclear or found.non_pecuniary))  # fmt: skip
    over = [one for one in found.non_pecuniary if applicants and (one.among or 1) > applicants]
    if over:
        return Finding("applicant_beneficiary_consistency", "", f"more beneficiaries than the {applicants} applicants",
                       _quote(found, over))  # fmt: skip
    return None


def per_applicant_sum_consistency(found: Extraction, audited: Collection[str]) -> Finding | None:
    if found.refers_to_table and not found.tabled and not found.non_pecuniary:
        return Finding(
            "per_applicant_sum_consistency",
            "",
            "the sums stand in an appendix that could not be read as a table",
        )
    named = [who for one in found.non_pecuniary if one.share != "joint" for who in one.who]
    if len(named) != len(set(named)):
        return Finding("per_applicant_sum_consistency", "", "an applicant is named in two awards of the same head",
                       _quote(found, found.non_pecuniary))  # fmt: skip
    return None


def no_claim_positive_award(found: Extraction, audited: Collection[str]) -> Finding | None:
    if found.non_pecuniary and found.rationale and found.rationale.name == "no_claim":
        return Finding(
            "no_claim_positive_award",
            "",
            "an award although no claim was made",
            _quote(found, found.non_pecuniary),
        )
    return None


def claim_award_consistency(found: Extraction, audited: Collection[str]) -> Finding | None:
    if found.applicants.count != 1 or found.amount is None:
        return None  # claims of several applicants are stated per head, per person or in all
    claimed = [one for one in found.claims if one.currency == money.EURO]
    own = [one.value for one in claimed if one.head in (NON_PECUNIARY, DAMAGE, BUNDLED, NONE)]
    every = {one.currency for one in found.claims} == {money.EURO}
    if own and every and found.amount > sum(own) + 0.5:
        return Finding("claim_award_consistency", "", f"{found.amount:,.0f} awarded, {sum(own):,.0f} claimed",
                       _quote(found, [*found.non_pecuniary, *claimed]))  # fmt: skip
    return None


def currency_normalisation(found: Extraction, audited: Collection[str]) -> Finding | None:
    paid = [one for one in found.ordered if one.head in (NON_PECUNIARY, DAMAGE, BUNDLED, NONE)]
    foreign = [one for one in paid if one.currency != money.EURO]
    if foreign:
        return Finding("currency_normalisation", "pre_euro_currency",
                       f"in {', '.join(sorted({one.currency for one in foreign}))}", _quote(found, foreign))  # fmt: skip
    for one in found.non_pecuniary:
        spelled = money.spelled(one.words)
        if spelled is not None and spelled != int(one.value):
            return Finding(
                "currency_normalisation",
                "",
                f"digits say {one.value:,.0f}, words {spelled:,.0f}",
                _quote(found, [one]),
            )
    return None


def operative_recoverability(found: Extraction, audited: Collection[str]) -> Finding | None:
    reasoned = [
        one for one in found.reasoned if one.head == NON_PECUNIARY and one.currency == money.EURO
    ]
    orders = [
        one for one in found.provisions
        if operative.pays(one) and re.search("non-?pecuniary", one.text, re.I)
    ]  # fmt: skip
    if orders and not any(one.head in (NON_PECUNIARY, BUNDLED) for one in found.ordered):
        spans = tuple(found.judgment.evidence(one.start, one.end) for one in orders)
        return Finding(
            "operative_recoverability", "", "an award was ordered, but its sum was not read", spans
        )
    values = {one.value for one in found.non_pecuniary} | {
        found.amount, found.applicants.count and found.amount and found.amount / found.applicants.count
    }  # fmt: skip
    if (
        not found.non_pecuniary
        and reasoned
        and not any(one.head in (NONE, DAMAGE, BUNDLED) for one in found.ordered)
    ):
        return Finding("operative_recoverability", "", "the reasoning awards a sum that no operative provision orders",
                       _quote(found, reasoned))  # fmt: skip
    if found.non_pecuniary and reasoned and not values & {one.value for one in reasoned}:
        return Finding("operative_recoverability", "", "reasoning and operative provisions differ",
                       _quote(found, [*reasoned, *found.non_pecuniary]))  # fmt: skip
    return None


# The first that refuses names the case's reason, so the one that says most about a case is first.
RUN: dict[str, Callable[[Extraction, Collection[str]], Finding | None]] = {
    "currency_normalisation": currency_normalisation,
    "head_separation": head_separation,
    "bundled_award_exception": bundled_award_exception,
    "applicant_beneficiary_consistency": applicant_beneficiary_consistency,
    "per_applicant_sum_consistency": per_applicant_sum_consistency,
    "no_claim_positive_award": no_claim_positive_award,
    "claim_award_consistency": claim_award_consistency,
    "operative_recoverability": operative_recoverability,
}


def run(found: Extraction, audited: Collection[str] = ()) -> list[Finding]:
    """The checks that refuse an extraction.

    Args:
        audited: case ids whose bundled award a person has accepted as a non-pecuniary one.
    """
    return [finding for check in RUN.values() if (finding := check(found, audited))]


@dataclass(frozen=True)
class Target:
    """What the pipeline says about a case.

    Attributes:
        status: ``target``, ``review`` or ``excluded``.
        reason: "" for a target; a key of ``EXCLUDED`` or of ``CHECKS`` else.
        amount: nominal euros; None unless a target.
        findings: what refused.
    """

    status: str
    reason: str
    amount: float | None
    findings: tuple[Finding, ...] = ()


def decide(found: Extraction, audited: Collection[str] = ()) -> Target:
    """Whether a case is a target, and if not, why not; the paper's exclusions come first."""
    if not found.provisions:
        return Target("excluded", "no_operative_provisions", None)
    if not any(one.outcome == "violation" for one in found.outcomes):
        return Target("excluded", "no_violation", None)
    if found.reserved and not found.non_pecuniary:
        return Target("excluded", "article_41_reserved", None)
    if found.settled and not found.non_pecuniary:
        return Target("excluded", "friendly_settlement", None)
    findings = tuple(run(found, audited))
    out = [finding for finding in findings if finding.reason]
    if out:
        return Target("excluded", out[0].reason, None, findings)
    if findings:
        return Target("review", findings[0].check, None, findings)
    if found.bundled:  # audited and accepted
        return Target("target", "", float(sum(one.value for one in found.bundled)), ())
    if found.amount is None:
        return Target("review", "per_applicant_sum_consistency", None)
    if found.amount == 0 and not found.non_pecuniary:
        if not any(segment.name == "article_41" for segment in found.segments):
            return Target("excluded", "no_article_41", None)
        if found.rationale is None:
            return Target("excluded", "no_zero_rationale", None)
    return Target("target", "", found.amount)
