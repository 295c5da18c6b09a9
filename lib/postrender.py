"""Quarto's post-render step: the search index as a script, for sites that are opened from a folder.

Browsers refuse to fetch ``search.json`` from ``file://``; ``assets/head.html`` loads this instead.
"""

import json
import os
import sys
from pathlib import Path


def main() -> int:
    site = Path(os.environ.get("QUARTO_PROJECT_OUTPUT_DIR", "_site"))
    index = site / "search.json"
    if index.is_file():
        entries = json.loads(index.read_text(encoding="utf-8"))
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
        (site / "search-index.js").write_text(f"window.labSearchIndex = {text};\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
