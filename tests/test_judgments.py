"""From a judgment's text to parts, sums, checks and targets, on texts made for the purpose."""

import itertools
import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import release
from lib.judgments import (
    applicants,
    articles,
    audit,
    awards,
    checks,
    corpus,
    demo,
    facts,
    features,
    money,
    operative,
    segments,
    viewer,
)
from lib.judgments.extract import extract
from lib.judgments.text import Unreadable, build

# Money


@given(st.integers(0, 999_999_999))
def test_words_and_digits_of_a_sum_agree(value):
    assert money.spelled(money.in_words(value)) == value


@given(st.integers(1, 99_999_999), st.sampled_from([",", " ", "\u00a0"]))
def test_a_sum_is_read_however_thousands_are_grouped(value, separator):
    text = f"to pay EUR {value:,} in respect".replace(",", separator).replace("\u00a0", " ")
    assert [(one.value, one.currency) for one in money.find(text)] == [(value, "EUR")]


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("EUR 5,000 (five thousand euros)", 5000, "EUR"),
        ("5,500 EUR (five thousand five hundred euros)", 5500, "EUR"),
        ("323,741.45 euros (EUR)", 323741.45, "EUR"),
        ("€ 12.500", 12500, "EUR"),
        ("10,000 (ten thousand euros)", 10000, "EUR"),
        ("EUR 1.2 million", 1_200_000, "EUR"),
        ("£3,000 (three thousand pounds)", 3000, "GBP"),
        ("20,000 (twenty thousand) Dutch guilders", 20000, "NLG"),
        ("25,000,000 (twenty-five million) Italian lire", 25_000_000, "ITL"),
        ("FRF 9,759.72", 9759.72, "FRF"),
        ("100,000 (one hundred thousand) Finnish marks", 100_000, "FIM"),
        ("15,421 French francs", 15421, "FRF"),
        ("7,500 Swiss francs", 7500, "CHF"),
        ("ECU 4,000", 4000, "ECU"),
    ],
)
def test_sums_as_the_court_writes_them(text, value, currency):
    assert [(one.value, one.currency) for one in money.find(text)] == [(value, currency)]


@pytest.mark.parametrize(
    "text", ["no. 1620/03", "on 12 May 2010", "Article 41", "§ 5,000", "12 EURATOM rules"]
)
def test_other_numbers_are_no_sums(text):
    assert money.find(text) == []


def test_hundreds_of_digits_are_no_sum():
    assert money.find("to pay EUR " + "9" * 400 + " in respect of non-pecuniary damage") == []


# Articles


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("ALLEGED VIOLATION OF ARTICLE 6 §§ 1, 2 AND 3 OF THE CONVENTION", ["6"]),
        ("ALLEGED VIOLATION OF ARTICLE 6 § 1 AND ARTICLE 14 OF THE CONVENTION", ["6", "14"]),
        ("ALLEGED VIOLATION OF ARTICLE 4 OF PROTOCOL No. 7 TO THE CONVENTION", ["P7-4"]),
        ("a violation of Articles 3 and 8 of the Convention", ["3", "8"]),
    ],
)
def test_articles_in_headings_and_provisions(text, codes):
    assert articles.articles(text) == codes


# Awards in prose


