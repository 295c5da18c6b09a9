"""Sums of money in the Court's prose: how much, in which currency, and where.

Only the euro counts as a target (paper section 3.4). National and pre-euro currencies are
recognised so that such a case can be told apart; they are never converted, since the judgment gives
no rate.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

EURO = "EUR"
CODES = [
    "EUR",
    "ECU",
    "FRF",
    "DEM",
    "ITL",
    "GBP",
    "USD",
    "CHF",
    "NLG",
    "BEF",
    "LUF",
    "ATS",
    "FIM",
    "SEK",
    "DKK",
    "NOK",
    "ISK",
    "ESP",
    "PTE",
    "GRD",
    "IEP",
    "TRL",
    "TRY",
    "PLN",
    "PLZ",
    "CZK",
    "SKK",
    "HUF",
    "ROL",
    "RON",
    "BGL",
    "BGN",
    "HRK",
    "SIT",
    "EEK",
    "LVL",
    "LTL",
    "UAH",
    "RUB",
    "RUR",
    "MDL",
    "GEL",
    "AMD",
    "AZN",
    "AZM",
    "ALL",
    "MKD",
    "MTL",
    "CYP",
    "RSD",
    "BAM",
    "CSD",
    "YUM",
]
# The currency's name in the Court's English, singular or plural; a country before it is optional
# where the name alone is enough.
NAMES = {
    r"euros?": "EUR",
    r"(?:ECUs?|European currency units?)": "ECU",
    r"French francs?": "FRF",
    r"Swiss francs?": "CHF",
    r"Belgian francs?": "BEF",
    r"Luxembourg(?:ish)? francs?": "LUF",
    r"(?:German|Deutsche) ?marks?": "DEM",
    r"(?:Finnish )?(?:marks|markkaa)": "FIM",
    r"(?:Italian )?(?:lire|liras? italian[ae])": "ITL",
    r"(?:Turkish )(?:liras?|lire)": "TRL",
    r"(?:Cyprus|Cypriot) pounds?": "CYP",
    r"Irish pounds?": "IEP",
    r"(?:pounds? sterling|pounds?|British pounds?)": "GBP",
    r"(?:US|United States|American) dollars?": "USD",
    r"(?:Dutch |Netherlands )?guilders?": "NLG",
    r"(?:Austrian )?schillings?": "ATS",
    r"(?:Swedish )?kron(?:or|a)": "SEK",
    r"Danish kroner": "DKK",
    r"Norwegian kroner": "NOK",
    r"kroner": "NOK",
    r"(?:Estonian )?kroons?": "EEK",
    r"Maltese (?:liri|liras?)": "MTL",
    r"(?:Spanish )?pesetas?": "ESP",
    r"(?:Portuguese )?escudos?": "PTE",
    r"(?:Greek )?drachmas?": "GRD",
    r"(?:new )?(?:Polish )?(?:new )?zlot(?:ys?|ies)": "PLN",
    r"(?:Czech )?korunas?": "CZK",
    r"(?:Hungarian )?forints?": "HUF",
    r"(?:Romanian )lei": "ROL",
    r"Moldovan lei": "MDL",
    r"(?:Bulgarian )?lev(?:s|a)?": "BGN",
    r"(?:Croatian )?kunas?": "HRK",
    r"(?:Ukrainian )?hryvnias?": "UAH",
    r"(?:Russian )?roubles?": "RUB",
    r"(?:Slovenian )?tolars?": "SIT",
    r"(?:Lithuanian )?lit(?:ai|as)": "LTL",
    r"(?:Latvian )?lat[is]": "LVL",
}
SIGNS = {"€": "EUR", "£": "GBP", "US$": "USD", "$": "USD"}

_DIGITS = r"\d{1,3}(?:[ ,.]\d{3})+(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d{1,2}(?!\d))?"
_SCALE = r"(?: (?P<{0}>million|billion)\b)?"
_WORDS = r"(?: ?\((?P<{0}>[a-zA-Z][^()]{{2,110}})\))?"
_CODE = "|".join(CODES)
_NAME = "|".join(NAMES)
SUM = re.compile(
    rf"(?<![\w.,/])(?:(?P<code>{_CODE}|€|£|US\$|\$) ?(?P<a>{_DIGITS})(?![\d/]| ?[,.] ?\d){_SCALE.format('sa')}{_WORDS.format('wa')}"
    rf"|(?P<b>{_DIGITS}){_SCALE.format('sb')} ?{_WORDS.format('wb')}[ ,]{{0,2}}(?:(?P<name>{_NAME})\b|(?P<after>{_CODE}|€)(?!\w))(?: \({_CODE}\))?{_WORDS.format('wc')})"
    # "10,000 (ten thousand euros)", with the currency in words only
    rf"|(?<![\w.,/])(?P<d>{_DIGITS}) ?\((?P<wd>[a-zA-Z][a-zA-Z -]{{2,110}} (?P<named>{_NAME}))\)"
)
_NAME_OF = [(re.compile(rf"(?:{pattern})\Z"), code) for pattern, code in NAMES.items()]


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of money.

    Attributes:
        value: in units of the currency.
        currency: its ISO 4217 code ("ECU" for the European currency unit).
        start, end: where it stands in the text that was searched, its words in brackets included.
        words: the sum as spelled out in brackets, or "".
    """

    value: float
    currency: str
    start: int
    end: int
    words: str = ""


