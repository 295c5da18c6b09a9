"""Structured features of a judgment: a row like the release's, and a short block for models.

Read from the parts that the input contract permits: header, procedure, facts and the violations
found. What the text does not say is ``unknown``; nothing is guessed. Source: paper section 3.3,
appendix B.2.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from lib.judgments.extract import Extraction
from lib.judgments.money import spelled
from lib.judgments.segments import Segment, inside
from lib.judgments.text import Judgment

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DATE = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({'|'.join(MONTHS)}),? (\d{{4}})\b", re.I)
# Respondent states as case titles spell them, with the code that the release uses (ISO 3166-1).
STATES = {
    "albania": "al", "andorra": "ad", "armenia": "am", "austria": "at", "azerbaijan": "az", "belgium": "be",
    "bosnia and herzegovina": "ba", "bulgaria": "bg", "croatia": "hr", "cyprus": "cy", "the czech republic": "cz",
    "czech republic": "cz", "czechia": "cz", "denmark": "dk", "estonia": "ee", "finland": "fi", "france": "fr",
    "georgia": "ge", "germany": "de", "greece": "gr", "hungary": "hu", "iceland": "is", "ireland": "ie", "italy": "it",
    "latvia": "lv", "liechtenstein": "li", "lithuania": "lt", "luxembourg": "lu", "malta": "mt", "moldova": "md",
    "the republic of moldova": "md", "monaco": "mc", "montenegro": "me", "the netherlands": "nl", "netherlands": "nl",
    "north macedonia": "mk", "the former yugoslav republic of macedonia": "mk", "norway": "no", "poland": "pl",
    "portugal": "pt", "romania": "ro", "russia": "ru", "san marino": "sm", "serbia": "rs", "slovakia": "sk",
    "slovenia": "si", "spain": "es", "sweden": "se", "switzerland": "ch", "turkey": "tr", "türkiye": "tr",
    "ukraine": "ua", "the united kingdom": "gb", "united kingdom": "gb",
}  # fmt: skip
IMPORTANCE = {"1": "key_case", "2": "high", "3": "medium", "4": "low"}
_TITLE = re.compile(r"\bCASE OF .{1,300}? v\.? ?([A-Z][^\n(]{2,80})", re.I)
_IN_CASE = re.compile(r"\bIn the case of .{1,300}? v\. ([A-Z][^\n,;(]{2,80})")
_BORN = re.compile(
    r"\b(?:was |were |is )?born (?:on \d{1,2} [A-Z][a-z]+ |in )(?:[^.;]{0,60}?\b)?((?:18|19|20)\d\d)\b"
)
_APPLICATIONS = re.compile(r"\b(\d{2,5}/\d{2})\b")


def title_states(judgment: Judgment) -> list[str]:
    """Codes of the respondent states that the case's title names, in order."""
    given = judgment.metadata.get("docname", "")
    opening = given + "\n" + judgment.text[:4000]
    found = _TITLE.search(opening) or _IN_CASE.search(opening)
    if not found:
        return []
    named = re.split(r",| and (?!herzegovina)", found[1].strip().lower())
    whole = found[1].strip().lower().rstrip(" .*")
    if whole in STATES:
        return [STATES[whole]]
    return [STATES[part.strip(" .*")] for part in named if part.strip(" .*") in STATES]


def date_of(judgment: Judgment, segments: list[Segment]) -> str:
    """The judgment's date (YYYY-MM-DD): metadata, else the header, else its last line; "" if none."""
    given = re.match(
        r"(\d{4})-(\d\d)-(\d\d)|(\d\d)/(\d\d)/(\d{4})", judgment.metadata.get("kpdate", "")
    )
    if given:
        return (
            f"{given[1]}-{given[2]}-{given[3]}" if given[1] else f"{given[6]}-{given[5]}-{given[4]}"
        )
    header = "\n".join(p.text for p in inside(judgment, segments, "header"))
    ending = "\n".join(p.text for p in inside(judgment, segments, "end", "operative"))
    strasbourg = re.search(rf"STRASBOURG\s+({_DATE.pattern})", header, re.I)
    delivered = re.search(
        r"(?:notified in writing|delivered[^.]{0,60}|hearing[^.]{0,60}) on " + _DATE.pattern,
        ending,
        re.I,
    )
    for found in (
        strasbourg and _DATE.search(strasbourg[0]),
        delivered and _DATE.search(delivered[0]),
        _DATE.search(header),
    ):
        if found:
            month = MONTHS.index(found[2].capitalize()) + 1
            return f"{found[3]}-{month:02}-{int(found[1]):02}"
    return ""


def year_of(judgment: Judgment, segments: list[Segment]) -> int | None:
    date = date_of(judgment, segments)
    return int(date[:4]) if date else None


def body_of(judgment: Judgment) -> str:
    """COMMITTEE, CHAMBER or GRANDCHAMBER, by the header's words."""
    given = judgment.metadata.get("doctypebranch", "") or judgment.metadata.get(
        "originatingbody", ""
    )
    head = given + "\n" + judgment.text[:4000]
    if re.search(r"GRAND ?CHAMBER|sitting as a Grand Chamber|plenary session", head):
        return "GRANDCHAMBER"
    return "COMMITTEE" if re.search(r"COMMITTEE|sitting as a Committee", head) else "CHAMBER"


