"""The documentation in a real browser: on a phone and a wide screen, light and dark; what its search finds first."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import FAINT, WIDE, Browser, browser, shown
from tests.needs import needs
from weft import __version__
from weft.host import settings

pytestmark = needs("chromium")
SHOWN = {
    "home": "index.html",
    "guide": "docs/guide/scratch.html",
    "commands": "reference/commands.html",
    "gallery": "gallery/index.html",
}
FOUND = """new Promise(done => {
  const poll = () => {
    const links = [...document.querySelectorAll(".md-search-result__item > .md-search-result__link")];
    const meta = document.querySelector(".md-search-result__meta");
    if (links.length && meta.textContent.includes("matching")) done(links.map(one => one.href));
    else setTimeout(poll, 50);
  };
  poll();
})"""
LINKED = "[...document.querySelectorAll('a[href]')].map(one => one.href)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        [settings.SOURCE / "tools" / "docs", out], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_each_kind_of_page_fits_its_window_and_can_be_read(
    site: Path, window: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    window.resize(width, 900, scheme)
    for name, page in {**SHOWN, "search": "index.html?q=shuffle"}.items():
        window.complaints.clear()
        window.open(f"{site.as_uri()}/{page}")
        if name == "search":
            assert window.ask(FOUND)
        shown(window, tmp_path / f"{name}.png", width, scheme)


def test_what_would_be_wrong_with_a_page_is_seen(tmp_path: Path, window: Browser) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><body style='background: white'><p style='width: 900px; color: #999'>faint</p>"
        "<p style='opacity: 0.5'>fainter</p><p>clear</p><img src='none.png'><script>nothing()</script></body>"
    )
    window.resize(400, 900, "light")
    window.complaints.clear()
    window.open(page.as_uri())
    needed, there = window.ask(WIDE)
    assert needed > there
    assert sorted(window.ask(FAINT)["faint"].values()) == ["faint", "fainter"]
    assert any("nothing is not defined" in one for one in window.complaints)
    assert any("none.png" in one for one in window.complaints)


@pytest.mark.parametrize("word", ["shuffle", "pool", "lustre", "scratch", "terasort"])
def test_the_search_finds_guides_before_studies(site: Path, window: Browser, word: str) -> None:
    window.resize(1400, 900, "light")
    window.open(f"{site.as_uri()}/index.html?q={word}")
    found = _paths(site, window.ask(FOUND))
    assert found[0].startswith("docs/guide/")
    studies = [
        at for at, path in enumerate(found) if path.startswith(("studies/", "bench/", "docs/decisions/"))
    ]
    guides = [at for at, path in enumerate(found) if path.startswith("docs/guide/")]
    assert max(guides) < min(studies, default=len(found)), found


def test_each_page_has_the_version_and_links_that_a_reader_can_follow(site: Path, window: Browser) -> None:
    window.resize(1400, 900, "light")
    for page in SHOWN.values():
        window.open(f"{site.as_uri()}/{page}")
        assert f"weft {__version__}" in window.ask("document.querySelector('.md-copyright').innerText")
        links = [link for link in window.ask(LINKED) if link.startswith("file:")]
        lost = [path for path in _paths(site, links) if not (site / path).exists()]
        assert lost == []
        assert any(link.endswith("/CHANGELOG.html") for link in links)
    window.open(f"{site.as_uri()}/index.html")
    window.follow("nav a[href$='docs/guide/install.html']")
    assert window.ask("document.querySelector('h1').firstChild.data.trim()") == "Install weft"


def _paths(site: Path, links: list[Any]) -> list[str]:
    """Addresses of files as paths in the site, without what is behind the name."""
    return [link.partition("?")[0].partition("#")[0].removeprefix(f"{site.as_uri()}/") for link in links]