def sums(text, lead=""):
    return [(one.head, one.value, one.share, one.among) for one in awards.read(text, lead=lead)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "EUR 5,000 (five thousand euros), plus any tax that may be chargeable, in respect of non-pecuniary damage;",
            [("non_pecuniary", 5000, "", None)],
        ),
        (
            "EUR 3,000 in respect of non-pecuniary damage and EUR 2,500, plus any tax, in respect of costs and expenses",
            [("non_pecuniary", 3000, "", None), ("costs", 2500, "", None)],
        ),
        (
            "for non-pecuniary damage, NLG 25,000, for legal costs NLG 18,200",
            [("non_pecuniary", 25000, "", None), ("costs", 18200, "", None)],
        ),
        (
            "EUR 20,000 to the first applicant and EUR 15,000 to the second and third applicants each, plus any tax, in respect of non-pecuniary damage",
            [("non_pecuniary", 20000, "", None), ("non_pecuniary", 15000, "each", 2)],
        ),
        (
            "EUR 5,000 each to the second and fourth applicants, plus any tax, in respect of non-pecuniary damage",
            [("non_pecuniary", 5000, "each", 2)],
        ),
        (
            "EUR 4,000 to each of the three applicants in respect of non-pecuniary damage",
            [("non_pecuniary", 4000, "each", 3)],
        ),
        (
            "EUR 9,000 in respect of pecuniary and non-pecuniary damage",
            [("bundled", 9000, "", None)],
        ),
        (
            "in respect of damage, EUR 20,929.05 and, for costs and expenses, EUR 13,771.28",
            [("damage", 20929.05, "", None), ("costs", 13771.28, "", None)],
        ),
        (
            "EUR 1,500 jointly in respect of non-pecuniary damage",
            [("non_pecuniary", 1500, "joint", None)],
        ),
    ],
)
def test_awards_as_the_court_writes_them(text, expected):
    assert sums(text) == expected


def test_the_lead_in_tells_who_gets_it():
    lead = "(a) that the respondent State is to pay each applicant, within three months,"
    assert sums("(i) EUR 4,500 in respect of non-pecuniary damage;", lead) == [
        ("non_pecuniary", 4500, "each", None)
    ]


def test_what_was_paid_as_legal_aid_is_no_award():
    text = "EUR 4,000 in respect of costs and expenses, less EUR 850 received by way of legal aid"
    assert sums(text) == [("costs", 4000, "", None)]


@given(st.integers(1, 500), st.integers(1, 100_000))
def test_the_total_of_an_award_to_each(applicants_, value):
    one = awards.Award("non_pecuniary", value, "EUR", "each", None, False, 0, 1)
    assert one.total(applicants_) == applicants_ * value
    assert one.total(None) is None


# A judgment for the purpose


def judgment(law="", damage="", orders="", **changes):
    parts = {
        "opening": "1. The case originated in an application (no. 1/12) lodged with the Court under Article 34 of "
        "the Convention by a national of that State (“the applicant”).",
        "facts": "2. The applicant was born in 1970.\n3. He was fined 300 euros.",
        "law": law or "4. There has accordingly been a violation of Article 8 of the Convention.",
        "damage": damage
        or "5. The applicant claimed 10,000 euros (EUR) in respect of non-pecuniary damage.\n"
        "6. The Court awards EUR 5,000 in respect of non-pecuniary damage.",
        "orders": orders
        or "1. Holds that there has been a violation of Article 8 of the Convention;\n2. Holds\n"
        "(a) that the respondent State is to pay the applicant, within three months,\n"
        "(i) EUR 5,000 (five thousand euros), plus any tax, in respect of non-pecuniary damage;\n"
        "3. Dismisses the remainder of the claim.",
    } | changes
    text = (
        "SECOND SECTION\nCASE OF TEST v. POLAND\nJUDGMENT\nSTRASBOURG\n3 May 2012\nPROCEDURE\n{opening}\nTHE FACTS\n"
        "I. THE CIRCUMSTANCES OF THE CASE\n{facts}\nTHE LAW\nI. ALLEGED VIOLATION OF ARTICLE 8 OF THE CONVENTION\n{law}\n"
        "II. APPLICATION OF ARTICLE 41 OF THE CONVENTION\nA. Damage\n{damage}\n"
        "FOR THESE REASONS, THE COURT UNANIMOUSLY\n{orders}\n"
        "Done in English, and notified in writing on 3 May 2012.\n"
    ).format(**parts)
    return build("001-1", text)


def decide(**parts):
    return checks.decide(extract(judgment(**parts)))