def _applications(judgment: Judgment) -> int | None:
    """How many applications the case joins: by metadata, else by the title's brackets."""
    given = judgment.metadata.get("appno", "")
    listed = re.search(r"\(Applications?\s+nos?\.?\s*([^)]*)\)", judgment.text[:4000], re.I)
    numbers = set(_APPLICATIONS.findall(given or (listed[1] if listed else "")))
    others = re.search(r"and (\w+|\d+) others?", listed[1]) if listed and not given else None
    more = (
        (int(others[1]) if others[1].isdigit() else int(spelled(others[1]) or 0)) if others else 0
    )
    return len(numbers) + more or None


def _ages(born: list[str], year: str | None) -> str:
    """Age groups at the date of the judgment, as a set in the release's words."""
    if not born or not year:
        return "unknown"
    ages = [int(year) - int(one) for one in born]
    groups = {
        "child" if age < 13 else "adolescent" if age < 18 else "adult" if age < 65 else "elderly"
        for age in ages
        if 0 <= age <= 110
    }
    return ";".join(sorted(groups)) or "unknown"


def _type(found: Extraction) -> str:
    """Limbs of the violations found; a violation without a named limb is one of substance."""
    limbs = {one.limb or "substantive" for one in found.outcomes if one.outcome == "violation"}
    if not limbs:
        return "unknown"
    return "both" if len(limbs) > 1 or "both" in limbs else limbs.pop()


def row(found: Extraction, covariates: pd.DataFrame | None = None) -> dict[str, Any]:
    """The case's predictors under the release's column names.

    Args:
        covariates: GDP by ``country_alpha2`` and ``judgment_year`` (columns
            ``gdp_per_capita_current_usd`` and ``gdp_constant_2015_usd``, as of the World Bank's
            World Development Indicators); without it the two columns stay empty.

    Returns:
        The columns of the release that describe a case; no split, view or target. A count, code
        or date that the text does not give is None.
    """
    judgment, segments = found.judgment, found.segments
    procedure = "\n".join(p.text for p in inside(judgment, segments, "header", "procedure"))
    facts = "\n".join(p.text for p in inside(judgment, segments, "procedure", "facts"))
    states, date, body = title_states(judgment), date_of(judgment, segments), body_of(judgment)
    applications = _applications(judgment)
    opening = procedure.split("applicant")[0][-1500:] if "applicant" in procedure else ""
    women, men = (
        len(re.findall(r"\b(?:Ms|Mrs|Miss)\b", opening)),
        len(re.findall(r"\bMr\b", opening)),
    )
    born = sorted(set(_BORN.findall(facts)))
    nationals = set(re.findall(r"\b([A-Z][a-z]+) nationals?\b", procedure))
    outcomes = {one.outcome for one in found.outcomes}
    violated = found.violated
    year = date[:4] or None
    gdp = _gdp(covariates, states, year)
    return {
        "case_id": judgment.case_id,
        "judgment_date": date or None,
        "judgment_year": year,
        "respondent_state": None if not states else states[0],
        "country_alpha2": states[0] if states else None,
        "hudoc_decision_body": body,
        "court_formation": {"GRANDCHAMBER": "Grand Chamber"}.get(body, body.capitalize()),
        "is_grand_chamber": "yes" if body == "GRANDCHAMBER" else "no",
        "case_importance": IMPORTANCE.get(judgment.metadata.get("importance", "")),
        "has_separate_opinion": "yes" if any(s.name == "opinions" for s in segments) else "no",
        "represented": "yes"
        if re.search(r"\brepresented (?:before the Court )?by\b", procedure)
        else "unknown",
        "hudoc_application_count": applications or None,
        "num_applicants": found.applicants.count,
        "num_violations_found": found.violations or None,
        "has_mixed_outcome": "yes" if {"violation", "no_violation"} <= outcomes else "no",
        "violated_articles": ";".join(violated) or None,
        "violated_articles_count": len(violated) or None,
        "violation_type": _type(found),
        "violation_duration_months": "unknown",
        "applicant_sex": "female;male"
        if women and men
        else "female"
        if women
        else "male"
        if men
        else "unknown",
        "applicant_age_group": _ages(born, year),
        "applicant_birth_years": ";".join(born) or "unknown",
        "applicant_nationality_scope": {0: "unknown", 1: "single"}.get(len(nationals), "multiple"),
        **gdp,
    }


def _gdp(
    covariates: pd.DataFrame | None, states: list[str], year: str | None
) -> dict[str, float | None]:
    names = ("gdp_per_capita_current_usd", "gdp_constant_2015_usd")
    if covariates is None or not states or not year:
        return dict.fromkeys(names)
    here = covariates[
        (covariates["country_alpha2"] == states[0])
        & (covariates["judgment_year"].astype(str) == year)
    ]
    return {name: float(here[name].iloc[0]) if len(here) else None for name in names}


def block(features: dict[str, Any]) -> str:
    """The features as key–value lines for a language model; unknown ones are left out."""
    skip = {
        "case_id",
        "judgment_date",
        "is_grand_chamber",
        "hudoc_decision_body",
        "respondent_state",
    }
    return "\n".join(
        f"{name.replace('_', ' ')}: {value}"
        for name, value in features.items()
        if name not in skip and value not in (None, "unknown", "")
    )
