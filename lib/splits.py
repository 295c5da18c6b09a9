"""The chronological split and the diagnostic views of ECtHR-NPD (paper section 3.5)."""

from __future__ import annotations

import numpy as np
import pandas as pd

SPLITS = ("train", "validation", "test")
VIEWS = ("ID", "OOD", "Challenging")


def chronological(
    judgment_date: pd.Series, case_id: pd.Series, sizes: tuple[int, int, int]
) -> pd.Series:
    """Assign cases to train, validation and test by judgment date, ties broken by item id.

    Args:
        judgment_date: shape (n,), dates or ISO strings (both sort the same way).
        case_id: shape (n,), HUDOC item ids, compared as strings.
        sizes: how many cases each split takes, in order; must add up to n.

    Returns:
        Split names on the index of ``case_id``.

    Raises:
        ValueError: where the sizes do not add up to n.

    Source: paper section 3.5 and appendix B.4.
    """
    if sum(sizes) != len(case_id):
        raise ValueError(f"split sizes {sizes} add up to {sum(sizes)}, not to {len(case_id)} cases")
    order = np.lexsort([case_id.astype(str).to_numpy(), judgment_date.to_numpy()])
    split = np.empty(len(case_id), dtype=object)
    split[order] = np.repeat(SPLITS, sizes)
    return pd.Series(split, index=case_id.index, name="split", dtype="str")


def challenging(cases: pd.DataFrame) -> pd.Series:
    """Recompute the Challenging view: Grand Chamber, or several applications and several articles.

    The paper words the second arm as "multiple applicants with multiple violations"; the release
    computes it from ``hudoc_application_count`` and the number of distinct violated articles, and
    so do we. Only test cases can be in the view.

    Returns:
        Boolean series, shape (n,).
    """
    articles = cases["violated_articles"].str.split(";").map(lambda codes: len(set(codes)))
    several = (cases["hudoc_application_count"].astype(int) > 1) & (articles > 1)
    grand_chamber = cases["court_formation"] == "Grand Chamber"
    return (cases["split"] == "test") & (grand_chamber | several)


def views(cases: pd.DataFrame) -> pd.DataFrame:
    """Membership in the test views; they overlap, since Challenging cuts across ID and OOD.

    Returns:
        Boolean frame, shape (n, 4), with columns Test, ID, OOD and Challenging.
    """
    return pd.DataFrame(
        {
            "Test": cases["split"] == "test",
            "ID": cases["test_view"] == "ID",
            "OOD": cases["test_view"] == "OOD",
            "Challenging": cases["test_challenging_view"] == "yes",
        }
    )
