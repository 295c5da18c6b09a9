"""Reading judgments: every kind of file, bad ones too, HUDOC's stand-in, and the real corpus."""

import http.server
import io
import json
import tarfile
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pandas as pd
import pytest

from lib.errors import UserError
from lib.files import ROOT
from lib.judgments import audit, checks, corpus, hudoc, markup, sources, xmi
from lib.judgments.text import Unreadable

ARCHIVE = ROOT.parent / "shared" / "data" / "lam-echr" / "lam-echr-xmi.tar.xz"

XMI = """<?xml version="{version}" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
 xmlns:type5="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" xmlns:custom="http:///webanno/custom.ecore"
 xmi:version="2.0"><cas:NULL xmi:id="0"/>
<type5:Token xmi:id="7" sofa="1" begin="0" end="3" order="0"/>
{sentences}
<custom:LegalArgumentation xmi:id="50" sofa="1" begin="{begin}" end="{end}" Akteur="EGMR" ArgType="Subsumtion"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="{text}"/>
<cas:View sofa="1" members="7 10 11 50"/></xmi:XMI>"""


def made_xmi(first="THE FACTS", second="The Court was asked.", version="1.1", escape=""):
    """A file with two paragraphs and one argument over the second; offsets in UTF-16 units."""
    units = lambda text: len(text.encode("utf-16-le")) // 2  # noqa: E731
    one, two = units(first), units(second)
    sentences = (
        f'<type5:Sentence xmi:id="10" sofa="1" begin="0" end="{one}"/>\n'
        f'<type5:Sentence xmi:id="11" sofa="1" begin="{one + 1}" end="{one + 1 + two}"/>'
    )
    return XMI.format(version=version, sentences=sentences, begin=one + 1, end=one + 1 + two,
                      text=f"{first}&#10;{second}{escape}")  # fmt: skip


# XMI


def test_xmi_is_read_with_its_paragraphs_and_arguments():
    judgment = xmi.read("001-1", made_xmi())
    assert judgment.text == "THE FACTS\nThe Court was asked."
    assert [p.text for p in judgment.paragraphs] == ["THE FACTS", "The Court was asked."]
    [argument] = xmi.arguments(made_xmi()).to_dict("records")
    assert (argument["actor"], argument["type"]) == ("EGMR", "Subsumtion")
    assert argument["text"] == "The Court was asked."


def test_uima_offsets_count_utf16_units():
    judgment = xmi.read("001-1", made_xmi(first="THE 𝐅ACTS 😀"))
    assert [p.text for p in judgment.paragraphs] == ["THE 𝐅ACTS 😀", "The Court was asked."]
    assert "astral_characters" in judgment.notes
    assert xmi.arguments(made_xmi(first="THE 𝐅ACTS 😀"))["text"][0] == "The Court was asked."


@pytest.mark.parametrize("escape", ["&#1;", "&#x1F;", "\x02"])
def test_control_characters_of_xml_1_1_are_blanks(escape):
    judgment = xmi.read("001-1", made_xmi(escape=escape))
    assert judgment.text.endswith("asked. ")
    assert "control_characters" in judgment.notes


def test_entities_are_not_expanded(tmp_path):
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>'
        + made_xmi(version="1.0").split("?>", 1)[1]
    )
    with pytest.raises(Unreadable, match="DTD"):
        xmi.read("001-1", bomb)


# HTML and DOCX

PAGE = """<html><head><style>p{color:red}</style><script>alert("THE LAW")</script></head><body>
<p class="s1">THE FACTS</p><p onclick="x()">1.&nbsp;The <span>applicant</span> was born<br>in 1970.</p>
<table><tr><td><p>No.</p></td><td>Amount awarded for non-pecuniary damage per applicant (in euros)</td></tr>
<tr><td>1</td><td>3,000</td></tr><tr><td>2</td><td>EUR 1,500</td></tr></table><!-- a comment --></body></html>"""


