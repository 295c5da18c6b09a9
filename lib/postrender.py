"""Quarto's post-render step: complete the search index, and write it as a script too.

smalldocs leaves raw HTML out of its index, where our findings, tables and cards are. And browsers
refuse to fetch ``search.json`` from ``file://``; ``assets/head.html`` loads the script instead.
"""

from __future__ import annotations

import json
import os
import sys
from html.parser import HTMLParser
from pathlib import Path

OURS = {"lab-finding", "lab-caption", "lab-table", "lab-list", "lab-metrics", "lab-columns"}
VOID = {"br", "hr", "img", "input", "link", "meta", "col", "source", "wbr"}


class Shown(HTMLParser):
    """The text inside elements of our classes."""

    def __init__(self, page: str):
        super().__init__()
        self.depth, self.parts = 0, []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = set((dict(attributes).get("class") or "").split())
        if tag not in VOID and (self.depth or named & OURS):
            self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        if self.depth and tag not in VOID:
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.depth and data.strip():
            self.parts.append(" ".join(data.split()))


def complete(entries: list[dict[str, str]], site: Path) -> None:
    """Add to each page's own entry what it shows and the index lacks."""
    for entry in entries:
        page = site / entry["href"]
        if "#" not in entry["href"] and page.is_file():
            parts = dict.fromkeys(Shown(page.read_text(encoding="utf-8")).parts)
            text = entry.get("text", "")
            entry["text"] = " ".join([text, *(part for part in parts if part not in text)])


def main() -> int:
    site = Path(os.environ.get("QUARTO_PROJECT_OUTPUT_DIR", "_site"))
    index = site / "search.json"
    if index.is_file():
        entries = json.loads(index.read_text(encoding="utf-8"))
        complete(entries, site)
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
        index.write_text(text, "utf-8")
        (site / "search-index.js").write_text(f"window.labSearchIndex = {text};\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
