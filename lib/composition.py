"""What a release is made of, split by split (paper Tables 1 and 13–16)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib import features, schema
from lib.breakdowns import articles, respondent_states
from lib.splits import SPLITS


def by_split(cases: pd.DataFrame) -> pd.DataFrame:
    """One row a split and one for all: sizes, dates and the awards' distribution.

    Returns:
        Columns ``split``, ``n``, ``first`` and ``last`` (dates), ``zero_share``,
        ``median``, ``positive_median``, ``positive_p95`` and ``largest`` (nominal euros).
    """
    rows = []
    for name in (*SPLITS, "all"):
        inside = cases if name == "all" else cases[cases["split"] == name]
        y, dates = inside["y_amount_eur"], inside["judgment_date"].dt.strftime("%Y-%m-%d")
        rows.append(
            {
                "split": name,
                "n": len(inside),
                "first": dates.min() if len(dates) else "",
                "last": dates.max() if len(dates) else "",
                "zero_share": (y == 0).mean(),
                "median": y.median(),
                "positive_median": y[y > 0].median(),
                "positive_p95": y[y > 0].quantile(0.95),
                "largest": y.max(),
            }
        )
    return pd.DataFrame(rows)


def award_curve(awards: pd.Series, points: int = 200) -> pd.DataFrame:
    """Share of cases whose award is at most x, at log-spaced x from €100 to the largest award.

    Returns:
        Columns ``award`` (euros) and ``share``; the curve starts at the share of zero awards.
    """
    x = np.geomspace(100, max(float(awards.max()), 200), points)
    share = np.searchsorted(np.sort(awards.to_numpy()), x, side="right") / len(awards)
    return pd.DataFrame({"award": x, "share": share})


def shares_by_split(cases: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    """Share of each split's cases that are in each group.

    Args:
        groups: boolean (cases × groups); may overlap.

    Returns:
        Indexed by group: ``train``, ``validation``, ``test``, and ``change`` = test − train.
    """
    shares = pd.DataFrame(
        {name: groups[(cases["split"] == name).to_numpy()].mean() for name in SPLITS}
    )
    return shares.assign(change=shares["test"] - shares["train"]).rename_axis("group")


def dimensions(cases: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The groupings along which a release is described, by name; states and articles cut short."""
    applicants = pd.cut(
        cases["num_applicants"], [0, 1, 5, 20, np.inf], labels=["1", "2–5", "6–20", "over 20"]
    )

    def flags(values: pd.Series) -> pd.DataFrame:
        return pd.get_dummies(values).astype(bool)

    return {
        "Respondent state": respondent_states(cases),
        "Violated article": articles(cases).iloc[:, :12],
        "Formation": flags(cases["court_formation"]),
        "Importance": flags(cases["case_importance"]),
        "Violation type": flags(cases["violation_type"]),
        "Applicants": flags(applicants),
    }


def shifts(cases: pd.DataFrame) -> pd.DataFrame:
    """Shares by split along every dimension: ``dimension``, ``group``, the splits, ``change``."""
    parts = {name: shares_by_split(cases, groups) for name, groups in dimensions(cases).items()}
    return pd.concat(parts, names=["dimension"]).reset_index()


def largest_shifts(shift: pd.DataFrame, top: int) -> pd.DataFrame:
    """The groups whose share changed most from train to test, largest rise first.

    Args:
        shift: from :func:`shifts`.

    Returns:
        Indexed by "dimension: group", columns ``train``, ``validation``, ``test``, ``change``.
    """
    moved = shift.loc[shift["change"].abs().sort_values(ascending=False, kind="stable").index[:top]]
    moved = moved.sort_values("change", ascending=False, kind="stable")
    labels = moved["dimension"] + ": " + moved["group"].astype(str)
    return moved.set_axis(labels, axis=0)[["train", "validation", "test", "change"]]


def dictionary() -> pd.DataFrame:
    """Every column of a release and its role: ``column``, ``role``, ``predictors`` made of it."""
    used: dict[str, list[str]] = {}
    for predictor, column in features.PREDICTORS.items():
        used.setdefault(column, []).append(predictor)

    def role(column: str) -> str:
        if column == "y_amount_eur":
            return "target"
        if column in features.FORBIDDEN:
            return "withheld from systems"
        return "predictor" if column in used else "description"

    return pd.DataFrame(
        {
            "column": list(schema.COLUMNS),
            "role": [role(column) for column in schema.COLUMNS],
            "predictors": [", ".join(used.get(column, [])) for column in schema.COLUMNS],
        }
    )
