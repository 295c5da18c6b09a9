"""Run one page of the report: a notebook through papermill, its failure recorded where it fails."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

# Optional parts of jsonschema and papermill that no page needs and every job would wait for: a
# string format (up to two seconds) and a file system (a tenth).
for unneeded in ("rfc3987_syntax", "pyarrow"):
    sys.modules.setdefault(unneeded, None)  # type: ignore[arg-type]

import nbformat
import papermill
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from lib.files import ROOT, keep_inside_checkout, sha256, write_text
from lib.page import Page

STARTS = 3  # tries for a notebook whose kernel dies
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def run(page: Page, folder: Path) -> bool:
    """Execute a page's notebook into ``folder/<name>.ipynb``.

    Beside it go ``runs/<name>.json`` (parameters, source hash, seconds in the kernel) or, where a
    cell fails, ``failures/<name>.json`` (the cell and its traceback) and a page that says so.

    Returns:
        Whether it went through.
    """
    failure = folder / "failures" / f"{page.name}.json"
    failure.unlink(missing_ok=True)
    start = time.perf_counter()
    try:
        notebook = execute(page)
    except PapermillExecutionError as error:
        write_json(
            failure,
            {
                "page": page.name,
                "notebook": page.source.as_posix(),
                "cell": error.cell_index,
                "source": error.source,
                "error": f"{error.ename}: {error.evalue}",
                "traceback": ANSI.sub("", "\n".join(error.traceback)),
            },
        )
        notebook = _failure_page(page, f"cell {error.cell_index} of its notebook failed")
    except RuntimeError as error:
        write_json(
            failure,
            {
                "page": page.name,
                "notebook": page.source.as_posix(),
                "cell": "?",
                "source": "",
                "error": f"the kernel died {STARTS} times",
                "traceback": str(error),
            },
        )
        notebook = _failure_page(page, "the kernel that ran its notebook died")
    seconds = time.perf_counter() - start
    if page.title:
        head = next(cell for cell in notebook.cells if cell.cell_type == "markdown")
        head.source = re.sub(
            r"^# .*", lambda _: f"# {as_markdown(page.title)}", head.source, count=1
        )
    write_text(folder / f"{page.name}.ipynb", nbformat.writes(tidy(notebook)) + "\n")
    write_json(
        folder / "runs" / f"{page.name}.json",
        {
            "notebook": page.source.name,
            "source_sha256": sha256(ROOT / page.source),
            "parameters": page.parameters,
            "kernel_seconds": round(seconds, 2),
            "outputs": outputs(notebook),
        },
    )
    return not failure.exists()


def execute(page: Page) -> NotebookNode:
    """Run a page's notebook, from the start again where its kernel dies.

    Kernels that start at the same moment may choose the same port, and one of them dies.

    Raises:
        PapermillExecutionError: where a cell fails.
        RuntimeError: where the kernel dies at every try.
    """
    attempt = partial(
        papermill.execute_notebook,
        ROOT / page.source,
        None,
        parameters=page.parameters,
        kernel_name="python3",
        cwd=ROOT,
        progress_bar=False,
    )
    for _ in range(STARTS - 1):
        with suppress(RuntimeError):  # nbclient's and jupyter_client's word for a dead kernel
            return attempt()
    return attempt()


def as_markdown(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML."""
    return re.sub(r"([^\w\s])", lambda mark: f"&#{ord(mark[1])};", " ".join(text.split()))


def outputs(notebook: NotebookNode) -> list[str]:
    """The tables and figures that an executed notebook shows, as paths in the report's folder."""
    shown = "".join(
        output.get("data", {}).get("text/html", "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )
    tables = re.findall(r'href="(tables/[^"]+)"', shown)
    drawn = re.findall(r'class="lab-figure" id="fig-([^"]+)"', shown)
    return sorted({*tables, *(f"figures/{name}.svg" for name in drawn)})


def write_json(path: Path, content: object) -> None:
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Take out times and random ids, so that same inputs give same bytes; hide the parameters."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    for i, cell in enumerate(notebook.cells):
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        tags = cell.metadata.get("tags", [])
        cell["id"] = f"cell-{i:02d}"
        if "injected-parameters" in tags:
            cell.metadata["tags"] = [*tags, "remove-cell"]
    return notebook


def _failure_page(page: Page, why: str) -> NotebookNode:
    title = next(
        (c.source for c in nbformat.read(ROOT / page.source, 4).cells if c.cell_type == "markdown"),
        "",
    ).splitlines()[:1] or [f"# {page.name}"]
    note = (
        f"{title[0]}\n\n"
        "::: {.callout-important}\n"
        f"This page could not be made: {why}. "
        "`npd report` prints the error; the other pages are not affected.\n"
        ":::\n"
    )
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(note)],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )


def store(path: Path) -> None:
    """Run a source notebook as it stands and keep its outputs in it; nbval compares with these.

    Users' prediction files take no part. Outputs that differ from run to run (tagged
    ``nbval-ignore-output``: widgets, times, versions) are left out.
    """
    os.environ["NPD_PREDICTIONS"] = os.devnull
    executed = papermill.execute_notebook(
        path, None, kernel_name="python3", cwd=path.parent, progress_bar=False
    )
    for cell in executed.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []
    write_text(path, nbformat.writes(tidy(executed)) + "\n")


if __name__ == "__main__":
    keep_inside_checkout()
    if sys.argv[1] == "--store":
        for stored in map(Path, sys.argv[2:]):
            print(stored)
            store(stored)
    else:  # a failing notebook is recorded, not raised: the other pages go on
        run(Page.from_json(sys.argv[1]), Path(sys.argv[2]))