def test_a_plain_judgment_becomes_a_target():
    found = extract(judgment())
    assert checks.decide(found) == checks.Target("target", "", 5000.0)
    assert found.violated == ["8"]
    assert found.applicants.count == 1
    [award] = found.ordered
    quoted = found.judgment.evidence(award.start, award.end)
    assert quoted.quote.startswith("EUR 5,000")
    assert quoted.paragraph == "2"


def test_evidence_offsets_point_at_the_words():
    found = extract(judgment())
    for one in [*found.claims, *found.reasoned, *found.ordered]:
        words = found.judgment.text[one.start : one.end]
        assert f"{one.value:,.0f}" in words


# Segments


def names(text):
    return [(one.name, one.part) for one in segments.split(build("001-1", text))]


def test_segments_cover_the_judgment_without_gaps():
    made = judgment()
    found = segments.split(made)
    assert found[0].first == 0
    assert found[-1].last == len(made.paragraphs) - 1
    for before, after in itertools.pairwise(found):
        assert after.first == before.last + 1


def test_an_old_judgment_is_cut_by_its_own_headings():
    text = (
        "PROCEDURE\n1. x\nAS TO THE FACTS\n2. x\nPROCEEDINGS BEFORE THE COMMISSION\n3. x\nAS TO THE LAW\n"
        "I. ALLEGED VIOLATION OF ARTICLE 6 (art. 6)\n4. x\nII. APPLICATION OF ARTICLE 50 (art. 50)\n5. x\n"
        "FOR THESE REASONS, THE COURT\n1. Holds that there has been a breach of Article 6 (art. 6);\nDone in English.\n"
        "DISSENTING OPINION OF JUDGE X\nI disagree.\n"
    )
    assert [name for name, _ in names(text)] == [
        "procedure", "facts", "commission", "law", "law", "article_41", "operative", "end", "opinions",
    ]  # fmt: skip


def test_a_quoted_formula_does_not_begin_the_operative_provisions():
    text = (
        "THE FACTS\n1. The earlier judgment said:\nFOR THESE REASONS, THE COURT\n...\n2. Holds x\nTHE LAW\n2. x\n"
        "FOR THESE REASONS, THE COURT UNANIMOUSLY\n1. Holds that there has been a violation of Article 8;\n"
    )
    found = [one for one in segments.split(build("001-1", text)) if one.name == "operative"]
    assert len(found) == 1
    assert found[0].heading.endswith("UNANIMOUSLY")


def test_short_committee_judgments_have_facts_and_law():
    text = "SUBJECT MATTER OF THE CASE\n1. x\nTHE COURT’S ASSESSMENT\n2. x\nAPPLICATION OF ARTICLE 41 OF THE CONVENTION\n3. x\nFOR THESE REASONS, THE COURT, UNANIMOUSLY,\n1. Declares x\n"
    assert {"facts", "law", "article_41", "operative"} <= {name for name, _ in names(text)}


def test_article_41_is_found_without_its_heading():
    text = "THE FACTS\n1. x\nTHE LAW\n2. x\n3. Article 41 of the Convention provides:\n4. y\nFOR THESE REASONS, THE COURT\n1. Holds z\n"
    assert "article_41" in {name for name, _ in names(text)}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [h for _, _, h in segments.HEADINGS] + ["1. words", "THE FACTS", "THE LAW", "x\n\ny"]
        ),
        max_size=15,
    )
)
def test_no_order_of_headings_breaks_the_segments(lines):
    text = "\n".join(["words", *lines])
    made = build("001-1", text)
    found = segments.split(made)
    assert sum(one.last - one.first + 1 for one in found) == len(made.paragraphs)


# Outcomes


