"""Synthetic judgments for the cases of the demo release, so that every page works without data.

They imitate the form of the Court's judgments (headings by decade, ways to state an award, reasons
for none) and are about nobody. Some are deliberately not targets.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from lib.files import write_text
from lib.judgments import money
from lib.release import Release

SEED = 42
CASES = 48
ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
]

OTHERS = {  # what a corpus also holds, by file name
    "900-900001": "decision", "900-900002": "french", "900-900003": "no_violation", "900-900004": "reserved",
    "900-900005": "francs", "900-900006": "bundled", "900-900007": "empty",
}  # fmt: skip


def euros(amount: float) -> str:
    """ "EUR 12,500 (twelve thousand five hundred euros)"; cents stay in digits."""
    whole = int(amount)
    digits = f"{amount:,.2f}" if amount != whole else f"{whole:,}"
    return f"EUR {digits} ({money.in_words(whole)} euros)"


def _article(code: str) -> str:
    return (
        f"Article {code[3:]} of Protocol No. {code[1]}"
        if code.startswith("P")
        else f"Article {code}"
    )


def judgment(case: pd.Series, form: str, rng: np.random.Generator) -> str:
    """The text of one judgment.

    Args:
        case: a row of the release.
        form: ``one``, ``each``, ``ordinals``, ``joint`` for positive awards; ``finding``,
            ``no_claim``, ``late``, ``unproven`` for none; or a value of ``OTHERS``.
    """
    date, state = case["judgment_date"], case["respondent_state"]
    articles = str(case["violated_articles"]).split(";")
    several = form in ("each", "ordinals", "joint")
    count = min(int(case["num_applicants"]), 10) if several else 1
    amount = float(case["y_amount_eur"])
    who, day = "the applicants" if several else "the applicant", f"{date.day} {date:%B %Y}"
    nationals = (
        f"{money.in_words(count)} nationals of that State"
        if several
        else "a national of that State"
    )
    numbers = iter(range(1, 500))
    lines = ["THIRD SECTION", f"CASE OF DEMO v. {state.upper()}", f"(Application no. {case.name % 90_000 + 1_000}/12)", "JUDGMENT",
             "STRASBOURG", day, f"In the case of Demo v. {state},",
             f"The European Court of Human Rights, sitting as a {case['court_formation']},",
             "Delivers the following judgment:", "PROCEDURE"]  # fmt: skip

    def say(words: str) -> None:
        lines.append(f"{next(numbers)}. {words}")

    say(f"The case originated in an application against {state} lodged with the Court under Article 34 of the Convention by "
        f"{nationals} (“{who}”).")  # fmt: skip
    say(f"{who.capitalize()} {'were' if several else 'was'} represented by a lawyer.")
    lines += ["THE FACTS", "I. THE CIRCUMSTANCES OF THE CASE"]
    say(f"{who.capitalize()} {'were' if several else 'was'} born in 19{rng.integers(40, 99)}.")
    for _ in range(int(rng.integers(2, 6))):
        say(f"On {rng.integers(1, 29)} March {date.year - int(rng.integers(2, 8))} the domestic court gave a decision in the "
            f"proceedings and fined another person {rng.integers(2, 9)}00 euros.")  # fmt: skip
    lines.append("II. RELEVANT DOMESTIC LAW AND PRACTICE")
    say("The relevant provisions of the Code are set out in an earlier judgment.")
    lines.append("THE LAW")
    for numeral, code in zip(("I", "II", "III", "IV", "V", "VI"), articles, strict=False):
        lines.append(
            f"{numeral}. ALLEGED VIOLATION OF {_article(code).upper().replace('NO.', 'No.')} OF THE CONVENTION"
        )
        say(f"{who.capitalize()} complained under {_article(code)} of the Convention.")
        verdict = "been no violation" if form == "no_violation" else "accordingly been a violation"
        say(f"The Court finds that there has {verdict} of {_article(code)} of the Convention.")
    heading = (
        "AS TO THE APPLICATION OF ARTICLE 50 OF THE CONVENTION"
        if date.year < 1999
        else "APPLICATION OF ARTICLE 41 OF THE CONVENTION"
    )
    orders, costs = [], round(float(rng.integers(5, 60)) * 100)
    if form != "no_violation":
        lines += [f"VII. {heading}", "A. Damage"]
        claim = amount * 2 + 1_000
        asks = "claimed" if not several else "each claimed"
        if form == "no_claim":
            say(f"{who.capitalize()} did not submit a claim for just satisfaction.")
        elif form == "late":
            say(
                f"{who.capitalize()} submitted {'their' if several else 'a'} claim after the time-limit had expired, contrary to Rule 60."
            )
            say(
                "The Court rejects the claim, which does not satisfy the requirements of Rule 60 of the Rules of Court."
            )
        else:
            head = (
                "pecuniary and non-pecuniary damage"
                if form == "bundled"
                else "non-pecuniary damage"
            )
            say(f"{who.capitalize()} {asks} {claim:,.0f} euros (EUR) in respect of {head}.")
            say("The Government contested the claim as excessive.")
        if form == "finding":
            say(
                "The Court considers that the finding of a violation constitutes in itself sufficient just satisfaction."
            )
            orders.append("Holds that the finding of a violation constitutes in itself sufficient just satisfaction for any "
                          "non-pecuniary damage sustained;")  # fmt: skip
        elif form == "unproven":
            say(
                "The Court finds the claim in respect of non-pecuniary damage unsubstantiated and rejects it."
            )
        elif form == "reserved":
            say("The question of the application of Article 41 is not ready for decision.")
            orders.append(
                "Holds that the question of the application of Article 41 is not ready for decision and reserves it;"
            )
        lines.append("B. Costs and expenses")
        say(
            f"{who.capitalize()} also claimed EUR {costs + 500:,} for costs and expenses. The Court awards EUR {costs:,} under this head."
        )
        lines.append("C. Default interest")
        say(
            "The Court considers it appropriate that the default interest rate should be based on the marginal lending rate."
        )
    share = amount / count
    pay = f"(a) that the respondent State is to pay {who}, within three months, the following amounts:"
    tax, npd = "plus any tax that may be chargeable", "in respect of non-pecuniary damage"
    sums = {
        "one": f"(i) {euros(amount)}, {tax}, {npd};",
        "joint": f"(i) {euros(amount)} jointly, {tax}, {npd};",
        "each": f"(i) {euros(share)}, {tax}, {npd}, to each of the applicants;",
        "ordinals": f"(i) {euros(share)} each to {_listed(count)} applicants, {tax}, {npd};",
        "francs": "(i) FRF 20,000 (twenty thousand French francs), in respect of non-pecuniary damage;",
        "bundled": f"(i) {euros(5_000)}, {tax}, in respect of pecuniary and non-pecuniary damage;",
    }
    if form != "no_violation":
        given = [sums[form]] if form in sums else []
        orders.append(
            "\n".join(
                [
                    "Holds",
                    pay,
                    *given,
                    f"(ii) {euros(costs)}, {tax}, in respect of costs and expenses;",
                ]
            )
        )
        orders.append(
            f"Dismisses the remainder of {who}{'’' if several else '’s'} claim for just satisfaction."
        )
    lines.append("FOR THESE REASONS, THE COURT, UNANIMOUSLY,")
    findings = [f"Holds that there has been {'no' if form == 'no_violation' else 'a'} violation of {_article(code)} of the Convention;"
                for code in articles]  # fmt: skip
    for number, order in enumerate(["Declares the application admissible;", *findings, *orders], 1):
        lines.append(f"{number}. {order}")
    lines += [f"Done in English, and notified in writing on {day}.", "Registrar", "President"]
    return "\n".join(lines) + "\n"


def _listed(count: int) -> str:
    named = list(ORDINALS[:count])
    return "the " + (named[0] if count == 1 else ", ".join(named[:-1]) + " and " + named[-1])


def texts(release: Release) -> dict[str, str]:
    """File name → text for a corpus of demo judgments; the same for the same release."""
    rng = np.random.default_rng(SEED)
    cases = release.cases.sort_values("case_id").reset_index(drop=True)
    made = {}
    for _, case in cases[cases["split"] == "test"].head(CASES).iterrows():
        amount, count = case["y_amount_eur"], min(int(case["num_applicants"]), 10)
        if amount == 0:
            form = str(
                rng.choice(["finding", "no_claim", "late", "unproven"], p=[0.5, 0.3, 0.1, 0.1])
            )
        elif count > 1 and amount % count == 0:
            form = str(rng.choice(["each", "ordinals", "joint"]))
        else:
            form = "joint" if count > 1 else "one"
        made[f"{case['case_id']}.txt"] = judgment(case, form, rng)
    sample = cases[(cases["split"] == "test") & (cases["num_applicants"] == 1)].iloc[0]
    for name, form in OTHERS.items():
        if form == "empty":
            made[f"{name}.txt"] = ""
        elif form == "french":
            made[f"{name}.txt"] = ("AFFAIRE DÉMO c. FRANCE\nARRÊT\nEN FAIT\n1. Le requérant est né en 1970.\nEN DROIT\n"
                                   "2. La Cour conclut à la violation.\nPAR CES MOTIFS, LA COUR\nDit qu’il y a eu violation.\n")  # fmt: skip
        elif form == "decision":
            made[f"{name}.txt"] = (
                "DECISION\nAS TO THE ADMISSIBILITY OF\nApplication no. 1/12\nTHE FACTS\n1. The applicant was born in 1970.\n"
            )
        else:
            made[f"{name}.txt"] = judgment(sample, form, rng)
    return made


def write(release: Release, folder: Path) -> list[Path]:
    """Write the demo corpus; files that are there with the same text stay untouched."""
    paths = []
    for name, text in texts(release).items():
        path = folder / name
        if not path.is_file() or path.read_text("utf-8") != text:
            write_text(path, text)
        paths.append(path)
    return sorted(paths)
