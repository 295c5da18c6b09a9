"""The ``npd judgments`` commands. They parse and print; the work is done in the modules beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lib.errors import UserError

app = typer.Typer(
    help="From the Court's judgments to facts, awards and targets.", no_args_is_help=True
)

Places = Annotated[
    list[Path], typer.Argument(help="Judgment files (XMI, HTML, DOCX, text), or folders of them.")
]
Into = Annotated[Path, typer.Option(help="Folder for what is written.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes.")]


@app.command("fetch")
def fetch(
    ids: Annotated[
        list[str] | None, typer.Argument(help="HUDOC item ids, such as 001-57574.")
    ] = None,
    since: Annotated[
        str, typer.Option(help="All English judgments from this date on, YYYY-MM-DD.")
    ] = "",
    until: Annotated[str, typer.Option(help="… up to this date.")] = "",
    into: Into = Path("data/judgments"),
    pause: Annotated[float, typer.Option(min=0.2, help="Seconds between requests.")] = 1.0,
) -> None:
    """Download judgments from HUDOC; goes on where an interrupted download stopped."""
    import os
    import re

    from tqdm import tqdm

    from lib.judgments import hudoc

    if bool(ids) == bool(since or until):
        raise UserError("Give item ids, or --since and --until.")
    client = hudoc.Client(os.environ.get("NPD_HUDOC", hudoc.SERVER), pause)
    if not ids:
        if not all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in (since, until)):
            raise UserError("--since and --until must both be dates, YYYY-MM-DD.")
        ids = [row["itemid"] for row in client.query(hudoc.judgments_query(since, until))]
    with tqdm(total=len(set(ids)), unit=" judgments", disable=None) as bar:
        failures = hudoc.fetch(ids, into, client, lambda _: bar.update())
    typer.echo(f"{len(set(ids)) - len(failures):,} of {len(set(ids)):,} judgments are in {into}")
    if failures:
        for one in failures:
            typer.echo(f"  {one.case_id}: {one.reason} ({one.detail})", err=True)
        raise typer.Exit(1)


@app.command("read")
def read(path: Annotated[Path, typer.Argument(help="A judgment file.")]) -> None:
    """Show how a file is read: paragraphs with their numbers and offsets."""
    for paragraph in _judgment(path).paragraphs:
        typer.echo(f"{paragraph.start:>7} {paragraph.number:>4}  {paragraph.text.strip()[:100]}")


@app.command("segment")
def segment(path: Annotated[Path, typer.Argument(help="A judgment file.")]) -> None:
    """Show a judgment's parts with their paragraph numbers and offsets, as CSV."""
    from lib.judgments import segments

    judgment = _judgment(path)
    frame = segments.frame(judgment, segments.split(judgment))
    typer.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)


@app.command("extract")
def extract(
    places: Places,
    into: Into = Path("judgments-extracted"),
    workers: Workers = 2,
    audited: Annotated[
        Path | None,
        typer.Option(
            help="File with the ids of cases whose bundled award was audited, one a line."
        ),
    ] = None,
) -> None:
    """Read, segment and extract judgments into tables, with a review queue and the exclusions."""
    cases = _run(places, into, workers, audited)
    counts = cases["status"].value_counts()
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    typer.echo(f"{len(cases):,} files: {said}. Tables and review queue are in {into}")


@app.command("check")
def check(places: Places, into: Into = Path("judgments-extracted"), workers: Workers = 2) -> None:
    """Run the validation checks and print what leaves the corpus at each step (Table 10)."""
    from lib.judgments import corpus

    cases = _run(places, into, workers, None)
    typer.echo(corpus.cascade(cases).to_string(index=False))
    typer.echo(f"The review queue is {into / 'review.csv'}")


@app.command("facts")
def facts(places: Places, into: Into = Path("judgments-facts")) -> None:
    """Write the raw-text inputs (facts.jsonl) and what the redaction gate withheld (withheld.csv)."""
    import pandas as pd
    from tqdm import tqdm

    from lib import tables
    from lib.files import atomic, write_text
    from lib.judgments import corpus, sources

    files = sources.find(places)
    written, refused, rows = 0, 0, []
    with (
        atomic(into / "facts.jsonl") as part,
        part.open("w", encoding="utf-8", newline="\n") as out,
    ):
        for case_id, found in tqdm(
            corpus.inputs(files), total=len(files), unit=" files", disable=None
        ):
            rows += [
                {
                    "case_id": case_id,
                    "rule": one.rule,
                    "paragraph": one.evidence.paragraph,
                    "quote": one.evidence.quote,
                }
                for one in found.withheld
            ]
            if found.refused:
                refused += 1
                rows.append(
                    {"case_id": case_id, "rule": found.refused, "paragraph": "", "quote": ""}
                )
                continue
            out.write(
                json.dumps({"case_id": case_id, "facts": found.text}, ensure_ascii=False) + "\n"
            )
            written += 1
    withheld = pd.DataFrame(rows, columns=["case_id", "rule", "paragraph", "quote"])
    write_text(
        into / "withheld.csv", tables.neutralised(withheld).to_csv(index=False, lineterminator="\n")
    )
    typer.echo(
        f"{written:,} inputs in {into / 'facts.jsonl'}; {refused:,} refused, {len(files) - written - refused:,} unreadable"
    )


def _judgment(path: Path):
    from lib.judgments import checks, sources
    from lib.judgments.text import Unreadable

    try:
        return sources.read(path)
    except Unreadable as error:
        meaning = checks.UNREADABLE.get(error.reason, "")
        raise UserError(
            f"{path} cannot be read ({error.reason}: {meaning}). {error.detail}"
        ) from None


def _run(places: list[Path], into: Path, workers: int, audited: Path | None):
    import pandas as pd
    from tqdm import tqdm

    from lib.judgments import corpus, sources

    files = sources.find(places)
    accepted = set(audited.read_text("utf-8").split()) if audited else set()
    with tqdm(total=len(files), unit=" judgments", disable=None) as bar:
        corpus.run(files, into, accepted, workers, lambda done, of: bar.update(done - bar.n))
    return pd.read_csv(into / "cases.csv", dtype={"case_id": str}).fillna({"reason": ""})
