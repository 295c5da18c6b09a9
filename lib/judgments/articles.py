"""Convention articles as judgments name them, in headings and in provisions."""

from __future__ import annotations

import re

_ARTICLE = re.compile(
    r"Articles?\s+(?P<numbers>\d{1,2}(?:(?:\s*§§?\s*\d+(?:(?:,\s*|\s+and\s+|\s*-\s*)\d+(?!\d*\s+(?:of|to)\s+(?:the\s+)?Proto))*)?"
    r"(?:\s*\([a-z]+\)(?:\s+and\s+\([a-z]\))?)?(?:\s*\(art\.[^)]*\))?)"
    r"(?:(?:,\s*|,?\s+and\s+|\s+or\s+|,?\s+(?:read |taken )?(?:alone and )?in conjunction with\s+)\d{1,2}(?:\s*§§?\s*\d+)?)*)"
    r"(?:\s*\(P\d[^)]*\))?(?:\s*of\s+(?:the\s+)?(?:Convention\s*)?)?(?:(?:of|to)\s+)?(?P<protocol>(?:the\s+)?(?:Additional\s+)?Protocol(?:\s+N(?:o|os)\.?\s*(?P<p>\d+))?)?",
    re.I,
)


def articles(text: str) -> list[str]:
    """The Convention articles named in a text, in the release's codes ("8", "P1-1"), in order."""
    found = []
    for match in _ARTICLE.finditer(text):
        bare = re.sub(r"\([^)]*\)", " ", match["numbers"])
        numbers = []
        # numbers after § are paragraphs of the article before
        for part in re.split(r"\s+in conjunction with\s+", bare):
            part = re.sub(r"§§\s*\d+(?:(?:,\s*|\s+and\s+|\s*-\s*)\d+)*", " ", part, flags=re.I)
            part = re.sub(r"§\s*\d+", " ", part)
            numbers += re.findall(r"\d{1,2}", part)
        for number in numbers:
            code = f"P{match['p'] or 1}-{number}" if match["protocol"] else number
            found.append(code)
    return list(dict.fromkeys(found))
