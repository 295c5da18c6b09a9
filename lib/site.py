"""Stage a report's pages and render the site, with Quarto or else smalldocs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from lib.errors import UserError
from lib.files import ROOT, report_folder, write_text

SITE = ROOT / "_site"
STAGE = ROOT / "report"
HOME = "home"  # the notebook that becomes the site's index
STAGED = "NPD_STAGED"  # set while we render, so that the pre-render script has nothing to do
BUILT = ".built"
BANNERS = {
    "demo": "Demo: every case and every figure on this site is synthetic. "
    "Run <code>npd data fetch</code> and <code>npd report</code> for the official release.",
    "official": "",
}


def stage(profile: str) -> None:
    """Lay out the pages of ``reports/<profile>`` where the renderers look for them.

    ``report/`` and ``index.ipynb`` are made anew from the report; a file that is already right is
    left alone.

    Raises:
        UserError: where the profile has no report.
    """
    source = report_folder(profile)
    if not (source / f"{HOME}.ipynb").is_file():
        raise UserError(f"There is no report in {source}.", hint="Run `npd report` first.")
    wanted: dict[Path, str] = {STAGE / "_banner.html": banner(profile)}
    for path in sorted(source.glob("*.ipynb")):
        home = path.stem == HOME
        executed = json.loads(path.read_text(encoding="utf-8"))
        option = "echo: false" if home else "code-fold: true"
        page = json.dumps(for_renderers(executed, option), ensure_ascii=False, indent=1) + "\n"
        wanted[ROOT / "index.ipynb" if home else STAGE / path.name] = page
    wanted[STAGE / "manifest.json"] = (source / "manifest.json").read_text(encoding="utf-8")
    for folder in ("tables", "figures"):
        for path in sorted((source / folder).glob("*")):
            wanted[STAGE / folder / path.name] = path.read_text(encoding="utf-8")
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
    for path in STAGE.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def banner(profile: str) -> str:
    """What stands above every page, as HTML; nothing on the official report."""
    text = BANNERS[profile]
    return f'<div class="lab-banner" role="note">{text}</div>\n' if text else "\n"


def for_renderers(notebook: dict[str, Any], code: str) -> dict[str, Any]:
    """An executed notebook in a form that both renderers show alike.

    Quarto adds scripts from a content network to any page with a ``text/html`` output, so those
    become raw blocks in Markdown.

    Args:
        notebook: as JSON has it (nbformat 4).
        code: the cell option that folds or hides code; smalldocs takes it from cells only.
    """
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        if "remove-cell" not in cell["metadata"].get("tags", []):
            cell["source"] = f"#| {code}\n{''.join(cell['source'])}"
        for output in cell["outputs"]:
            page = "".join(output.get("data", {}).get("text/html", ""))
            if page:
                page = page.replace("```", "&#96;" * 3)  # would end the block
                output["data"] = {"text/markdown": f"```{{=html}}\n{page}\n```"}
    return notebook


def render(profile: str) -> Path:
    """Stage a profile's report and render it into ``_site``, which is replaced as a whole.

    Returns:
        The site's folder.

    Raises:
        UserError: where the renderer fails, with what it said.
    """
    stage(profile)
    shutil.rmtree(SITE, ignore_errors=True)
    quarto = shutil.which("quarto")
    command = (
        [quarto, "render"]
        if quarto
        else [sys.executable, "-m", "smalldocs.cli", "render", "--quiet"]
    )
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {STAGED: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        name = "quarto" if quarto else "smalldocs"
        raise UserError(f"{name} could not render the site:\n{done.stdout}{done.stderr}".rstrip())
    write_text(SITE / BUILT, json.dumps({"profile": profile}) + "\n")
    return SITE


def opening(site: Path = SITE) -> str:
    """How to open the site, for the terminal."""
    return f"{site}\nOpen it in a browser: {(site / 'index.html').as_uri()}"


if __name__ == "__main__":
    render(sys.argv[1])
