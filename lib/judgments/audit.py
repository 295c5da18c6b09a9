"""Agreement of the pipeline with a release's targets, for the corpus and audit notebooks."""

from __future__ import annotations

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from lib.judgments import checks

SAME = 0.5  # euros: equal to the euro
PARTS = ("procedure", "facts", "law", "article_41", "operative", "opinions")


def compare(cases: pd.DataFrame, targets: pd.DataFrame) -> pd.DataFrame:
    """The pipeline's cases that have an official target, one row each.

    Args:
        cases: as :func:`lib.judgments.corpus.run` writes them (``cases.csv``).
        targets: a release's cases.

    Returns:
        ``cases`` with ``official`` (euros), ``committed`` and ``agrees`` (committed and equal to
        the euro).
    """
    official = targets.set_index("case_id")["y_amount_eur"]
    here = cases[cases["case_id"].isin(official.index)].copy()
    here["official"] = here["case_id"].map(official)
    here["committed"] = here["status"] == "target"
    here["agrees"] = here["committed"] & ((here["amount"] - here["official"]).abs() < SAME)
    return here.reset_index(drop=True)


def summary(compared: pd.DataFrame) -> pd.Series:
    """Cases, share committed, share of those that agree, and share of zeros with a rationale."""
    committed = compared[compared["committed"]]
    zeros = committed[committed["official"] == 0]
    named = zeros["rationale"].fillna("").ne("")
    return pd.Series(
        {
            "cases": len(compared),
            "committed": compared["committed"].mean() if len(compared) else float("nan"),
            "agrees": committed["agrees"].mean() if len(committed) else float("nan"),
            "zeros": len(zeros),
            "named": named.mean() if len(zeros) else float("nan"),
        }
    )


def interval(successes: int, of: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share; (nan, nan) of nothing."""
    if not of:
        return float("nan"), float("nan")
    low, high = proportion_confint(successes, of, method="wilson")
    return float(low), float(high)


def targets_met(compared: pd.DataFrame, shares: pd.DataFrame) -> pd.DataFrame:
    """Our shares beside what this project set itself, with Wilson's 95% intervals.

    Args:
        compared: of :func:`compare`.
        shares: of :func:`found`.

    Returns:
        Columns measure, ours, low, high, cases, aim.
    """
    result, committed = summary(compared), int(compared["committed"].sum())
    measured = [
        ("the pipeline commits itself", result["committed"], len(compared), 0.90),
        ("award equal to the euro, where it commits itself", result["agrees"], committed, 0.97),
        ("reason named, of zero awards it commits to", result["named"], int(result["zeros"]), 0.90),
    ]
    every = shares[shares["decade"] == "all"]
    if len(every):
        of = int(every["judgments"].iloc[0])
        for part in ("facts", "law", "operative"):
            title = "operative provisions" if part == "operative" else part
            measured.append((f"{title} found", float(every[part].iloc[0]), of, 0.97))
    rows = []
    for measure, share, of, aim in measured:
        low, high = interval(round(share * of) if of else 0, of)
        rows.append((measure, share, low, high, of, aim))
    return pd.DataFrame(rows, columns=["measure", "ours", "low", "high", "cases", "aim"])


def by_reason(compared: pd.DataFrame) -> pd.DataFrame:
    """Why cases with an official target were not committed: reason, meaning, cases; most first."""
    counts = compared.loc[~compared["committed"], "reason"].value_counts()
    meaning = {**checks.UNREADABLE, **checks.EXCLUDED, **checks.CHECKS}
    frame = counts.rename_axis("reason").reset_index(name="cases")
    frame["meaning"] = frame["reason"].map(meaning).fillna("")
    return frame.sort_values(["cases", "reason"], ascending=[False, True])[
        ["reason", "meaning", "cases"]
    ].reset_index(drop=True)


def disagreements(compared: pd.DataFrame, sums: pd.DataFrame) -> pd.DataFrame:
    """Committed cases whose amount differs from the official one, with what was read.

    Returns:
        Columns case_id, ours, official, applicants, read ("EUR 1,000, to each, after § 3") and
        counted_once: whether the official amount times the number of applicants is ours, the sign
        of an award "to each" that the official file counts once.
    """
    apart = compared[compared["committed"] & ~compared["agrees"]].copy()
    ordered = (
        sums[(sums["where"] == "operative") & (sums["head"] == "non_pecuniary")]
        if len(sums)
        else sums
    )

    def read(case_id: str) -> str:
        own = ordered[ordered["case_id"] == case_id]
        return "; ".join(
            f"{row.currency} {row.value:,.0f}{', to each' if row.share == 'each' else ''}, after § {row.paragraph}"
            for row in own.itertuples()
        )

    apart["read"] = [read(case_id) for case_id in apart["case_id"]]
    apart["counted_once"] = [
        bool(n and n > 1 and abs(ours - official * n) < SAME)
        for ours, official, n in zip(
            apart["amount"], apart["official"], apart["applicants"].fillna(0), strict=True
        )
    ]
    kept = apart.rename(columns={"amount": "ours"})
    return kept[["case_id", "ours", "official", "applicants", "read", "counted_once"]].reset_index(
        drop=True
    )


def found(cases: pd.DataFrame, segments: pd.DataFrame) -> pd.DataFrame:
    """Share of judgments in which each part was found, by decade.

    Returns:
        One row a decade and one for ``all``: judgments, median characters, and a share for each of
        ``PARTS``.
    """
    here = cases[cases["characters"].notna()].copy()
    here["decade"] = [
        f"{int(year) // 10 * 10}s" if pd.notna(year) else "unknown" for year in here["year"]
    ]
    names = segments.groupby("case_id")["segment"].agg(set)
    for part in PARTS:
        here[part] = [part in names.get(case_id, set()) for case_id in here["case_id"]]

    def row(group: pd.DataFrame) -> dict[str, object]:
        shares = {part: float(group[part].mean()) for part in PARTS}
        return {
            "judgments": len(group),
            "median_characters": float(group["characters"].median()),
            **shares,
        }

    rows = [{"decade": decade, **row(group)} for decade, group in here.groupby("decade")]
    if len(here):
        rows.append({"decade": "all", **row(here)})
    return pd.DataFrame(rows)


def rationales(cases: pd.DataFrame) -> pd.DataFrame:
    """Table 12 for the corpus: zero-award rationales of the targets, most frequent first."""
    zeros = cases[(cases["status"] == "target") & (cases["amount"] == 0)]
    counts = zeros["rationale"].fillna("").replace("", "not named").value_counts()
    frame = counts.rename_axis("rationale").reset_index(name="cases")
    return frame.assign(share=frame["cases"] / max(frame["cases"].sum(), 1))