@pytest.mark.parametrize(
    ("text", "codes", "outcome"),
    [
        ("1. Holds that there has been a violation of Article 6 §§ 1 and 3 (c) of the Convention;", ("6",), "violation"),
        ("1. Holds that there has been a violation of Article 1 of Protocol No. 1 to the Convention;", ("P1-1",), "violation"),
        ("1. Holds that there have been violations of Articles 3 and 8 of the Convention;", ("3", "8"), "violation"),
        ("1. Holds that there has been a violation of Article 13 in conjunction with Article 3;", ("13", "3"), "violation"),
        ("1. Holds that there has been no violation of Article 8 of the Convention;", ("8",), "no_violation"),
        ("1. Holds that his removal would give rise to a violation of Article 3 of the Convention;", ("3",), "violation"),
        ("1. Holds that there is no need to examine the complaint under Article 14;", ("14",), "not_examined"),
        ("1. Declares the application inadmissible;", (), "inadmissible"),
    ],
)  # fmt: skip
def test_outcomes(text, codes, outcome):
    made = build("001-1", f"THE LAW\n1. x\nFOR THESE REASONS, THE COURT\n{text}\n")
    [found] = operative.outcomes(operative.provisions(made, segments.split(made)))
    assert (found.articles, found.outcome) == (codes, outcome)


def test_items_of_one_provision_may_decide_differently():
    made = build("001-1", "THE LAW\n1. x\nFOR THESE REASONS, THE COURT\n1. Holds\n(a) that there has been a violation of Article 7;\n"
                          "(b) that there has been no violation of Article 14;\n")  # fmt: skip
    found = operative.outcomes(operative.provisions(made, segments.split(made)))
    assert [one.outcome for one in found] == ["violation", "no_violation"]


# Applicants


@pytest.mark.parametrize(
    ("opening", "count"),
    [
        ("1. The case originated in an application lodged by a Polish national, Mr A (“the applicant”).", 1),
        ("1. The case originated in an application lodged by two Polish nationals, Mr A and Ms B (“the applicants”).", 2),
        ("1. The case originated in an application lodged by the Centre (“the applicant organisation”), and three Russian nationals (“the applicants”).", 4),
        ("1. The case originated in an application lodged by Ms A. (“the first applicant”) and on behalf of L. (“the second applicant”).", 2),
    ],
)  # fmt: skip
def test_applicants_are_counted(opening, count):
    made = judgment(opening=opening)
    assert applicants.count(made, segments.split(made)).count == count


# Reasons for zero


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("5. He claimed EUR 9,000 in respect of non-pecuniary damage.\n6. The Court considers that the finding of a violation constitutes sufficient just satisfaction.", "finding_sufficient"),
        ("5. The applicant did not submit a claim for just satisfaction.", "no_claim"),
        ("5. The applicant submitted the claim belatedly.\n6. The Court rejects it, since it does not satisfy Rule 60 of the Rules of Court.", "rule_60_non_compliance"),
        ("5. He claimed EUR 9,000 in respect of non-pecuniary damage.\n6. The Court finds the claim for non-pecuniary damage unsubstantiated and rejects it.", "unsubstantiated"),
        ("5. He claimed EUR 9,000 in respect of non-pecuniary damage.\n6. The Court notes that the sum awarded at domestic level was sufficient redress; it makes no award.", "domestic_award_covers"),
        ("5. The Court notes that the applicant died and that no heir has pursued the claim for damage.", "applicant_deceased_no_heir"),
    ],
)  # fmt: skip
def test_reasons_for_no_award(damage, reason):
    orders = "1. Holds that there has been a violation of Article 8 of the Convention;\n2. Dismisses the remainder of the claim."
    found = extract(judgment(damage=damage, orders=orders))
    assert found.rationale is not None
    assert found.rationale.name == reason
    assert checks.decide(found).amount == 0


def test_a_partys_view_is_no_reason():
    damage = (
        "5. He claimed EUR 9,000 in respect of non-pecuniary damage.\n"
        "6. The Government submitted that the finding of a violation would constitute sufficient just satisfaction."
    )
    orders = "1. Holds that there has been a violation of Article 8 of the Convention."
    assert decide(damage=damage, orders=orders).reason == "no_zero_rationale"


# The eight checks

PAY = "1. Holds that there has been a violation of Article 8 of the Convention;\n2. Holds that the respondent State is to pay the applicant {};\n"


