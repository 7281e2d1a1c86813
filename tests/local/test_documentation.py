"""The documentation builds as a site without warnings, and every link of it holds, also from a file."""

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


@pytest.mark.long
@needs("chromium")
def test_search_finds_from_a_file(site: Path) -> None:
    argv = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000"]
    address = f"file://{site}/index.html?q=metadata"
    page = subprocess.run([*argv, "--dump-dom", address], capture_output=True, text=True, check=True).stdout
    assert "matching documents" in page
    assert 'href="docs/guide/scratch.html' in page or "docs/guide/scratch.html?h=" in page
