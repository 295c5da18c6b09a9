"""A judgment as a page: its parts in colours, its evidence marked."""

from __future__ import annotations

import html
from collections.abc import Iterable

from lib.judgments.extract import Extraction
from lib.judgments.segments import Segment

TITLES = {
    "header": "Header", "procedure": "Procedure", "facts": "Facts", "commission": "Before the Commission",
    "submissions": "Submissions", "law": "Law", "article_41": "Article 41", "operative": "Operative provisions",
    "end": "Formalities", "opinions": "Separate opinions", "appendix": "Appendix",
}  # fmt: skip
INPUT = ("procedure", "facts")  # what a system may read; the rest is for targets or for nobody


def marks(found: Extraction) -> list[tuple[int, int, str]]:
    """Evidence spans: start, end, what was read there; overlapping ones are left out."""
    spans = [
        (one.start, one.end, f"{where}: {one.head.replace('_', '-') or 'no head named'}")
        for where, awards in (("claim", found.claims), ("award in the reasoning", found.reasoned),
                              ("award ordered", found.ordered))
        for one in awards
    ]  # fmt: skip
    if found.rationale and found.rationale.evidence:
        evidence = found.rationale.evidence
        spans.append((evidence.start, evidence.end, f"reason for no award: {found.rationale.name}"))
    if found.applicants.evidence:
        evidence = found.applicants.evidence
        spans.append((evidence.start, evidence.end, f"{found.applicants.count} applicants"))
    kept: list[tuple[int, int, str]] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def page(found: Extraction, text: bool = True) -> str:
    """HTML of the judgment, everything from outside escaped.

    Args:
        text: whether the words are shown; without them the parts stand with their length only.
    """
    spans = marks(found)
    parts = [_part(found, segment, spans, text) for segment in found.segments]
    return '<div class="lab-judgment">' + "".join(parts) + "</div>"


def _part(
    found: Extraction, segment: Segment, spans: list[tuple[int, int, str]], text: bool
) -> str:
    inside = found.judgment.paragraphs[segment.first : segment.last + 1]
    title = TITLES[segment.name] + (f" · {segment.part.replace('_', ' ')}" if segment.part else "")
    role = "input" if segment.name in INPUT else "withheld"
    said = f"{len(inside)} paragraph{'s' * (len(inside) > 1)}, {inside[-1].end - inside[0].start:,} characters"
    numbers = [p.number for p in inside if p.number]
    if numbers:
        same = numbers[0] == numbers[-1]
        said += f", § {numbers[0]}" if same else f", §§ {numbers[0]}–{numbers[-1]}"
    here = [span for span in spans if inside[0].start <= span[0] < inside[-1].end]
    if text:
        body = "".join(
            f"<p>{_marked(found.judgment.text, p.start, p.end, here)}</p>" for p in inside
        )
    else:
        body = (
            "<ul>" + "".join(f"<li>{html.escape(what)}</li>" for _, _, what in here) + "</ul>"
            if here
            else ""
        )
    return (
        f'<section class="lab-part lab-part-{segment.name.replace("_", "-")}">'
        f"<h4>{html.escape(title)} <small>{role} · {said}</small></h4>{body}</section>"
    )


def _marked(text: str, start: int, end: int, spans: Iterable[tuple[int, int, str]]) -> str:
    pieces, at = [], start
    for begin, stop, what in spans:
        begin, stop = max(begin, start), min(stop, end)
        if begin < stop and begin >= at:
            pieces.append(html.escape(text[at:begin]))
            pieces.append(
                f'<mark title="{html.escape(what)}">{html.escape(text[begin:stop])}</mark>'
            )
            at = stop
    pieces.append(html.escape(text[at:end]))
    return "".join(pieces)