@pytest.mark.parametrize(
    ("check", "parts"),
    [
        ("head_separation", {"orders": PAY.format("EUR 5,000"), "damage": "5. He claimed money.\n6. The Court makes an award."}),
        ("bundled_award_exception", {"orders": PAY.format("EUR 5,000 in respect of pecuniary and non-pecuniary damage")}),
        ("applicant_beneficiary_consistency", {"orders": PAY.format("EUR 5,000 each to the first and second applicants in respect of non-pecuniary damage")}),
        ("per_applicant_sum_consistency", {"orders": PAY.format("the amounts stated in the Appendix")}),
        ("claim_award_consistency", {"damage": "5. The applicant claimed EUR 1,000 in respect of non-pecuniary damage.\n6. The Court awards EUR 5,000 in respect of non-pecuniary damage."}),
        ("currency_normalisation", {"orders": PAY.format("FRF 5,000 in respect of non-pecuniary damage")}),
        ("operative_recoverability", {"damage": "5. He claimed EUR 9,000 in respect of non-pecuniary damage.\n6. The Court awards EUR 7,000 in respect of non-pecuniary damage."}),
    ],
)  # fmt: skip
def test_each_check_refuses_with_its_evidence(check, parts):
    target = decide(**parts)
    assert target.status != "target"
    assert check in {one.check for one in target.findings}


def test_no_claim_and_an_award_contradict_each_other():
    from dataclasses import replace

    from lib.judgments.article41 import Rationale

    found = replace(extract(judgment()), rationale=Rationale("no_claim", None))
    assert {one.check for one in checks.run(found)} == {"no_claim_positive_award"}


def test_every_declared_check_is_run():
    assert set(checks.RUN) == set(checks.CHECKS)


def test_a_bundled_award_is_a_target_only_after_its_audit():
    damage = "5. The applicant claimed compensation.\n6. The Court makes an award."
    found = extract(
        judgment(
            orders=PAY.format("EUR 5,000 in respect of pecuniary and non-pecuniary damage"),
            damage=damage,
        )
    )
    assert checks.decide(found).status == "review"
    assert checks.decide(found, audited={"001-1"}).amount == 5000


def test_digits_and_words_must_agree():
    orders = PAY.format("EUR 5,000 (six thousand euros) in respect of non-pecuniary damage")
    assert decide(orders=orders).reason == "currency_normalisation"


def test_a_reserved_article_41_is_no_zero():
    orders = "1. Holds that there has been a violation of Article 8 of the Convention;\n2. Holds that the question of the application of Article 41 is not ready for decision and reserves it;"
    assert decide(orders=orders).reason == "article_41_reserved"


# Wordings that once became wrong targets: each is read rightly or sent to review, never committed

PEOPLE = {
    3: "1. The case originated in an application lodged by three Polish nationals (“the applicants”).",
    5: "1. The case originated in an application lodged by five Polish nationals (“the applicants”).",
}
NPD = "in respect of non-pecuniary damage"


