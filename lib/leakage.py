"""Look through any feature table for leaks: names, single columns that tell too much, identifiers.

The input contract (:mod:`lib.features`) refuses what it knows; this audit reports what looks wrong
in a table that it does not know. It decides nothing: a finding is a question to the table's author.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from lib.errors import Problem, UserError
from lib.features import AWARD_SIDE, FORBIDDEN, public_predictors
from lib.metrics import auroc_zero

OUT_OF_LINE = 1.5  # times the strongest public predictor
ALWAYS_LOW = 0.05  # a power below this is never out of line
FOLDS, SEED = 5, 42
UNIQUE = 0.5  # share of cases with a value of their own, from which a column identifies cases


def audit(table: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Every suspicious thing about every column of a feature table.

    A column's power is what it alone tells of the award: the out-of-fold R² of a small tree (depth
    4, five folds) for log1p(y), and for the zero awards twice the distance of its out-of-fold AUROC
    from ½. It is out of line above 1.5 times the strongest of the 20 public predictors, measured on
    the same cases.

    Args:
        table: indexed by ``case_id``, any columns.
        cases: the release's rows with awards; only those in the table are used. Hand in the
            training cases where the audit decides what a system may see.

    Returns:
        One row a column: ``column``, ``power`` and ``power_zero`` (as above), ``unique_share``
        (cases whose value no other has), and ``findings``, text, "" where nothing is suspicious;
        most suspicious first.

    Raises:
        UserError: where no row of the table is a case, or an id stands there twice.
    """
    known = cases.set_index("case_id")
    table = table.loc[table.index.isin(known.index)]
    if len(table) < 10 * FOLDS:
        raise UserError(
            f"Only {len(table)} rows of the table are cases of this release; the audit needs "
            f"{10 * FOLDS}.",
            hint="Its `case_id` (or `itemid`) must be the release's.",
        )
    if table.index.has_duplicates:
        twice = sorted(set(table.index[table.index.duplicated()].astype(str)))
        raise UserError(
            "The table has more than one row for some cases:",
            [Problem("case ids given more than once", tuple(twice[:8]), len(twice))],
        )
    here = known.loc[table.index]
    y = here["y_amount_eur"].to_numpy(float)
    public = public_predictors(here.reset_index())
    usual = [power(public[name], y) for name in public]
    limits = [max(OUT_OF_LINE * max(row[i] for row in usual), ALWAYS_LOW) for i in (0, 1)]
    rows = []
    for name in table:
        column = table[name]
        told, told_zero = power(column, y)
        unique = _unique_share(column)
        found = []
        if str(name) in FORBIDDEN:
            found.append("a forbidden column of the release")
        elif AWARD_SIDE.search(str(name).lower()):
            found.append("its name looks award-side")
        if told > limits[0]:
            found.append(f"tells the award's size out of line ({told:.2f}, usual up to "
                         f"{limits[0] / OUT_OF_LINE:.2f})")  # fmt: skip
        if told_zero > limits[1]:
            found.append(f"tells zero awards out of line ({told_zero:.2f}, usual up to "
                         f"{limits[1] / OUT_OF_LINE:.2f})")  # fmt: skip
        if _identifies(column, unique):
            found.append(f"identifies cases ({unique:.0%} have a value of their own)")
        rows.append(
            {
                "column": str(name),
                "power": told,
                "power_zero": told_zero,
                "unique_share": unique,
                "findings": "; ".join(found),
            }
        )
    found = pd.DataFrame(
        rows, columns=["column", "power", "power_zero", "unique_share", "findings"]
    )
    found["clean"] = found["findings"] == ""
    order = ["clean", "power", "column"]
    return found.sort_values(order, ascending=[True, False, True], ignore_index=True).drop(
        columns="clean"
    )


def power(column: pd.Series, y: np.ndarray) -> tuple[float, float]:
    """What one column tells of the award, out of fold: R² for log1p(y), and 2·|AUROC − ½| for zero.

    Both are at least 0. Text is ranked by its frequency in the other folds' awards: a category
    becomes the mean log award of the training folds.
    """
    from sklearn.model_selection import KFold
    from sklearn.tree import DecisionTreeRegressor

    size, zero = np.log1p(y), (y == 0).astype(float)
    guessed, guessed_zero = np.empty(len(y)), np.empty(len(y))
    numeric = pd.api.types.is_numeric_dtype(column)
    for fit, held in KFold(FOLDS, shuffle=True, random_state=SEED).split(y):
        for target, out in ((size, guessed), (zero, guessed_zero)):
            if numeric:
                X = column.to_numpy(float, na_value=np.nan)[:, None]
            else:
                codes = pd.factorize(column.astype("string").fillna(""))[0]
                totals = np.bincount(codes[fit], target[fit], minlength=codes.max() + 1)
                counts = np.bincount(codes[fit], minlength=codes.max() + 1)
                mean = target[fit].mean()
                X = ((totals + 5 * mean) / (counts + 5))[codes][:, None]  # rare ones near the mean
            tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=10, random_state=SEED)
            out[held] = tree.fit(X[fit], target[fit]).predict(X[held])
    spread = np.square(size - size.mean()).sum()
    r2 = 1 - np.square(size - guessed).sum() / spread if spread > 0 else 0.0
    both = 0 < zero.sum() < len(zero)
    zeros = 2 * abs(auroc_zero(y, guessed_zero) - 0.5) if both else 0.0
    return max(float(r2), 0.0), float(zeros)


def _unique_share(column: pd.Series) -> float:
    text = column.astype("string").fillna("")
    return float((text.map(text.value_counts()) == 1).mean())


def _identifies(column: pd.Series, unique: float) -> bool:
    """Text and whole numbers of which most are their case's own; measurements may well be so."""
    if pd.api.types.is_float_dtype(column):
        whole = column.dropna()
        return unique >= UNIQUE and bool((whole == whole.round()).all())
    return unique >= UNIQUE


def read_features(path: Path) -> pd.DataFrame:
    """A feature table for the audit: CSV or Parquet with ``case_id`` (or ``itemid``).

    Raises:
        UserError: where it cannot be read or has no such column.
    """
    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    try:
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(
            path, index_col=False
        )  # fmt: skip
    except Exception as error:  # pandas and pyarrow raise many kinds
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{path} cannot be read as CSV or Parquet: {reason}") from None
    for name in ("case_id", "itemid"):
        if name in table:
            return table.assign(**{name: table[name].astype(str)}).set_index(name)
    raise UserError(f"{path} has no column `case_id` (or `itemid`).")