def test_html_keeps_words_and_tables_and_drops_scripts():
    judgment = markup.read_html("001-1", PAGE)
    assert "alert" not in judgment.text
    assert "color" not in judgment.text
    assert judgment.text.splitlines()[:3] == [
        "THE FACTS",
        "1.\u00a0The applicant was born",
        "in 1970.",
    ]
    assert judgment.paragraphs[1].number == "1"
    assert judgment.notes == ("scripts_removed",)
    from lib.judgments import tables

    assert [one.value for one in tables.awards(judgment)] == [3000, 1500]


def test_deeply_nested_html_is_read():
    deep = "<div>" * 200 + "THE FACTS" + "</div>" * 200
    assert "THE FACTS" in markup.read_html("001-1", deep).text
    with pytest.raises(Unreadable):
        markup.read_html("001-1", deep.replace("<div>", "<div>" * 20))


def docx_bytes():
    import docx

    document = docx.Document()
    document.add_paragraph("THE FACTS")
    document.add_paragraph("1. The applicant was born in 1970.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [cell for row in table.rows for cell in row.cells],
        ["Name", "Award in respect of non-pecuniary damage (euros)", "A", "2,500"],
        strict=True,
    ):
        cell.text = text
    document.add_paragraph("Done in English.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_docx_keeps_paragraphs_and_tables_in_order():
    judgment = markup.read_docx("001-1", docx_bytes())
    assert judgment.text.splitlines()[0] == "THE FACTS"
    assert judgment.text.splitlines()[-1] == "Done in English."
    assert judgment.tables[0][1] == ("A", "2,500")


# Bad files: each has its reason, and the run goes on

BAD = {
    "001-1.xmi": (b"", "empty_file"),
    "001-2.xmi": (b" \n\n", "empty_file"),
    "001-3.xmi": (bytes(range(256)) * 20, "binary_file"),
    "001-4.txt": ("La requérante".encode("latin-1"), "wrong_encoding"),
    "001-5.xmi": (b'<?xml version="1.0"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI">', "broken_markup"),
    "001-6.docx": (b"PK\x03\x04 not a zip", "broken_markup"),
    "001-7.html": (b"<html><body><script>x</script></body></html>", "empty_file"),
    "001-8.html": (b"<p>AFFAIRE X c. FRANCE</p><p>EN FAIT</p><p>La Cour a entendu la requ\xc3\xa9rante.</p>", "not_english"),
    "001-9.txt": (b"DECISION\nAS TO THE ADMISSIBILITY OF\nthe application\nThe applicant, before the Court.\n", "decision_not_judgment"),
    "001-10.txt": (b"THE FACTS\n1. The applicant was born. The Court heard him.\n", "no_operative_provisions"),
}  # fmt: skip


def test_each_bad_file_has_a_named_reason_and_the_run_goes_on(tmp_path):
    for name, (data, _) in BAD.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "001-11.xmi").write_text(made_xmi(escape="&#1;"), "utf-8")
    corpus.run(sources.find([tmp_path]), tmp_path / "out", workers=1)
    cases = pd.read_csv(tmp_path / "out" / "cases.csv", dtype=str).set_index("file")
    review = pd.read_csv(tmp_path / "out" / "review.csv", dtype=str)
    for name, (_, reason) in BAD.items():
        assert cases.loc[name, "reason"] == reason, name
        assert reason in set(review.loc[review["file"] == name, "reason"])
        assert reason in checks.UNREADABLE or reason in checks.EXCLUDED
    assert "control_characters" in set(review["reason"])


def test_utf16_with_its_mark_is_read(tmp_path):
    path = tmp_path / "001-1.txt"
    path.write_bytes("THE FACTS\n1. x".encode("utf-16"))
    assert sources.read(path).text.startswith("THE FACTS")


def test_names_of_files_never_become_ids_with_odd_characters(tmp_path):
    assert sources.case_id_of(Path("../../=cmd|x.txt")) == "-cmd-x"
    assert sources.case_id_of(Path("x/CASE 001-57574 (eng).html")) == "001-57574"