@pytest.mark.parametrize(
    ("applicants_", "sums_", "right"),
    [
        (3, f"EUR 5,000 to the first applicant, {NPD} and EUR 3,000 to each of the remaining applicants, {NPD}", 11_000),
        (5, f"EUR 5,000 each to the first to third applicants, {NPD} and EUR 2,000 each to the fourth and fifth applicants, {NPD}", 19_000),
        (5, f"EUR 5,000 each to the first three applicants and EUR 2,000 each to the last two applicants, {NPD}", 19_000),
        (5, f"EUR 5,000 each to applicants nos. 1, 2 and 3 and EUR 2,000 each to applicants nos. 4 and 5, {NPD}", 19_000),
        (3, f"EUR 3,000 to each applicant except Mr Doe, {NPD}", 6_000),
        (3, f"EUR 5,000 each to Doe and Roe and EUR 3,000 to Poe, {NPD}", 13_000),
        (5, f"EUR 5,000 to each of the applicants named in paragraph 5 above, {NPD}", None),
        (3, f"EUR 10,000 (ten thousand euros), i.e. EUR 5,000 (five thousand euros) to each applicant, {NPD}", 10_000),
        (3, f"EUR 5,000, less EUR 1,000 already paid, {NPD}", 4_000),
        (3, f"EUR 5,000, after deduction of EUR 1,000, {NPD}", None),
        (3, "a total of EUR 8,000, comprising EUR 5,000 for non-pecuniary damage and EUR 3,000 for costs", 5_000),
        (3, "EUR 5,000 in respect of non-pecuniary damage, as well as costs and expenses", None),
        (3, "EUR 5,000 in respect of non-pecuniary damage and loss of earnings", None),
        (3, "EUR 5,000 in respect of pecuniary/non-pecuniary damage", None),
        (3, f"five thousand euros {NPD}", None),
        (3, f"EUR 12, 500 {NPD}", 12_500),
        (3, f"EUR 1,2500 {NPD}", None),
        (3, f"5,000 Estonian kroons (EEK) {NPD}", None),
        (3, f"EUR 5,000 to Mr Doe, {NPD}, and the same amount to Mr Roe, {NPD}", 10_000),
    ],
)  # fmt: skip
def test_no_wrong_amount_is_committed(applicants_, sums_, right):
    damage = "5. The applicants claimed damages for suffering.\n6. The Court makes an award."
    orders = PAY.format(sums_).replace("pay the applicant ", "pay, within three months, ")
    target = decide(opening=PEOPLE[applicants_], damage=damage, orders=orders)
    assert target.amount is None or target.amount == right, (target, right)


@pytest.mark.parametrize(
    "noted",
    [
        "2. Rejects the request that the State be ordered to pay EUR 9,000 in respect of non-pecuniary damage;",
        "2. Takes note that the Government has undertaken to pay EUR 9,000 in respect of non-pecuniary damage;",
    ],
)
def test_what_is_refused_or_noted_is_no_award(noted):
    orders = PAY.format(f"EUR 5,000 {NPD}").replace("2. Holds", f"{noted}\n3. Holds")
    assert decide(orders=orders).amount == 5000


def test_long_lines_are_read_in_time():
    damage = "5. The applicant claimed nothing.\n6." + " " * 100_000 + "the Court awards x"
    extract(judgment(damage=damage, facts="2. x\n" + "ADMISSIBILITY\n" * 5_000))


def test_facts_are_refused_where_no_law_part_follows():
    made = judgment()
    text = re.sub(r"THE LAW\nI\. ALLEGED.*\n", "", made.text).replace(
        "II. APPLICATION OF ARTICLE 41 OF THE CONVENTION\n", ""
    )
    assert facts.facts(extract(build("001-1", text))).refused == "parts_unclear"


# Facts


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("3. He asked for just satisfaction.", "article_41"),
        ("3. In that judgment the Court awarded him money.", "court_award"),
        ("3. He had asked for 10,000 euros.", "case_sum"),
        ("3. He lost EUR 5,000 in the fire.", "case_sum"),
        ("3. He sought ten thousand euros.", "case_sum"),
        ("3. He wanted EUR 10, 000.", "case_sum"),
        ("3. Just satisfaction is left for later.", "article_41"),
        ("3. Under Articles 13, 34 and 41 of the Convention he asked for money.", "article_41"),
        ("3. The Court therefore awards nothing.", "court_award"),
        (
            "3. The applicant did not submit a claim for damage to the Court, though he claimed it before the Court once.",
            "compensation_submission",
        ),
    ],
)
def test_the_gate_withholds_and_says_why(words, rule):
    safe = facts.facts(
        extract(
            judgment(
                facts=f"2. The applicant was born in 1970, long ago, in a small town, and has lived there since with his family of five.\n{words}"
            )
        )
    )
    assert [one.rule for one in safe.withheld] == [rule]
    assert words not in safe.text


