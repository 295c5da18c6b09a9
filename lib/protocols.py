"""Compare the two protocols: fitted on train (the paper's), and refitted on train and validation.

Functions of two scored frames (:func:`lib.predictions.align`) that name systems alike.
"""

from __future__ import annotations

import pandas as pd

from lib import bootstrap, breakdowns, predictions

AS = {"train": "", "refit": " (refitted)"}  # suffix of a system in the joined frame


def joined(scored: pd.DataFrame, refitted: pd.DataFrame) -> pd.DataFrame:
    """Both protocols in one scored frame, the refitted systems under a name of their own."""
    return pd.concat(
        [scored, refitted.assign(system=refitted["system"] + AS["refit"])], ignore_index=True
    )


def compare(
    scored: pd.DataFrame,
    refitted: pd.DataFrame,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> pd.DataFrame:
    """What refitting does to every system's test MAE.

    Returns:
        Indexed by system, lowest MAE of either protocol first: ``mae_train``, ``mae_refit``, and
        ``delta`` = refitted − train, euros, with its paired 95% interval ``low``, ``high``.
    """
    names = list(refitted["system"].unique())
    pairs = [(name + AS["refit"], name) for name in names]
    errors = predictions.error_matrix(joined(scored, refitted), [n for pair in pairs for n in pair])
    table = bootstrap.paired(errors, resamples, seed, pairs=pairs)
    table = table.rename(columns={"b": "system", "mae_a": "mae_refit", "mae_b": "mae_train"})
    table["least"] = table[["mae_train", "mae_refit"]].min(axis=1)
    table = table.sort_values(["least", "system"]).set_index("system")
    return table[["mae_train", "mae_refit", "delta", "low", "high"]]


def against_baseline(
    scored: pd.DataFrame,
    refitted: pd.DataFrame,
    baseline: str,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> pd.DataFrame:
    """Every system's difference from the baseline fitted on train, as a part of its MAE.

    Returns:
        Indexed by (system, protocol), protocol "train" or "refit": ``mae`` (euros), ``relative``
        (−0.1 is 10% below), with its paired 95% bootstrap interval ``low``, ``high``.
    """
    names = list(refitted["system"].unique())
    members = [name + suffix for name in names for suffix in AS.values()]
    pairs = [(name, baseline) for name in members if name != baseline]
    errors = predictions.error_matrix(
        joined(scored, refitted), list(dict.fromkeys([*members, baseline]))
    )
    table = bootstrap.paired(errors, resamples, seed, pairs=pairs)
    rows = {}
    for row in table.itertuples():
        refit = row.a.endswith(AS["refit"])
        rows[(row.a.removesuffix(AS["refit"]), "refit" if refit else "train")] = {
            "mae": row.mae_a,
            "relative": row.delta / row.mae_b,
            "low": row.low / row.mae_b,
            "high": row.high / row.mae_b,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["system", "protocol"])


def by_group(
    scored: pd.DataFrame,
    refitted: pd.DataFrame,
    cases: pd.DataFrame,
    groups: pd.DataFrame,
    system: str,
    baseline: str,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> pd.DataFrame:
    """One system against the baseline fitted on train, in every group, under both protocols.

    Returns:
        Indexed by (protocol, group), as :func:`lib.breakdowns.differences`.
    """
    both = joined(scored, refitted)
    return pd.concat(
        {
            protocol: breakdowns.differences(
                both, cases, groups, system + suffix, baseline, resamples, seed
            )
            for protocol, suffix in AS.items()
        },
        names=["protocol"],
    )
