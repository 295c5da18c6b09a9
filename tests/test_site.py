"""The built demo site, read as files and opened in headless Chromium."""

import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlparse

import pytest
from checkout import copy_to, environment, npd

from lib import release

pytestmark = pytest.mark.slow

NASTY = "<b onclick=alert(1)>*x* [y](javascript:alert(2)) {{< include about.qmd >}} ``` $z$"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = copy_to(tmp_path_factory.mktemp("site"))
    cases = release.load("demo").test
    table = cases[["case_id"]].assign(y_pred=1000.0)
    table.to_csv(folder / "predictions" / "nasty.csv", index=False)
    card = f"name: {NASTY[:79]!r}\nfamily: '=cmd()'\nnotes: {NASTY!r}\n"
    (folder / "predictions" / "nasty.yaml").write_text(card, "utf-8")
    done = npd(folder, "report", "--profile", "demo")
    assert done.returncode == 0, done.stderr
    return folder / "_site"


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.figures, self.tags, self.text = [], set(), [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.add(tag)
        self.ids.add(found.get("id"))
        self.links += [found[key] for key in ("href", "src") if found.get(key)]
        if found.get("class") == "lab-svg":
            self.figures.append(found)

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_there(site):
    names = {p.relative_to(site).as_posix() for p in site.rglob("*.html")}
    notebooks = {"leaderboard", "award-ranges", "diagnostic-views", "respondent-states", "articles",
                 "error-buckets", "paired-bootstrap", "systems", "data-card", "methods",
                 "reproduce", "system-catboost", "system-nasty"}  # fmt: skip
    assert {"index.html", "about.html"} | {f"report/{name}.html" for name in notebooks} <= names


def test_no_broken_link_anchor_or_image(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address, anchor = urldefrag(link)
            if urlparse(address).scheme:  # another site's, or data:
                continue
            target = (path.parent / unquote(address)).resolve() if address else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (
                anchor and target in pages and unquote(anchor) not in pages[target].ids
            ):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_no_page_needs_another_host(pages):
    for path in pages:
        text = path.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)', text)
        loaded += re.findall(r'<link[^>]+rel="stylesheet"[^>]+href="(https?:[^"]+)', text)
        assert not loaded, path
    for path in {p.parent for p in pages}:
        for css in path.rglob("*.css"):
            assert "@import" not in css.read_text("utf-8"), css


def test_every_page_says_that_it_is_the_demo(pages):
    for path, page in pages.items():
        assert any("synthetic" in text for text in page.text), path


def test_figures_have_alt_text(pages):
    figures = [figure for page in pages.values() for figure in page.figures]
    assert len(figures) > 20
    for figure in figures:
        assert figure["role"] == "img"
        assert len(figure["aria-label"]) > 20


def test_names_from_users_stay_text(site, pages):
    page = pages[site / "report" / "system-nasty.html"]
    assert "b" not in page.tags - {"body"}
    assert NASTY.split(" {{")[0] in " ".join("".join(page.text).split())
    for page in pages.values():
        assert not any(link.startswith("javascript:") for link in page.links)
    csv = (site / "report" / "tables" / "systems.csv").read_text("utf-8")
    assert "'=cmd()" in csv


def test_formulas_are_mathml_and_imports_are_hidden(site, pages):
    assert "math" in pages[site / "report" / "methods.html"].tags
    for path, page in pages.items():
        assert not any(
            "open_report" in text or text.startswith("# Parameters") for text in page.text
        ), path


def test_smalldocs_check_is_clean(site):
    done = subprocess.run(
        [sys.executable, "-m", "smalldocs.cli", "check", "."], cwd=site.parent,
        env=environment(site.parent) | {"NPD_STAGED": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def chromium():
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("Chromium is not installed (Debian's package is chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(site, tmp_path_factory):
    """The site under a sub-path of a server, as on a project's pages."""
    root = tmp_path_factory.mktemp("www")
    (root / "lab").symlink_to(site)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/lab"
    server.shutdown()


@pytest.fixture
def tab(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield context.new_page()
    context.close()


@pytest.mark.browser
def test_every_page_opens_without_an_error_and_fits_a_phone(chromium, served, site, pages):
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    tab, wrong = context.new_page(), []
    tab.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    # leaving a page cuts off its icon, which is no failure of the page
    tab.on("requestfailed", lambda r: "ABORTED" in r.failure or wrong.append(f"failed: {r.url}"))
    tab.on(
        "request", lambda r: None if r.url.startswith((served, "data:")) else wrong.append(r.url)
    )
    tab.on("dialog", lambda d: (wrong.append(f"dialog: {d.message}"), d.dismiss()))
    for path in pages:
        name = path.relative_to(site).as_posix()
        tab.goto(f"{served}/{name}")
        wide = tab.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        wrong += [f"{name} is {wide} px too wide"] if wide > 1 else []
    context.close()
    assert not wrong


@pytest.mark.browser
def test_tables_sort(tab, served):
    tab.goto(f"{served}/report/leaderboard.html")
    head = tab.locator("#tbl-leaderboard th", has_text="Bias").first
    column = head.evaluate("h => h.cellIndex")

    def values():
        cells = tab.locator(f"#tbl-leaderboard tbody tr td:nth-child({column + 1})")
        texts = [
            t.replace(",", "").replace("−", "-").replace("€", "") for t in cells.all_inner_texts()
        ]
        return [float(t) for t in texts if t != "–"]

    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())
    assert values()[0] < 0
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)


@pytest.mark.browser
@pytest.mark.parametrize("where", ["served", "folder"])
def test_search_finds_a_state(tab, served, site, where):
    tab.goto(f"{served}/index.html" if where == "served" else f"file://{site}/index.html")
    box = tab.locator("input[type=search], .smalldocs-search input, #quarto-search input").first
    box.click()
    box.type("Ukraine")
    result = tab.locator("a.search-result", has_text="Respondent states").first
    result.locator("mark", has_text="Ukraine").first.wait_for(timeout=5000)
    result.click()
    tab.wait_for_url("**/report/respondent-states.html*")


@pytest.mark.browser
def test_dark_mode_toggles_and_is_readable(tab, served):
    tab.goto(f"{served}/report/leaderboard.html")
    root = tab.locator("html")
    assert "quarto-dark" not in (root.get_attribute("class") or "")
    tab.locator(".quarto-color-scheme-toggle").first.click()
    tab.wait_for_function("document.documentElement.classList.contains('quarto-dark')")
    contrast = """() => {
      const light = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
        .map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
      const back = light(getComputedStyle(document.body).backgroundColor);
      return ['p.lab-finding', 'svg.lab-svg text', '#tbl-leaderboard td.num'].map(s => {
        const e = document.querySelector(s), style = getComputedStyle(e);
        const front = light(s.includes('svg') ? style.fill : style.color);
        return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05); });
    }"""
    tab.wait_for_timeout(300)
    assert min(tab.evaluate(contrast)) >= 4.5
