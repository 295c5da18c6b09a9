"""What ``npd score`` prints: metrics with intervals, coverage, and the place among systems."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from lib import leaderboard, predictions, release, tables
from lib.errors import UserError
from lib.metrics import POINT_METRICS, PROBABILISTIC_METRICS, Metric
from lib.predictions import Predictions
from lib.release import Release
from lib.systems import training
from lib.systems.registry import BASELINE, QUICK, REPORTED

NEIGHBOURS = 2  # shown on either side


def make(path: Path, profile: str = "", partial: bool | None = None) -> str:
    """Score a prediction file against a release and the systems known for it.

    Raises:
        UserError: with everything that is wrong with the file.
    """
    data = release.load(profile or None)
    mine = predictions.load(path, data, partial)
    others = known_systems(data, leave_out=path)
    scored = predictions.align([mine, *others], data)
    own = scored[scored["system"] == mine.system]
    board = leaderboard.leaderboard(own, len(data.test)).iloc[0]
    lines = [
        f"{mine.card.label} on {data.name or path_name(data)}, test split",
        f"scored {board['n']:,} of {len(data.test):,} cases (coverage {board['coverage']:.1%})",
        "",
        f"{'metric':<14}{'value':>12}   95% bootstrap interval",
    ]
    for key, metric in POINT_METRICS.items():
        form = tables.euros if metric.unit else tables.fraction
        low, high = form(board[f"{key}_low"]), form(board[f"{key}_high"])
        lines.append(f"{metric.title:<14}{_amount(board[key], metric):>12}   {low} to {high}")
    sure = leaderboard.uncertainty(own)
    for key in sure.columns[1:] if len(sure) else ():
        metric = PROBABILISTIC_METRICS[key]
        lines.append(f"{metric.title:<14}{_amount(sure[key].iloc[0], metric):>12}")
    if others:
        standing = leaderboard.standing(scored, mine.system)
        labels = {one.system: one.card.label for one in others}
        lines += ["", *_place(standing, labels)]
    if data.profile == "demo":
        lines += ["", "These are synthetic demo cases. `npd data fetch` gets the official release."]
    return "\n".join(lines)


def path_name(data: Release) -> str:
    return f"an unrecognised release ({data.path})"


def known_systems(data: Release, leave_out: Path) -> list[Predictions]:
    """Ours and the users' systems for a release, without the file being scored.

    Ours are those made from this very release, by whatever package versions; where there is none,
    those that take seconds are trained first. A user's file that does not fit, or has a name that
    is taken, is passed over.
    """
    own = [path for name in REPORTED if (path := _made_from(data, name))]
    own = own or training.ensure(data, QUICK)
    known, taken = [], {leave_out.stem}
    for path in [*own, *predictions.user_files()]:
        if path.stem in taken:
            continue
        try:
            known.append(predictions.load(path, data))
        except UserError:
            continue
        taken.add(path.stem)
    return known


def _made_from(data: Release, name: str) -> Path | None:
    path = training.folder(data.profile) / f"{name}.csv"
    try:
        card = predictions.read_card(path) if path.is_file() else None
    except UserError:
        return None
    return path if card and card.recipe.get("data_sha256") == data.sha256 else None


def _amount(value: float, metric: Metric) -> str:
    return (tables.money if metric.unit else tables.fraction)(value)


def _place(standing: pd.DataFrame, labels: dict[str, str]) -> list[str]:
    # by difference rather than MAE: pairs that share other cases have other MAEs of one's own
    standing = standing.dropna(subset="delta").sort_values("delta", ascending=False, kind="stable")
    if standing.empty:
        return ["no known system shares a case with this file"]
    place = leaderboard.rank(standing)
    lines = [
        f"rank {place} of {len(standing) + 1} by MAE, against the known systems",
        f"{'':>4} {'system':<26}{'MAE':>10}   Δ (yours − theirs), 95% interval",
    ]
    first, last = place - 1 - NEIGHBOURS, place - 1 + NEIGHBOURS
    for i, row in standing.reset_index(drop=True).iterrows():
        ahead = (standing["delta"] > row["delta"]).sum() + (row["delta"] < 0)
        rank = 1 + ahead
        if i == place - 1:
            lines.append(f"{place:>4} {'(yours)':<26}")
        if first <= i < last or row["system"] == BASELINE:
            clear = "" if row["verdict"] == "no clear difference" else " *"
            lines.append(
                f"{rank:>4} {labels[row['system']][:25]:<26}{tables.money(row['mae']):>10}   "
                f"{tables.euros(row['delta'])} ({tables.euros(row['low'])} to "
                f"{tables.euros(row['high'])}){clear}"
            )
    if place == len(standing) + 1:
        lines.append(f"{place:>4} {'(yours)':<26}")
    return [*lines, "     * clear after Holm's correction; each pair on the cases that both score"]
