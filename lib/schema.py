"""The release's schema: every column and every cross-column rule, declared once, in pandera.

Source: the authors' release (2026) and paper appendix B. Checks run on the file's own strings, so
that a violation is reported with the value as it is written.
"""

from __future__ import annotations

import pandas as pd
import pandera.pandas as pa

from lib import splits
from lib.errors import SHOWN, Problem

YES_NO = ["yes", "no"]
AGE_GROUPS = ["adolescent", "adult", "child", "elderly", "unknown"]
SEXES = ["female", "male", "mixed", "unknown"]
BENEFICIARIES = ["applicant", "group", "joint", "organisation", "unknown"]
FORMATIONS = {"CHAMBER": "Chamber", "COMMITTEE": "Committee", "GRANDCHAMBER": "Grand Chamber"}


def one_of(*values: str) -> pa.Column:
    return pa.Column(str, pa.Check.isin(values, error=f"must be one of {', '.join(values)}"))


def matching(pattern: str, words: str, **kwargs) -> pa.Column:
    return pa.Column(str, pa.Check.str_matches(rf"^(?:{pattern})$", error=words), **kwargs)


def set_of(*values: str) -> pa.Column:
    """A semicolon-separated set: known values, none twice."""

    def known_and_distinct(cells: pd.Series) -> pd.Series:
        return cells.map(
            lambda cell: (
                len(set(cell.split(";"))) == len(cell.split(";"))
                and set(cell.split(";")) <= set(values)
            )
        )

    return pa.Column(
        str,
        pa.Check(
            known_and_distinct,
            error=f"must be distinct values of {', '.join(values)}, joined by ';'",
        ),
    )


COUNT = r"[1-9]\d*"
NUMBER = r"\d+(?:\.\d+)?"
ARTICLE = r"(?:P\d{1,2}-)?[1-9]\d?"

COLUMNS = {
    "case_id": matching(
        r"\d{3}-\d+",
        "must be a HUDOC item id such as 001-100018",
        unique=True,
        report_duplicates="all",
    ),
    "split": one_of(*splits.SPLITS),
    "test_view": one_of("ID", "OOD", "not_applicable"),
    "test_challenging_view": one_of(*YES_NO),
    "judgment_date": pa.Column(
        str,
        pa.Check(
            lambda dates: (
                pd.to_datetime(dates, format="%Y-%m-%d", errors="coerce").notna()
                & dates.str.fullmatch(r"\d{4}-\d\d-\d\d")
            ),
            error="must be a date, YYYY-MM-DD",
        ),
    ),
    "judgment_year": matching(r"\d{4}", "must be a year"),
    "respondent_state": matching(r"\S.*", "must not be empty"),
    "country_alpha2": matching(r"[a-z]{2}", "must be two lower-case letters"),
    "hudoc_decision_body": one_of(*FORMATIONS),
    "court_formation": one_of(*FORMATIONS.values()),
    "is_grand_chamber": one_of(*YES_NO),
    "case_importance": one_of("key_case", "high", "medium", "low"),
    "has_separate_opinion": one_of(*YES_NO, "unknown"),
    "represented": one_of(*YES_NO, "unknown"),
    "hudoc_application_count": matching(COUNT, "must be a whole number of at least 1"),
    "num_applicants": matching(COUNT, "must be a whole number of at least 1"),
    "num_violations_found": matching(COUNT, "must be a whole number of at least 1"),
    "has_mixed_outcome": one_of(*YES_NO),
    "violated_articles": matching(
        rf"{ARTICLE}(?:;{ARTICLE})*", "must be article codes joined by ';', such as 6;P1-1"
    ),
    "violated_articles_count": matching(COUNT, "must be a whole number of at least 1"),
    "violation_type": one_of("substantive", "procedural", "both", "other", "unknown"),
    "violation_duration_months": matching(rf"{NUMBER}|unknown", "must be months or 'unknown'"),
    "applicant_sex": set_of(*SEXES),
    "applicant_age_group": set_of(*AGE_GROUPS),
    "applicant_birth_years": matching(
        r"(?:\d{4}|unknown)(?:;\d{4})*(?:;unknown)?", "must be years joined by ';', or 'unknown'"
    ),
    "applicant_nationality_scope": one_of("single", "multiple", "unknown"),
    "beneficiary_type": set_of(*BENEFICIARIES),
    "has_joint_beneficiary": one_of("yes", "not_found", "unknown"),
    "gdp_per_capita_current_usd": matching(NUMBER, "must be a number in US dollars"),
    "gdp_constant_2015_usd": matching(NUMBER, "must be a number in US dollars"),
    "y_amount_eur": matching(NUMBER, "must be a non-negative number in euros"),
    "y_binary": one_of("0", "1"),
    "target_status": one_of(
        "retained_label",
        "corrected_amount",
        "mixed_head_reference_label",
        "unresolved_reference_label",
    ),
}

SCHEMA = pa.DataFrameSchema(COLUMNS, strict=True, ordered=True)


def split_as_recomputed(cases: pd.DataFrame) -> pd.Series:
    sizes = tuple(int((cases["split"] == name).sum()) for name in splits.SPLITS)
    return cases["split"] == splits.chronological(cases["judgment_date"], cases["case_id"], sizes)