def test_a_thousand_applicants_are_read_in_seconds(tmp_path):
    rows = "".join(f"<tr><td>{n}</td><td>EUR 1,000</td></tr>" for n in range(1000))
    page = (
        "<p>JUDGMENT</p><p>PROCEDURE</p><p>1. The case originated in an application lodged by 1000 Turkish nationals (“the applicants”).</p>"
        "<p>THE FACTS</p><p>2. They were born.</p><p>THE LAW</p><p>3. There has been a violation.</p>"
        "<p>APPLICATION OF ARTICLE 41 OF THE CONVENTION</p><p>4. They claimed money for non-pecuniary damage.</p>"
        "<p>FOR THESE REASONS, THE COURT</p><p>1. Holds that there has been a violation of Article 6 of the Convention;</p>"
        "<p>2. Holds that the respondent State is to pay the amounts in the appendix;</p><p>Done in English</p><p>APPENDIX</p>"
        f"<table><tr><td>No</td><td>Amount awarded for non-pecuniary damage</td></tr>{rows}</table>"
    )
    path = tmp_path / "001-1.html"
    path.write_text(page, "utf-8")
    record = corpus.process(path)
    assert record["amount"] == 1_000_000
    assert "many_applicants" in {one["reason"] for one in record["review"]}


def test_an_archive_is_whole_for_everyone_who_unpacks_it_at_once(tmp_path, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr(corpus, "ROOT", tmp_path)
    archive = tmp_path / "many.tar.gz"
    texts = {f"gold/001-{n}.xmi": made_xmi() for n in range(300)}
    with tarfile.open(archive, "w:gz") as tar:
        for name, text in texts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))

    def sizes(_):
        return sorted(path.stat().st_size for path in corpus.unpack(archive).rglob("*.xmi"))

    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(sizes, range(4)))
    assert all(one == sorted(len(text.encode()) for text in texts.values()) for one in seen)


# HUDOC, against a stand-in that answers like it


