"""The documentation builds as a site without warnings, and every link of it holds, also from a file."""

import json
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.needs import needs
from weft.cli.verbs import VERBS
from weft.host import settings


class _Found(HTMLParser):
    """What a page leads to, what it loads, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value for name, value in attrs if value}
        self.anchors |= {known[name] for name in ("id", "name") if name in known}
        if tag == "a" and "href" in known:
            self.links.add(known["href"])
        elif tag in {"script", "img", "link", "iframe"}:
            self.loaded |= {known[name] for name in ("src", "href") if name in known}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("documentation") / "site"
    done = subprocess.run(
        [settings.SOURCE / "tools" / "docs", out], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return out


def _lost(page: Path, link: str, anchors: dict[Path, set[str]]) -> bool:
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return True
    return bool(parts.fragment) and target in anchors and unquote(parts.fragment) not in anchors[target]


def test_every_link_holds_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {path: _Found(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 40
    anchors = {page: found.anchors for page, found in pages.items()}
    lost = [
        f"{page.relative_to(site)}: {link}"
        for page, found in pages.items()
        for link in (*found.links, *found.loaded)
        if not urlsplit(link).scheme and _lost(page, link, anchors)
    ]
    assert lost == []
    assert {link for found in pages.values() for link in found.loaded if urlsplit(link).scheme} == set()
    assert "delayed" in (site / "search" / "search_index.js").read_text()
    assert {path.name for path in (site / "man" / "man1").iterdir()} >= {f"weft-{verb}.1" for verb in VERBS}


def _looked_at(address: str) -> str:
    """The page as a browser without a window has it in the end."""
    argv = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    shown = [*argv, "--virtual-time-budget=60000", "--dump-dom", address]
    return subprocess.run(shown, capture_output=True, text=True, check=True).stdout


MEASURES = """<!DOCTYPE html><pre id="wide"></pre><pre id="seen"></pre><iframe id="frame" height="900"></iframe><script>
const pages = PAGES, frame = document.getElementById("frame"), say = (id, text) => document.getElementById(id).append(text);
frame.width = WIDTH;
frame.onload = () => {
  const shown = frame.contentDocument.documentElement;
  if (shown.querySelector("h1")) say("seen", "*");
  if (shown.scrollWidth > shown.clientWidth) say("wide", pages[0] + " ");
  pages.shift();
  if (pages.length) frame.src = pages[0];
};
frame.src = pages[0];
</script>"""
"""A page that opens others one after another in a frame, and writes down which are wider than that."""


@pytest.mark.long
@needs("chromium")
@pytest.mark.parametrize("width", [400, 1400])
def test_no_page_is_wider_than_its_window(site: Path, width: int) -> None:
    pages = [str(path.relative_to(site)) for path in sorted(site.rglob("*.html")) if path.name != "404.html"]
    wide = site / "too-wide.html"
    wide.write_text("<!DOCTYPE html><h1>wide</h1><div style='width: 1500px'>wide</div>")
    measures = site / f"measures-{width}.html"
    measures.write_text(
        MEASURES.replace("PAGES", json.dumps([*pages, wide.name])).replace("WIDTH", str(width))
    )
    found = _looked_at(f"file://{measures}")
    measures.unlink()
    wide.unlink()
    assert f'<pre id="seen">{"*" * (len(pages) + 1)}</pre>' in found
    assert f'<pre id="wide">{wide.name} </pre>' in found


@pytest.mark.long
@needs("chromium")
def test_search_finds_from_a_file(site: Path) -> None:
    page = _looked_at(f"file://{site}/index.html?q=metadata")
    assert "matching documents" in page
    assert 'href="docs/guide/scratch.html' in page or "docs/guide/scratch.html?h=" in page