def one_code_per_state(cases: pd.DataFrame) -> pd.Series:
    codes = cases.groupby("respondent_state")["country_alpha2"].transform("nunique")
    states = cases.groupby("country_alpha2")["respondent_state"].transform("nunique")
    return (codes == 1) & (states == 1)


def distinct_articles(cases: pd.DataFrame) -> pd.Series:
    return cases["violated_articles"].str.split(";").map(lambda codes: len(set(codes)))


# Each rule: the columns whose values are shown, what must hold, a mask of the rows where it does.
RULES = {
    "judgment_year": (
        ["judgment_date", "judgment_year"],
        "judgment_year must be the year of judgment_date",
        lambda c: c["judgment_date"].str[:4] == c["judgment_year"],
    ),
    "formation": (
        ["hudoc_decision_body", "court_formation", "is_grand_chamber"],
        "decision body, court_formation and is_grand_chamber must name the same formation",
        lambda c: (
            (c["hudoc_decision_body"].map(FORMATIONS) == c["court_formation"])
            & ((c["court_formation"] == "Grand Chamber") == (c["is_grand_chamber"] == "yes"))
        ),
    ),
    "state": (
        ["respondent_state", "country_alpha2"],
        "a respondent state must have one country code, and a code one state",
        one_code_per_state,
    ),
    "articles": (
        ["violated_articles", "violated_articles_count"],
        "violated_articles_count must be the number of distinct codes, none of them twice",
        lambda c: (
            (distinct_articles(c) == c["violated_articles_count"].astype(int))
            & (distinct_articles(c) == c["violated_articles"].str.split(";").map(len))
        ),
    ),
    "violations": (
        ["num_violations_found", "violated_articles_count"],
        "num_violations_found must be at least violated_articles_count",
        lambda c: c["num_violations_found"].astype(int) >= c["violated_articles_count"].astype(int),
    ),
    "beneficiary": (
        ["beneficiary_type", "has_joint_beneficiary"],
        "has_joint_beneficiary must follow beneficiary_type",
        lambda c: (
            c["has_joint_beneficiary"]
            == c["beneficiary_type"].map(
                lambda kinds: (
                    "unknown"
                    if kinds == "unknown"
                    else "yes"
                    if "joint" in kinds.split(";")
                    else "not_found"
                )
            )
        ),
    ),
    "view": (
        ["split", "test_view"],
        "test_view must be ID or OOD in test and not_applicable elsewhere",
        lambda c: (c["split"] == "test") == (c["test_view"] != "not_applicable"),
    ),
    "challenging": (
        ["split", "court_formation", "hudoc_application_count", "test_challenging_view"],
        "test_challenging_view must be as recomputed (Grand Chamber, or several applications and "
        "several articles, in test)",
        lambda c: (c["test_challenging_view"] == "yes") == splits.challenging(c),
    ),
    "split": (
        ["judgment_date", "split"],
        "split must be chronological by (judgment_date, case_id)",
        split_as_recomputed,
    ),
    "target": (
        ["y_amount_eur", "y_binary"],
        "y_binary must be 1 where y_amount_eur is above 0, else 0",
        lambda c: (c["y_amount_eur"].astype(float) > 0) == (c["y_binary"] == "1"),
    ),
}


def violations(cases: pd.DataFrame) -> list[Problem]:
    """Everything in which a table departs from the schema.

    Args:
        cases: the file's cells as strings, one row a case, indexed from 0 in file order.

    Returns:
        One problem per column check or rule that fails, its offenders with line, case and value.
        Cross-column rules are checked once every column passes, as they read the columns' values.
    """
    cases = cases.fillna("")
    try:
        SCHEMA.validate(cases, lazy=True)
    except pa.errors.SchemaErrors as errors:
        return _column_problems(cases, errors.failure_cases)
    problems = []
    for columns, must, holds in RULES.values():
        broken = cases.index[~holds(cases).astype(bool)]
        if len(broken):
            shown = cases.loc[broken[:SHOWN], columns]
            offenders = tuple(
                f"{_place(cases, i)}: " + ", ".join(f"{k} {v!r}" for k, v in row.items())
                for i, row in shown.iterrows()
            )
            problems.append(Problem(must, offenders, len(broken)))
    return problems


def _place(cases: pd.DataFrame, index: int) -> str:
    return f"line {index + 2}, {cases.at[index, 'case_id'] if 'case_id' in cases else '?'}"


def _column_problems(cases: pd.DataFrame, failures: pd.DataFrame) -> list[Problem]:
    problems = []
    absent = [name for name in COLUMNS if name not in cases]
    unknown = [name for name in cases if name not in COLUMNS]
    if absent:
        problems.append(Problem(f"missing columns: {', '.join(absent)}"))
    if unknown:
        problems.append(Problem(f"unknown columns: {', '.join(map(str, unknown))}"))
    if not absent and not unknown and list(cases) != list(COLUMNS):
        problems.append(Problem("the columns are not in the release's order"))
    cells = failures[failures["index"].notna() & failures["column"].isin(list(COLUMNS))]
    for (column, check), group in cells.groupby(["column", "check"], sort=False):
        must = "must be unique" if check == "field_uniqueness" else check
        rows = group["index"].astype(int)
        offenders = tuple(f"{_place(cases, i)}: {cases.at[i, column]!r}" for i in rows.iloc[:SHOWN])
        problems.append(Problem(f"{column} {must}", offenders, len(rows)))
    return problems