class HudocStandIn(http.server.BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012 (one server, reset by the fixture)
    failures: dict[str, int] = {}  # noqa: RUF012

    def do_GET(self):
        url = urlparse(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if url.path == "/app/query/results":
            ids = [f"001-{n}" for n in range(100, 103)]
            wanted = [one for one in ids if f'"{one}"' in query["query"]] or ids
            start, length = int(query["start"]), min(int(query["length"]), 2)
            rows = [
                {"columns": {"itemid": one, "docname": "CASE OF X v. Y", "importance": "4"}}
                for one in wanted
            ]
            return self._send(
                json.dumps(
                    {"resultcount": len(wanted), "results": rows[start : start + length]}
                ).encode()
            )
        case = query["id"]
        type(self).asked.append(case)
        if case == "001-404":
            return self._send(b"", 404)
        if case == "001-500" or self.failures.get(case, 0) > 0:
            self.failures[case] = self.failures.get(case, 0) - 1
            return self._send(b"busy", 503)
        if case == "001-204":
            return self._send(b"", 200)
        if case == "001-777":
            return self._send(b"<p>THE FACTS</p><p>and no end</p>")
        if case == "001-888":
            self.send_response(200)
            self.send_header("Content-Length", "5000")
            self.end_headers()
            self.wfile.write(b"<p>broken off")
            return None
        if case == "001-999":
            time.sleep(1.5)
        return self._send(b"<p>JUDGMENT</p><p>THE FACTS</p><p>Done in English</p><p>Registrar</p>")

    def _send(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def client():
    HudocStandIn.asked, HudocStandIn.failures = [], {}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HudocStandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield hudoc.Client(f"http://127.0.0.1:{server.server_port}", pause=0.01, timeout=1)
    server.shutdown()
    server.server_close()


def test_every_failure_is_listed_and_the_rest_is_downloaded(client, tmp_path):
    wanted = [
        "001-100",
        "001-404",
        "001-500",
        "001-204",
        "001-777",
        "001-888",
        "001-999",
        "001-101",
    ]
    failures = hudoc.fetch(wanted, tmp_path, client)
    assert {one.case_id: one.reason for one in failures} == {
        "001-404": "not_found", "001-500": "download_failed", "001-204": "empty_file", "001-777": "truncated",
        "001-888": "truncated", "001-999": "download_failed",
    }  # fmt: skip
    assert sorted(path.name for path in tmp_path.glob("*.html")) == ["001-100.html", "001-101.html"]
    assert not list(tmp_path.glob("*.part"))
    assert all(one.reason in checks.UNREADABLE for one in failures)


def test_what_is_there_is_not_asked_for_again(client, tmp_path):
    hudoc.fetch(["001-100"], tmp_path, client)
    HudocStandIn.asked.clear()
    assert hudoc.fetch(["001-100", "001-101"], tmp_path, client) == []
    assert HudocStandIn.asked == ["001-101"]


def test_a_busy_server_is_asked_again(client, tmp_path):
    HudocStandIn.failures["001-100"] = 2
    assert hudoc.fetch(["001-100"], tmp_path, client) == []
    assert HudocStandIn.asked.count("001-100") == 3


def test_a_query_is_read_page_by_page(client):
    rows = client.query(hudoc.judgments_query("2012-01-01", "2012-12-31"))
    assert [row["itemid"] for row in rows] == ["001-100", "001-101", "001-102"]


def test_metadata_lands_beside_the_text(client, tmp_path):
    hudoc.fetch(["001-100"], tmp_path, client)
    assert sources.read(tmp_path / "001-100.html").metadata["importance"] == "4"


def test_ids_that_are_none_are_refused_before_anything_is_asked(client, tmp_path):
    with pytest.raises(UserError, match="etc"):
        hudoc.fetch(["001-100", "../../etc/passwd"], tmp_path, client)
    assert HudocStandIn.asked == []


def test_requests_keep_their_distance(client, tmp_path):
    client.pause = 0.1
    begun = time.monotonic()
    hudoc.fetch(["001-100", "001-101"], tmp_path, client)
    assert time.monotonic() - begun > 0.25  # four requests, three pauses at least


# The real corpus, where it is


@pytest.fixture(scope="module")
def lam(tmp_path_factory):
    if not ARCHIVE.is_file():
        pytest.skip("the LAM:ECHR archive is not beside the checkout")
    files = sources.find([corpus.unpack(ARCHIVE)])
    folder = corpus.run(files, tmp_path_factory.mktemp("lam"), workers=2)
    return {
        name: pd.read_csv(folder / f"{name}.csv", dtype={"case_id": str}).fillna(
            {"reason": "", "rationale": ""}
        )
        for name in ("cases", "segments", "sums")
    } | {"files": files}


@pytest.mark.slow
def test_parts_are_found_in_the_real_judgments(lam):
    shares = audit.found(lam["cases"], lam["segments"]).set_index("decade").loc["all"]
    assert shares["judgments"] == 314
    assert min(shares["facts"], shares["law"], shares["operative"]) >= 0.97


@pytest.mark.slow
@pytest.mark.official
def test_awards_agree_with_the_official_targets(lam, official):
    compared = audit.compare(lam["cases"], official.cases)
    result = audit.summary(compared)
    assert result["committed"] >= 0.90
    assert result["agrees"] >= 0.97
    assert result["named"] >= 0.90


@pytest.mark.slow
def test_no_real_facts_that_pass_hold_an_award_or_a_claim(lam):
    import re

    sums = lam["sums"]
    pattern = re.compile(
        r"(?i)just satisfaction|respondent State is to pay|Article 41 of the Convention"
    )
    for case_id, found in corpus.inputs(lam["files"]):
        assert not pattern.search(found.text), case_id
        own = sums[
            (sums["case_id"] == case_id) & (sums["currency"] == "EUR") & (sums["value"] >= 100)
        ]
        for value in own["value"]:
            assert not re.search(rf"(?<![\d,.])(?:EUR|€) ?{value:,.0f}(?![\d,.]\d)", found.text), (
                case_id,
                value,
            )
