"""The ``npd`` command. It parses and prints; the work is done elsewhere in ``lib``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lib.errors import UserError
from lib.judgments import commands

app = typer.Typer(
    help="Human-rights benchmark lab: check data, score predictions, make the report.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
data_app = typer.Typer(help="The benchmark's release.", no_args_is_help=True)
app.add_typer(data_app, name="data")
app.add_typer(commands.app, name="judgments")

Profile = Annotated[
    str, typer.Option(help="demo or official; by default official where the release is at hand.")
]


@data_app.command("fetch")
def data_fetch() -> None:
    """Download the official release; goes on where an interrupted download stopped."""
    from lib import release

    for path in release.fetch():
        typer.echo(path)


@data_app.command("check")
def data_check(path: Annotated[Path, typer.Argument(help="A case table, or its folder.")]) -> None:
    """List everything in which a release file departs from the schema."""
    from lib import fingerprints, release
    from lib.files import sha256

    path = path / release.CASE_TABLE if path.is_dir() else path
    problems = release.check(path)
    if problems:
        raise UserError(f"{path} is not a valid release:", problems)
    known = fingerprints.known().get(sha256(path), {}).get("name")
    typer.echo(f"{path}: valid. {f'Recognised as {known}.' if known else 'Not a known release.'}")


@data_app.command("audit")
def data_audit(
    path: Annotated[Path, typer.Argument(help="A feature table with case_id, CSV or Parquet.")],
    profile: Profile = "",
) -> None:
    """Look for leaks in a feature table: names, columns that tell too much, identifiers."""
    from lib import leakage, release

    cases = release.load(profile or None).split("train")
    found = leakage.audit(leakage.read_features(path), cases)
    suspicious = found[found["findings"] != ""]
    for row in suspicious.itertuples():
        typer.echo(f"{row.column}: {row.findings}")
    typer.echo(
        f"{len(suspicious)} of {len(found)} columns look suspicious, held against the training "
        "awards; a finding is a question, not a verdict."
    )


@app.command()
def score(
    path: Annotated[Path, typer.Argument(help="A prediction file, CSV or Parquet.")],
    profile: Profile = "",
    partial: Annotated[
        bool, typer.Option("--partial", help="Accept a file that leaves out test cases.")
    ] = False,
) -> None:
    """Score a prediction file and show where it stands among the known systems."""
    from lib import scorecard

    typer.echo(scorecard.make(path, profile, partial or None))


@app.command()
def train(
    systems: Annotated[list[str] | None, typer.Argument(help="By default all.")] = None,
    profile: Profile = "",
    cores: Annotated[int, typer.Option(help="Jobs at once; by default one per core.")] = 0,
    executor: Annotated[
        str, typer.Option(help="A Snakemake executor, such as slurm; by default this machine.")
    ] = "",
) -> None:
    """Train our systems whose prediction files are missing or out of date, under both protocols."""
    from lib import run

    try:
        paths = run.train(profile, systems or [], cores, executor)
    except KeyboardInterrupt:
        raise UserError("Interrupted; the same command goes on from here.") from None
    for path in paths:
        typer.echo(path)


@app.command()
def report(
    profile: Profile = "",
    cores: Annotated[int, typer.Option(help="Jobs at once; by default one per core.")] = 0,
    stage_only: Annotated[
        bool, typer.Option("--stage-only", help="Make the pages, leave rendering to Quarto.")
    ] = False,
) -> None:
    """Train what is missing, run the notebooks, render the site into _site/."""
    from lib import run, site

    try:
        made, failures = run.report(profile, cores, stage_only)
    except KeyboardInterrupt:
        raise UserError("Interrupted; the same command goes on from here.") from None
    for failure in failures:
        typer.echo(run.describe(failure), err=True)
    if not stage_only:
        typer.echo(f"The {made.profile} report is in {site.opening()}")
    if failures:
        raise UserError(f"{len(failures)} of {len(made.pages) + 1} pages failed; the rest is done.")


@app.command("site")
def render_site(profile: Profile = "official") -> None:
    """Render a report that is there already, without running anything again."""
    from lib import release, site

    if profile not in release.PROFILES:
        raise UserError(f"There is no profile {profile!r}.")
    site.render(profile)
    typer.echo(f"The {profile} report is in {site.opening()}")


def main() -> None:
    """Entry point: a user's mistake is printed bare and exits with 2."""
    try:
        app(standalone_mode=True)
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
