"""`npd data fetch` against a stand-in on loopback that answers well and badly."""

import hashlib
import http.server
import threading

import pytest

from lib import release
from lib.errors import UserError

BODY = bytes(range(256)) * 2000
CUT = 3 * 2**16  # where the stand-in cuts a connection; the download writes blocks of 2**16


@pytest.fixture
def server(monkeypatch):
    """Answers by `plan`, a list of what to do next; the whole file once the plan is used up."""

    class Handler(http.server.BaseHTTPRequestHandler):
        plan, asked = [], []

        def do_GET(self):
            self.asked.append(self.headers.get("Range"))
            step = self.plan.pop(0) if self.plan else "whole"
            if isinstance(step, int):
                self.send_error(step)
                return
            start = 0
            if self.headers.get("Range") and step != "no range":
                start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(BODY) - start))
            self.end_headers()
            rest = BODY[start:] if step != "other" else BODY[::-1]
            self.wfile.write(rest[:CUT] if step == "cut" else rest)

        def log_message(self, *_):
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    monkeypatch.setattr(release, "HASHES", {"case_level.csv": hashlib.sha256(BODY).hexdigest()})
    monkeypatch.setattr(release.time, "sleep", lambda _: None)
    running.address = f"http://127.0.0.1:{running.server_port}/data/"
    running.handler = Handler
    yield running
    running.shutdown()


@pytest.mark.parametrize(
    ("plan", "ranges"),
    [
        ([], [None]),
        ([500, 503], [None, None, None]),
        (["cut"], [None, f"bytes={CUT}-"]),
        (["cut", "no range"], [None, f"bytes={CUT}-"]),
        (["cut", 416], [None, f"bytes={CUT}-", None]),
    ],
)
def test_downloads_resumes_and_retries(server, tmp_path, plan, ranges):
    server.handler.plan, server.handler.asked = list(plan), []
    (path,) = release.fetch(tmp_path, server.address)
    assert path.read_bytes() == BODY
    assert server.handler.asked == ranges
    assert [p.name for p in tmp_path.iterdir()] == ["case_level.csv"]


def test_what_is_there_is_not_fetched_again(server, tmp_path):
    server.handler.plan, server.handler.asked = [], []
    release.fetch(tmp_path, server.address)
    release.fetch(tmp_path, server.address)
    assert len(server.handler.asked) == 1


def test_a_download_that_never_ends_keeps_its_part_and_goes_on(server, tmp_path):
    server.handler.plan = ["cut"] + [500] * 9
    with pytest.raises(UserError, match="Could not download"):
        release.fetch(tmp_path, server.address, tries=2)
    assert not (tmp_path / "case_level.csv").exists()
    server.handler.plan, server.handler.asked = [], []
    release.fetch(tmp_path, server.address)
    assert server.handler.asked == [f"bytes={CUT}-"]


def test_another_file_is_refused_and_not_kept(server, tmp_path):
    server.handler.plan = ["other"]
    with pytest.raises(UserError, match="SHA-256 differs"):
        release.fetch(tmp_path, server.address)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("address", ["absent", "refused"])
def test_no_network_is_one_line_and_what_to_do(server, tmp_path, address):
    server.handler.plan = [404]
    where = server.address if address == "absent" else "http://127.0.0.1:9/"
    with pytest.raises(UserError) as caught:
        release.fetch(tmp_path, where, tries=2)
    assert "\n" not in caught.value.summary
    assert "NPD_DATA" in caught.value.hint
    assert not (tmp_path / "case_level.csv").exists()
