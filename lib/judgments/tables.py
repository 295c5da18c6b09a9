"""Appendix tables of awards: one row an applicant or an application (paper section B.3)."""

from __future__ import annotations

import re

from lib.judgments import money
from lib.judgments.awards import BUNDLED, NON_PECUNIARY, Award
from lib.judgments.text import Judgment, plain

_TITLE = re.compile(r"non-pecuniary", re.I)
_SEVERAL = re.compile(r"pecuniary|material|costs|expenses", re.I)
_TOTAL = re.compile(r"\s*(?:total|sum|in all)\b", re.I)
_OTHER = re.compile(r"claim|request|sought|domestic|national", re.I)
_BARE = re.compile(
    r"\s*((?:EUR|€)?\s*\d{1,3}(?:[ ,.]\d{3})+|\d+)(?:\.00)?(?:\s*(?:EUR|euros?))?\s*\Z"
)


def awards(judgment: Judgment) -> list[Award]:
    """The non-pecuniary awards of the judgment's tables, in reading order.

    A column counts where its title speaks of non-pecuniary damage and not of a claim. A bare number
    is in euros where the title says so. Where a row or a cell cannot be read for certain, nothing
    of any table is returned, so that the case goes to review.
    """
    found: list[Award] = []
    for rows in judgment.tables:
        for place, title in enumerate(plain(cell) for cell in rows[0]) if rows else ():
            if not _TITLE.search(title) or _OTHER.search(title):
                continue
            head = BUNDLED if _SEVERAL.search(_TITLE.sub("", title)) else NON_PECUNIARY
            euros = bool(re.search(r"euro|EUR|€", title))
            for row in rows[1:]:
                if any(_TOTAL.match(cell) for cell in row):
                    continue
                if len(row) != len(rows[0]):
                    return []
                cell = plain(row[place]).strip()
                award = _cell(cell, euros, head)
                if award is None and cell.strip("-–—0 "):
                    return []
                found += [award] if award else []
    return found


def _cell(text: str, euros: bool, head: str) -> Award | None:
    sums = money.find(text)
    if len(sums) == 1 and not re.search(r"\beach\b", text):
        one = sums[0]
        return Award(head, one.value, one.currency, "", None, False, 0, 0, one.words)
    bare = _BARE.match(text)
    if bare and euros and not sums:
        value = money.number(re.sub(r"EUR|€", "", bare[1]).strip())
        return Award(head, value, money.EURO, "", None, False, 0, 0)
    return None
