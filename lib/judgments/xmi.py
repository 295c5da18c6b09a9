"""Judgments of LAM:ECHR, as UIMA CAS XMI files (Habernal et al. 2022).

The files hold a token annotation for every word; those are dropped before dkpro-cassis parses the
rest, which makes reading fifteen times faster.
"""

from __future__ import annotations

import re
import warnings
from functools import cache

import pandas as pd

from lib.judgments.text import Judgment, Unreadable, build

SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
ARGUMENT = "webanno.custom.LegalArgumentation"
# What is kept of a file: the text, its paragraphs ("Sentence"), the argument spans, the view.
_ELEMENT = re.compile(
    r"<(?!xmi:XMI|/xmi:XMI|cas:|type5:Sentence|custom:LegalArgumentation)[\w.-]+:[\w.-]+\b[^<>]*/>\s*"
)
_MEMBERS = re.compile(r'(<cas:View\b[^>]*?\bmembers=")([^"]*)(")')
_KEPT_IDS = re.compile(r'<(?:type5:Sentence|custom:LegalArgumentation)\b[^>]*?xmi:id="(\d+)"')
_VERSION = re.compile(r'\A\s*(<\?xml\b[^>]*?version=")1\.1(")')
# XML 1.1 allows references to control characters, XML 1.0, which lxml knows, does not.
_CONTROL = re.compile(r"&#(?:x0*(?:[1-8bcef]|1[0-9a-f])|0*(?:[1-8]|1[124-9]|2\d|3[01]));", re.I)
_RAW_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f]")


@cache
def _typesystem():
    from cassis import TypeSystem

    known = TypeSystem()
    known.create_type(SENTENCE, supertypeName="uima.tcas.Annotation")
    argument = known.create_type(ARGUMENT, supertypeName="uima.tcas.Annotation")
    for feature in ("Akteur", "ArgType"):
        known.create_feature(argument, feature, "uima.cas.String")
    return known


def _cas(markup: str):
    from cassis import load_cas_from_xmi
    from lxml.etree import XMLSyntaxError

    slim = _ELEMENT.sub("", _VERSION.sub(r"\g<1>1.0\g<2>", markup))
    kept = set(_KEPT_IDS.findall(slim))
    slim = _MEMBERS.sub(
        lambda match: match[1] + " ".join(i for i in match[2].split() if i in kept) + match[3], slim
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # types that we do not read
            # a text is one attribute, which may be longer than lxml's limit for untrusted input;
            # entities stay off, and so does the network
            return load_cas_from_xmi(slim, typesystem=_typesystem(), lenient=True)
    except XMLSyntaxError as error:
        raise Unreadable("broken_markup", str(error).split(", line")[0]) from None
    except Exception as error:  # cassis has no error class of its own
        raise Unreadable("broken_markup", f"not a CAS: {error}") from None


def read(case_id: str, markup: str) -> Judgment:
    """A judgment from the markup of an XMI file.

    UIMA offsets count UTF-16 units; those of the result count code points.

    Raises:
        Unreadable: ``broken_markup`` or ``empty_file``.
    """
    notes = []
    if re.search(r"<!(?:DOCTYPE|ENTITY)", markup[:2000]):
        raise Unreadable("broken_markup", "it declares a DTD or entities, which are not read")
    clean = _CONTROL.sub(" ", markup)
    clean = _RAW_CONTROL.sub(" ", clean)
    if clean != markup:
        notes.append("control_characters")
    cas = _cas(clean)
    text = cas.sofa_string
    if not text or not text.strip():
        raise Unreadable("empty_file", "the XMI file holds no text")
    if any(ord(character) > 0xFFFF for character in text):
        notes.append("astral_characters")
    spans = sorted({(one.begin, one.end) for one in cas.select(SENTENCE)})
    return build(case_id, text, spans=_whole(text, spans) or None, notes=tuple(notes))


def _whole(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The paragraphs: annotated spans, and lines that no annotation covers."""
    whole, end = [], 0
    for begin, stop in [*spans, (len(text), len(text))]:
        if begin < end:
            continue
        whole += [
            (end + match.start(), end + match.end())
            for match in re.finditer(r"[^\n]*\S[^\n]*", text[end:begin])
        ]
        if stop > begin:
            whole += [
                (begin + match.start(), begin + match.end())
                for match in re.finditer(r"[^\n]+", text[begin:stop])
            ]
        end = max(end, stop)
    return whole


def arguments(markup: str) -> pd.DataFrame:
    """The annotated argument spans: start, end (code points), actor, type, text."""
    cas = _cas(_RAW_CONTROL.sub(" ", _CONTROL.sub(" ", markup)))
    rows = [
        (one.begin, one.end, one.Akteur, one.ArgType, one.get_covered_text())
        for one in cas.select(ARGUMENT)
    ]
    return pd.DataFrame(rows, columns=["start", "end", "actor", "type", "text"])