def number(digits: str) -> float:
    """The value of digits as the Court writes them: "5,000", "5 000", "5,000.50", "1.200".

    A single separator before exactly three digits groups thousands; one before one or two digits
    starts the decimals.
    """
    groups = re.fullmatch(r"(\d{1,3}(?:[ ,.]\d{3})*|\d+)(?:[.,](\d{1,2}))?", digits)
    if groups is None:
        raise ValueError(f"not a number as the Court writes it: {digits!r}")
    return float(re.sub(r"[ ,.]", "", groups[1]) + "." + (groups[2] or "0"))


def find(text: str) -> list[Sum]:
    """All sums in a text (see :func:`lib.judgments.text.plain`), in order."""
    found = []
    for match in SUM.finditer(text):
        scale = {"million": 1e6, "billion": 1e9}.get(match["sa"] or match["sb"] or "", 1.0)
        sign = match["code"] or match["after"]
        if sign:
            currency = SIGNS.get(sign, sign)
        else:
            called = match["name"] or match["named"]
            currency = next(code for name, code in _NAME_OF if name.match(called))
        words = match["wa"] or match["wb"] or match["wc"] or match["wd"] or ""
        value = number(match["a"] or match["b"] or match["d"]) * scale
        if math.isinf(value):  # hundreds of digits are no sum
            continue
        found.append(Sum(value, currency, *match.span(), words))
    return found


SMALL = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
} | {
    word: 10 * tens
    for tens, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
LARGE = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
FILLERS = {"and", "a", "of"}
_WORD = {value: word for word, value in SMALL.items()}


def in_words(number: int) -> str:
    """A whole number in English words, as the Court writes sums: 12500 is "twelve thousand five hundred"."""
    if number in _WORD:
        return _WORD[number]
    if number < 100:
        return f"{_WORD[number // 10 * 10]}-{_WORD[number % 10]}"
    if number < 1000:
        rest = f" and {in_words(number % 100)}" if number % 100 else ""
        return f"{_WORD[number // 100]} hundred{rest}"
    scale, unit = max(
        (item for item in LARGE.items() if item[1] <= number), key=lambda item: item[1]
    )
    rest = f" {in_words(number % unit)}" if number % unit else ""
    return f"{in_words(number // unit)} {scale}{rest}"


def spelled(words: str) -> float | None:
    """The whole units that a number in words states, or None where it is not one.

    ``spelled("twelve thousand five hundred euros")`` is 12500. Words after the number (the
    currency, its cents) are left out.
    """
    total = part = 0
    seen = False
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in SMALL:
            part += SMALL[word]
        elif word == "hundred" or word == "hundreds":
            part = (part or 1) * 100
        elif word.removesuffix("s") in LARGE:
            total += (part or 1) * LARGE[word.removesuffix("s")]
            part = 0
        elif word in FILLERS:
            continue
        else:
            break
        seen = True
    return float(total + part) if seen else None
