"""Appendix tables of awards: one row an applicant or an application (paper section B.3)."""

from __future__ import annotations

import re

from lib.judgments import money
from lib.judgments.awards import NON_PECUNIARY, Award
from lib.judgments.text import Judgment, plain

_TITLE = re.compile(r"non-pecuniary", re.I)
_AWARDED = re.compile(r"award|amount(?:s)? (?:granted|to be paid)|sums? (?:granted|awarded)", re.I)
_CLAIMED = re.compile(r"claim|request", re.I)
_BARE = re.compile(r"\s*((?:EUR|€)?\s*\d{1,3}(?:[ ,.]\d{3})+|\d+)(?:\s*(?:EUR|euros?))?\s*\Z")


def awards(judgment: Judgment) -> list[Award]:
    """The non-pecuniary awards of the judgment's tables, in reading order.

    A column counts where its title speaks of non-pecuniary damage and not of a claim. A bare number
    is in euros where the title says so.
    """
    found = []
    for rows in judgment.tables:
        for place, title in enumerate(plain(cell) for cell in rows[0]) if rows else ():
            if not _TITLE.search(title) or (_CLAIMED.search(title) and not _AWARDED.search(title)):
                continue
            euros = bool(re.search(r"euro|EUR|€", title))
            for row in rows[1:]:
                if len(row) == len(rows[0]) and not row[0].lower().startswith("total"):
                    found += _cell(plain(row[place]), euros)
    return found


def _cell(text: str, euros: bool) -> list[Award]:
    sums = money.find(text)
    if sums:
        return [
            Award(NON_PECUNIARY, one.value, one.currency, "each" if "each" in text else "", None,
                  False, 0, 0, one.words)
            for one in sums[:1]
        ]  # fmt: skip
    bare = _BARE.match(text)
    if bare and euros:
        value = money.number(re.sub(r"EUR|€", "", bare[1]).strip())
        return [Award(NON_PECUNIARY, value, money.EURO, "", None, False, 0, 0)]
    return []
