"""A synthetic release in the benchmark's schema, so that everything runs without the official one.

No case here is real. Every table below is a rounded aggregate of the published release (or a public
fact: state names, ratification years, GDP to two digits), or a made-up effect. Shares are
percentages in train, validation and test, so that the demo drifts as the release does.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib import splits

# Rounded published aggregate: the share of judgments delivered before the start of each year.
TIMELINE = {
    1968.5: 0, 1990: 0.3, 1999: 1.4, 2003: 4.6, 2005: 8, 2007: 15, 2009: 26, 2011: 36, 2013: 45,
    2015: 51, 2017: 59, 2019: 68, 2019.56: 70, 2021.96: 80, 2024: 90, 2026.23: 100,
}  # fmt: skip
SIZES = (0.7, 0.1, 0.2)

# State: name, shares (rounded published aggregates), year the Convention entered into force, GDP
# per capita (thousand US dollars) and GDP (billion) in 2015; then two made-up effects, on the log
# award and on the log-odds of no award.
STATES = {
    "ru": ("Russian Federation", (21, 25, 26), 1998, 9.3, 1360, 0.5, 0.4),
    "ua": ("Ukraine", (11, 20, 17), 1997, 2.1, 91, -0.6, 0.0),
    "tr": ("Turkey", (10, 4.5, 5.5), 1954, 11, 860, 0.3, 0.2),
    "pl": ("Poland", (7, 2.5, 3.5), 1993, 13, 480, -0.3, -0.5),
    "hu": ("Hungary", (4.5, 3.5, 4.5), 1992, 13, 130, 0.1, 0.2),
    "ro": ("Romania", (3.5, 3, 3.5), 1994, 9, 180, 0.2, -0.3),
    "bg": ("Bulgaria", (3.5, 3.5, 2.5), 1992, 7.3, 51, -0.3, -0.4),
    "md": ("Moldova, Republic of", (3, 5, 3), 1997, 2.7, 7.8, -0.1, -1.2),
    "hr": ("Croatia", (3, 4, 3), 1997, 12, 51, -0.3, 0.0),
    "sk": ("Slovakia", (3, 2.5, 2), 1993, 16, 89, -0.1, -0.7),
    "si": ("Slovenia", (3, 0.3, 0.3), 1994, 21, 43, -0.4, -0.8),
    "gb": ("United Kingdom", (3, 0.5, 0.2), 1953, 45, 2900, 0.0, 1.6),
    "it": ("Italy", (2.5, 0.7, 3.5), 1955, 31, 1800, 0.4, 0.0),
    "at": ("Austria", (2, 0.6, 0.4), 1958, 44, 380, 0.0, 0.3),
    "az": ("Azerbaijan", (1.5, 5, 4.5), 2002, 5.5, 53, 0.0, -0.9),
    "rs": ("Serbia", (1.5, 1.5, 2), 2004, 5.8, 41, -0.6, 0.0),
    "de": ("Germany", (1.5, 0.4, 0.3), 1953, 42, 3400, 0.0, 0.5),
    "mk": ("North Macedonia", (1.5, 1.5, 1), 1997, 5.3, 10, -0.4, 0.0),
    "lt": ("Lithuania", (1, 1.5, 0.8), 1995, 14, 42, 0.0, 0.0),
    "fi": ("Finland", (1, 0.1, 0), 1990, 43, 230, 0.0, 0.0),
    "gr": ("Greece", (1, 0.5, 2.5), 1974, 18, 190, 0.3, 0.0),
    "fr": ("France", (1, 0.5, 0.2), 1974, 37, 2400, 0.2, 0.5),
    "am": ("Armenia", (1, 2.5, 3), 2002, 3.5, 11, 0.0, -0.8),
    "lv": ("Latvia", (0.8, 0.8, 0.6), 1997, 13, 26, 0.0, 0.0),
    "ba": ("Bosnia and Herzegovina", (0.7, 2, 0.7), 2002, 4.7, 16, -0.4, 0.4),
    "nl": ("Netherlands", (0.7, 0.3, 0.3), 1954, 45, 790, 0.0, 0.8),
    "ge": ("Georgia", (0.6, 2, 2), 1999, 4.1, 15, 0.0, 0.0),
    "mt": ("Malta", (0.6, 1.5, 1), 1967, 26, 11, 0.2, 0.0),
    "ch": ("Switzerland", (0.6, 0.3, 0.4), 1974, 84, 690, 0.1, 0.6),
    "al": ("Albania", (0.5, 0.3, 2), 1996, 4.2, 11, 0.2, 0.0),
    "pt": ("Portugal", (0.5, 0.1, 0.9), 1978, 19, 200, 0.3, 0.0),
    "cy": ("Cyprus", (0.5, 0.3, 0.7), 1962, 23, 20, 0.3, 0.0),
    "cz": ("Czechia", (0.5, 0.1, 0.6), 1993, 18, 190, 0.0, 0.5),
    "se": ("Sweden", (0.5, 0.1, 0), 1953, 51, 500, 0.2, 0.0),
    "es": ("Spain", (0.4, 0.6, 0.8), 1979, 26, 1200, 0.3, 0.0),
    "me": ("Montenegro", (0.4, 1, 0.5), 2006, 6.4, 4, -0.2, 0.0),
    "ee": ("Estonia", (0.4, 0.2, 0.3), 1996, 18, 23, 0.0, 0.0),
    "no": ("Norway", (0.3, 1, 0.2), 1953, 75, 390, 0.4, 0.8),
    "be": ("Belgium", (0.3, 0.1, 0.1), 1955, 41, 460, 0.2, 0.0),
    "ie": ("Ireland", (0.2, 0.1, 0), 1953, 62, 290, 0.3, 0.0),
    "is": ("Iceland", (0.2, 0.2, 0.2), 1953, 54, 18, 0.0, 0.8),
    "dk": ("Denmark", (0.1, 0.3, 0.3), 1953, 53, 300, 0.2, 0.5),
    "li": ("Liechtenstein", (0.1, 0, 0), 1982, 170, 6.3, 0.2, 0.0),
    "lu": ("Luxembourg", (0.1, 0, 0), 1953, 105, 60, 0.2, 0.0),
    "sm": ("San Marino", (0, 0.1, 0.1), 1989, 43, 1.4, 0.2, 0.0),
}

# Rounded published aggregates: which articles are found violated together.
ARTICLES = {
    "6": (39, 21, 20), "5": (8.5, 7.5, 8), "3": (7, 7.5, 8), "6;13": (7, 4, 4.5),
    "8": (4.5, 9, 9.5), "6;P1-1": (4.5, 4.5, 3), "10": (3.5, 5, 4.5), "2": (2.5, 4.5, 3),
    "P1-1": (2.5, 6, 6), "3;13": (2, 1.5, 2.5), "3;5": (1.5, 3, 2.5), "5;6": (2, 1, 0.7),
    "2;3;5;13": (1.5, 0.8, 0), "11": (0.9, 1.5, 1), "3;6": (1, 1, 0.6), "3;13;5": (0.7, 1, 1.5),
    "8;13": (0.6, 1, 0.9), "6;13;P1-1": (0.6, 0.2, 0.1), "14;8": (0.6, 0.5, 0.6),
    "3;5;6": (0.5, 1, 0.3), "6;8": (0.5, 0.8, 0.7), "2;13": (0.5, 0.1, 0.2),
    "5;8": (0.5, 0.2, 0.1), "14;P1-1": (0.5, 0.1, 0), "3;8": (0.4, 0.5, 0.6),
    "10;6": (0.4, 0.6, 0.2), "13": (0.4, 0, 0), "11;5;6": (0.2, 0.7, 2), "2;3": (0.2, 0.9, 0.3),
    "P1-1;13": (0.2, 1, 0.4), "14;3": (0.2, 0.8, 0.5), "3;13;5;6": (0.2, 0.7, 1.5),
    "3;13;6": (0.2, 0.3, 0.5), "5;6;13": (0.2, 0.2, 0.7), "P1-3": (0.3, 0.3, 0.6),
    "34": (0.3, 0.6, 0.1), "3;34": (0.6, 0.6, 0.4), "9": (0.2, 0.5, 0.3), "9;11": (0.1, 0.3, 0.2),
    "3;13;8": (0.1, 0.2, 0.8), "11;6": (0.1, 0.2, 0.3), "2;3;5": (0.1, 0.5, 0.1),
    "10;5": (0.1, 0.5, 0.2), "10;13": (0.1, 0.3, 0.1), "3;13;5;8": (0.1, 0.1, 0.4),
    "P7-4": (0.1, 0.2, 0.3), "6;P7-4": (0.1, 0.2, 0.7), "P4-2": (0.2, 0.2, 0.4),
    "P4-2;13": (0.1, 0.1, 0.2), "7": (0.2, 0.3, 0.2), "6;7": (0.1, 0.1, 0.1),
    "P1-2": (0.2, 0.1, 0.2), "2;3;13;38": (0.4, 0.3, 0.2), "5;18": (0.1, 0.3, 0.3),
    "11;5;6;P7-2": (0, 0, 2), "10;11;5;6;P7-2": (0, 0, 1.7), "10;5;6;P7-2": (0.1, 0.2, 0.6),
    "5;6;P7-4": (0, 0.1, 0.3), "10;11;5;6": (0, 0.1, 0.7),
}  # fmt: skip

# Rounded published aggregates.
FORMATION = {"CHAMBER": (63, 34, 24), "COMMITTEE": (35, 65, 75), "GRANDCHAMBER": (2, 1, 0.5)}
COMMITTEES_SINCE = "2010-06-01"  # Protocol 14
FORMATION_NAMES = {"CHAMBER": "Chamber", "COMMITTEE": "Committee", "GRANDCHAMBER": "Grand Chamber"}
IMPORTANCE = {"low": (70, 78, 80), "medium": (21, 18, 19), "high": (4, 1, 0), "key_case": (4, 3, 1)}
SEPARATE_OPINION = {"yes": (16, 27, 24), "no": (84, 73, 76)}  # outside Committees
REPRESENTED = {"yes": (69, 90, 78), "no": (31, 10, 22)}
MIXED_OUTCOME = {"yes": (12, 9, 5), "no": (88, 91, 95)}
SEVERAL_APPLICANTS = (0.24, 0.36, 0.46)
SEVERAL_APPLICATIONS = (0.42, 0.72, 0.8)  # among cases with several applicants
TYPICAL_APPLICANTS = (2, 3, 4)  # median, where there are several
UNKNOWN_DURATION = (0.42, 0.61, 0.72)
UNKNOWN_SEX = (0.12, 0.50, 0.81)
UNKNOWN_BIRTH_YEAR = (0.17, 0.12, 0.29)
NATIONALITY = {"single": (92, 56, 23), "unknown": (7, 42, 75), "multiple": (1, 2, 2)}
BENEFICIARY = {
    "applicant": (80, 78, 78), "unknown": (17, 16, 18), "applicant;group": (1, 2, 2),
    "organisation": (1, 2, 2), "group": (0.5, 0.5, 0.5), "joint": (0.3, 0.5, 0.2),
    "applicant;joint": (0.4, 0.3, 0.1),
}  # fmt: skip

# Rounded published aggregates: the share of zero awards, and the quantiles of the positive ones.
ZERO_AWARD = (0.22, 0.25, 0.33)
QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)
AWARDS = (
    (100, 1000, 2500, 5000, 10_000, 25_000, 47_000, 150_000, 5_000_000),
    (100, 1200, 3000, 7500, 16_000, 40_000, 90_000, 460_000, 1_900_000),
    (100, 1200, 3200, 6500, 14_500, 31_000, 61_000, 177_000, 1_600_000),
)

# Made-up effects of a violated article on the log award and on the log-odds of no award.
AWARD_EFFECTS = {"2": 2.0, "3": 0.9, "5": 0.2, "6": -0.4, "10": -0.3, "P1-1": -0.4, "P7-4": -0.5}
ZERO_EFFECTS = {"2": -2.0, "3": -0.6, "10": 1.0, "11": 0.6, "34": 0.6, "14": 0.8, "P7-2": 1.0}
NOISE = 1.0  # with this much, CatBoost gains on the train median about as on the release


def generate(n: int = 3000, seed: int = 20260326) -> pd.DataFrame:
    """Make the synthetic release.

    Args:
        n: how many cases.
        seed: of the random generator; the same seed gives the same table.

    Returns:
        One row a case, sorted by ``case_id``, with the release's 33 columns in its order.
    """
    rng = np.random.default_rng(seed)
    date = _dates(rng, n)
    year = date.year.to_numpy()
    ids = pd.Series([f"900-{i:06d}" for i in rng.permutation(n) + 1])
    iso = pd.Series(date.strftime("%Y-%m-%d"))
    sizes = (round(SIZES[0] * n), round(SIZES[1] * n))
    split = splits.chronological(iso, ids, (*sizes, n - sum(sizes)))
    at = split.map(splits.SPLITS.index).to_numpy()

    ratified = np.array([state[2] for state in STATES.values()])
    shares = {code: state[1] for code, state in STATES.items()}
    country = _pick(rng, at, shares, ratified[:, None] + 3 <= year)
    state, _, _, per_capita, gdp, _, _ = zip(*map(STATES.get, country), strict=True)
    committees = date >= pd.Timestamp(COMMITTEES_SINCE)
    body = _pick(rng, at, FORMATION, np.stack([year > 0, committees, year > 0]))
    committee, grand = body == "COMMITTEE", body == "GRANDCHAMBER"
    articles = pd.Series(_pick(rng, at, ARTICLES))
    count = articles.str.count(";").to_numpy() + 1

    size = rng.lognormal(np.log(np.array(TYPICAL_APPLICANTS) - 1.3)[at], 1.2)
    several = rng.random(n) < np.array(SEVERAL_APPLICANTS)[at]
    applicants = np.where(several, 2 + size.astype(int).clip(max=300), 1)
    joined = rng.random(n) < np.array(SEVERAL_APPLICATIONS)[at]
    typical = np.array([84, 60, 24])[np.select([articles.str.contains("6"), count > 1], [0, 1], 2)]
    months = (typical * rng.lognormal(-0.3, 0.8, n)).clip(max=400).round(1)
    whole = rng.random(n) < 0.8
    months = np.where(whole, months.round(), months)
    known_duration = rng.random(n) >= np.array(UNKNOWN_DURATION)[at]
    beneficiary = pd.Series(_pick(rng, at, BENEFICIARY))

    cases = pd.DataFrame(
        {
            "case_id": ids,
            "split": split,
            "test_view": "not_applicable",
            "test_challenging_view": "no",
            "judgment_date": iso,
            "judgment_year": year,
            "respondent_state": state,
            "country_alpha2": country,
            "hudoc_decision_body": body,
            "court_formation": pd.Series(body).map(FORMATION_NAMES),
            "is_grand_chamber": np.where(grand, "yes", "no"),
            "case_importance": np.where(grand, "key_case", _pick(rng, at, IMPORTANCE)),
            "has_separate_opinion": np.where(committee, "no", _pick(rng, at, SEPARATE_OPINION)),
            "represented": _pick(rng, at, REPRESENTED),
            "hudoc_application_count": np.where(joined, applicants, 1),
            "num_applicants": applicants,
            "num_violations_found": count + rng.geometric(0.88, n) - 1,
            "has_mixed_outcome": _pick(rng, at, MIXED_OUTCOME),
            "violated_articles": articles,
            "violated_articles_count": count,
            "violation_type": _violation_types(rng, articles),
            "violation_duration_months": [
                f"{m:g}" if known else "unknown"
                for m, known in zip(months, known_duration, strict=True)
            ],
            **_people(rng, at, year, applicants),
            "applicant_nationality_scope": _pick(rng, at, NATIONALITY),
            "beneficiary_type": beneficiary,
            "has_joint_beneficiary": np.select(
                [beneficiary == "unknown", beneficiary.str.contains("joint")],
                ["unknown", "yes"],
                "not_found",
            ),
            "gdp_per_capita_current_usd": (
                1000 * np.array(per_capita) * 1.04 ** (year - 2015)
            ).round(2),
            "gdp_constant_2015_usd": (1e9 * np.array(gdp) * 1.02 ** (year - 2015)).astype("int64"),
        }
    )
    amount = _awards(rng, cases, at)
    cases["y_amount_eur"] = [f"{a:.2f}".removesuffix(".00") for a in amount]
    cases["y_binary"] = (amount > 0).astype(int)
    cases["target_status"] = "retained_label"
    cases["test_view"] = _views(rng, cases)
    cases["test_challenging_view"] = np.where(splits.challenging(cases), "yes", "no")
    return cases.sort_values("case_id", ignore_index=True)


def _pick(
    rng: np.random.Generator, at: np.ndarray, table: dict, allowed: np.ndarray | None = None
) -> np.ndarray:
    """Draw a key of a table of shares for each case.

    Args:
        rng: the random generator.
        at: shape (n,), each case's split: 0 train, 1 validation, 2 test.
        table: k values, each with its shares by split.
        allowed: shape (k, n), which values a case can take; all where it is None.

    Returns:
        Array of keys, shape (n,).
    """
    weights = np.array(list(table.values()), dtype=float)[:, at]
    if allowed is not None:
        weights = weights * allowed
    steps = weights.cumsum(axis=0)
    chosen = (rng.random(len(at)) * steps[-1] >= steps).sum(axis=0)
    return np.array(list(table), dtype=object)[chosen]


def _dates(rng: np.random.Generator, n: int) -> pd.DatetimeIndex:
    """Judgment dates along the timeline, on Tuesdays and Thursdays, as the Court delivers."""
    place = (np.arange(n) + rng.random(n)) / n * 100
    years = np.interp(place, list(TIMELINE.values()), list(TIMELINE))
    days = ((years - 1970) * 365.2425).astype("int64")
    weekday = (days + 3) % 7  # 1 January 1970 was a Thursday
    days += np.array([1, 0, 1, 0, -1, -2, -5])[weekday]
    return pd.DatetimeIndex(days.astype("datetime64[D]"))


def _violation_types(rng: np.random.Generator, articles: pd.Series) -> np.ndarray:
    """Articles 2 and 3 have a procedural limb, Article 6 is half procedural, the rest rarely."""
    codes = articles.str.split(";")
    life, ill_treatment, trial = (codes.map(set).map({c}.issubset) for c in ("2", "3", "6"))
    both = np.select([life, ill_treatment], [0.35, 0.25], 0.01)
    procedural = np.select([life, trial, ill_treatment], [0.5, 0.45, 0.13], 0.16)
    draw = rng.random(len(articles))
    return np.select([draw < both, draw < both + procedural], ["both", "procedural"], "substantive")


def _people(
    rng: np.random.Generator, at: np.ndarray, year: np.ndarray, applicants: np.ndarray
) -> dict[str, list[str]]:
    """Sexes, age groups and birth years: the sets over at most three applicants a case."""
    n = len(at)
    shown = np.arange(3) < applicants[:, None]
    age = rng.normal(44, 15, (n, 3)).clip(4, 90).astype(int)
    sex = np.where(rng.random((n, 3)) < 0.72, "male", "female")
    group = np.select([age < 13, age < 18, age < 60], ["child", "adolescent", "adult"], "elderly")
    born = (year[:, None] - age).astype(str)
    unknown_sex = rng.random(n) < np.array(UNKNOWN_SEX)[at]
    unknown_age = rng.random(n) < np.array(UNKNOWN_BIRTH_YEAR)[at]

    def sets(cells: np.ndarray, unknown: np.ndarray) -> list[str]:
        return [
            "unknown" if u else ";".join(sorted(set(row[s])))
            for row, s, u in zip(cells, shown, unknown, strict=True)
        ]

    return {
        "applicant_sex": sets(sex, unknown_sex),
        "applicant_age_group": sets(group, unknown_age),
        "applicant_birth_years": sets(born, unknown_age),
    }


def _awards(rng: np.random.Generator, cases: pd.DataFrame, at: np.ndarray) -> np.ndarray:
    """Awards: the effects and noise rank the cases of a split, its published marginals do the rest.

    Returns:
        Amounts in euros, shape (n,).
    """
    n = len(cases)
    state = cases["country_alpha2"].map(STATES)
    flags = cases["violated_articles"].str.get_dummies(";")
    represented = cases["represented"] == "yes"
    both = cases["violation_type"] == "both"
    important = cases["case_importance"].isin(["key_case", "high"])
    months = cases["violation_duration_months"].replace("unknown", "24").astype(float)
    level = (
        sum(effect * flags.get(code, 0) for code, effect in AWARD_EFFECTS.items())
        + state.str[5].astype(float)
        + 0.45 * np.log(cases["num_applicants"])
        + 0.15 * (cases["violated_articles_count"] - 1)
        + 0.25 * np.log1p(months / 24)
        + 0.3 * represented
        + 0.8 * both
        + 0.02 * (cases["judgment_year"] - 2015)
        + 0.4 * important
        + NOISE * rng.standard_normal(n)
    )
    zero = (
        sum(effect * flags.get(code, 0) for code, effect in ZERO_EFFECTS.items())
        + state.str[6].astype(float)
        + 0.4 * (cases["court_formation"] == "Committee")
        - 0.5 * represented
        - 1.2 * both
        + 0.5 * (cases["has_separate_opinion"] == "yes")
        + 0.7 * important
        + rng.logistic(size=n)
    )
    amount = np.zeros(n)
    for i, share in enumerate(ZERO_AWARD):
        mine = at == i
        paid = mine & (zero <= zero[mine].quantile(1 - share))
        place = (level[paid].rank() - 0.5) / paid.sum()
        amount[paid] = np.exp(np.interp(place, QUANTILES, np.log(AWARDS[i])))
    return np.where(amount > 0, _rounded(rng, amount, cases["judgment_year"].to_numpy()), 0)


def _rounded(rng: np.random.Generator, amount: np.ndarray, year: np.ndarray) -> np.ndarray:
    """Round figures, as the Court awards them; before the euro, converted ones with cents."""
    unit = rng.choice([1000, 500, 100, 50], len(amount), p=[0.55, 0.15, 0.25, 0.05])
    unit = np.where(amount < 1000, 50, unit)
    return np.where(year < 1999, amount.round(2), np.maximum((amount / unit).round(), 1) * unit)


def _views(rng: np.random.Generator, cases: pd.DataFrame) -> np.ndarray:
    """A third of test is ID, closer to train (single applicants, Chambers); the rest is OOD."""
    test = np.flatnonzero(cases["split"] == "test")
    weight = np.where(cases["num_applicants"] == 1, 3.0, 1.0)
    weight *= np.where(cases["court_formation"] == "Chamber", 1.5, 1.0)
    weight = weight[test] / weight[test].sum()
    view = np.full(len(cases), "not_applicable", dtype=object)
    view[test] = "OOD"
    view[rng.choice(test, round(len(test) / 3), replace=False, p=weight)] = "ID"
    return view