def test_ordinary_facts_pass():
    safe = facts.facts(
        extract(
            judgment(
                facts="2. The applicant was born in 1970 and lives in a small town with his family, of whom he is fond.\n3. He was fined 300 euros."
            )
        )
    )
    assert safe.withheld == ()
    assert "300 euros" in safe.text


# Features


def test_features_are_read_from_permitted_parts():
    row = features.row(extract(judgment()))
    assert row["judgment_date"] == "2012-05-03"
    assert row["country_alpha2"] == "pl"
    assert row["violated_articles"] == "8"
    assert row["applicant_birth_years"] == "1970"
    assert not any(re.search("award|claim|amount|^y_", name) for name in row)
    assert len(features.block(row).split()) < 200


# The viewer


def test_the_viewer_escapes_what_a_judgment_says():
    found = extract(
        judgment(
            facts="2. <script>alert(1)</script> born & raised.\n3. <img src=x onerror=alert(1)>"
        )
    )
    shown = viewer.page(found)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<mark title=" in shown


def test_the_viewer_can_leave_the_words_out():
    assert "born in 1970" not in viewer.page(extract(judgment()), text=False)


# A whole corpus


@pytest.fixture(scope="module")
def demo_release():
    return release.load("demo")


@pytest.fixture(scope="module")
def run(demo_release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("judgments")
    files = demo.write(demo_release, folder / "texts")
    return files, corpus.run(files, folder / "tables", workers=1)


def read(run, name):
    return pd.read_csv(run[1] / f"{name}.csv", dtype={"case_id": str}, keep_default_na=False)


def test_the_demo_corpus_is_read_to_the_euro(run, demo_release):
    cases = pd.read_csv(run[1] / "cases.csv", dtype={"case_id": str}).fillna(
        {"reason": "", "rationale": ""}
    )
    compared = audit.compare(cases, demo_release.cases)
    assert len(compared) == demo.CASES
    assert compared["agrees"].all()
    zeros = compared[compared["official"] == 0]
    assert len(zeros)
    assert zeros["rationale"].ne("").all()


def test_what_is_no_target_has_its_reason(run):
    reasons = read(run, "cases").set_index("case_id")["reason"]
    expected = {"decision": "decision_not_judgment", "french": "not_english", "reserved": "article_41_reserved",
                "francs": "pre_euro_currency", "bundled": "bundled_award", "empty": "empty_file"}  # fmt: skip
    for name, form in demo.OTHERS.items():
        assert reasons[name] == expected.get(form, form)


def test_the_cascade_ends_with_the_targets(run):
    cases, cascade = read(run, "cases"), read(run, "cascade")
    assert int(cascade["left"].iloc[0]) == len(cases)
    assert int(cascade["left"].iloc[-1]) == (cases["status"] == "target").sum()
    assert (
        cascade["left"].astype(int).diff().dropna() == -cascade["removed"].astype(int)[1:]
    ).all()


def test_every_reason_has_a_step_in_the_cascade():
    steps = {reason for _, reasons in corpus.STEPS for reason in reasons}
    assert steps == set(checks.UNREADABLE) | set(checks.EXCLUDED) | set(checks.CHECKS)


def test_every_case_that_is_no_target_is_in_the_review_queue(run):
    cases, review = read(run, "cases"), read(run, "review")
    assert set(cases.loc[cases["status"] != "target", "case_id"]) <= set(review["case_id"])


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(run, tmp_path, monkeypatch):
    files, whole = run
    done = []

    def stop(path):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(path)
        return kept(path)

    kept = corpus._process
    monkeypatch.setattr(corpus, "_process", stop)
    with pytest.raises(KeyboardInterrupt):
        corpus.run(files, tmp_path, workers=1)
    assert len((tmp_path / corpus.RECORDS).read_text("utf-8").splitlines()) == 5
    seen = []
    monkeypatch.setattr(corpus, "_process", lambda task: seen.append(task) or kept(task))
    corpus.run(files, tmp_path, workers=1)
    assert len(seen) == len(files) - 5
    for name in ("cases", "segments", "sums", "outcomes", "review", "cascade"):
        assert (tmp_path / f"{name}.csv").read_bytes() == (whole / f"{name}.csv").read_bytes()


def test_a_line_that_an_interruption_cut_off_loses_no_case(run, tmp_path):
    files, whole = run
    corpus.run(files[:2], tmp_path, workers=1)
    kept = tmp_path / corpus.RECORDS
    kept.write_bytes(kept.read_bytes()[:-300])
    corpus.run(files, tmp_path, workers=1)
    assert (tmp_path / "cases.csv").read_bytes() == (whole / "cases.csv").read_bytes()


def test_an_audited_bundle_in_a_table_is_its_sum_and_no_zero():
    from dataclasses import replace

    damage = "5. The applicant claimed compensation.\n6. The Court makes an award."
    found = extract(
        judgment(orders=PAY.format("the amounts stated in the Appendix"), damage=damage)
    )
    tabled = [awards.Award("bundled", 5000.0, "EUR", "", None, False, 0, 0)]
    assert checks.decide(replace(found, tabled=tabled), audited={"001-1"}).amount == 5000


def test_whatever_a_file_does_the_run_goes_on(tmp_path, monkeypatch):
    (tmp_path / "001-1.txt").write_text(judgment().text, "utf-8")
    monkeypatch.setattr(corpus, "extract", lambda _: 1 / 0)
    record = corpus.process(tmp_path / "001-1.txt")
    assert (record["status"], record["reason"]) == ("unreadable", "failed")
    assert list(corpus.inputs([tmp_path / "001-1.txt"])) == []


def test_one_case_in_two_files_is_no_target(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        text = judgment().text + f"Registrar {name}\n"
        (tmp_path / name / "001-1.txt").write_text(text, "utf-8")
    corpus.run(
        [tmp_path / "a" / "001-1.txt", tmp_path / "b" / "001-1.txt"], tmp_path / "out", workers=1
    )
    cases = pd.read_csv(tmp_path / "out" / "cases.csv")
    assert set(cases["reason"]) == {"duplicate_case"}


def test_two_processes_write_the_same_bytes(run, tmp_path):
    files, whole = run
    corpus.run(files, tmp_path, workers=2)
    assert (tmp_path / "cases.csv").read_bytes() == (whole / "cases.csv").read_bytes()
    assert (tmp_path / "review.csv").read_bytes() == (whole / "review.csv").read_bytes()


def test_facts_that_pass_hold_no_award_and_no_claim(run):
    independent = re.compile(
        r"(?i)just satisfaction|article (?:41|50) of the convention|is to pay|claimed? [\d,]+ euros|EUR [\d,]{5,}"
    )
    files, _ = run
    passed = [found.text for _, found in corpus.inputs(files) if not found.refused]
    assert len(passed) > 40
    assert not [text for text in passed if independent.search(text)]


def test_disagreements_say_what_was_read(run, demo_release):
    cases = pd.read_csv(run[1] / "cases.csv", dtype={"case_id": str})
    truth = demo_release.cases.copy()
    several = cases[
        (cases["applicants"] > 1) & (cases["status"] == "target") & (cases["amount"] > 0)
    ].iloc[0]
    truth.loc[truth["case_id"] == several["case_id"], "y_amount_eur"] = (
        several["amount"] / several["applicants"]
    )
    apart = audit.disagreements(
        audit.compare(cases, truth), pd.read_csv(run[1] / "sums.csv", dtype={"case_id": str})
    )
    assert list(apart["case_id"]) == [several["case_id"]]
    assert bool(apart["counted_once"].iloc[0])
    assert "EUR" in apart["read"].iloc[0]


def test_an_empty_text_is_refused():
    with pytest.raises(Unreadable, match="empty_file"):
        build("001-1", " \n ")
