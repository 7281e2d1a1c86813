"""A file in a Python package index (the simple repository API: PEP 503, PEP 691) or in one of pip's find-links."""

import json
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import url2pathname

from weft.host.provision.download import pipsettings
from weft.host.provision.download.attempts import Refused, repeated, require
from weft.host.provision.download.pipsettings import PipSettings
from weft.host.provision.download.route import DownloadAddress, shown
from weft.host.provision.download.session import Session

if TYPE_CHECKING:  # imported where something is downloaded: every command imports this module
    import httpx2

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


def sources(package: str, file: str, to: Session) -> Sequence[DownloadAddress]:
    """Where a file of a package is, best first. Raises Refused where no index has it."""
    pip = pipsettings.load()
    local = [
        DownloadAddress((folder / file).as_uri()) for folder in folders(pip) if (folder / file).is_file()
    ]
    found, reasons = [], []
    for index in pip.indexes():
        page = DownloadAddress(f"{index}/{package}/", pip.route(index))
        try:
            found += [DownloadAddress(url, pip.route(url)) for url in _files(page, file, to)]
        except Refused as refused:
            reasons.append(str(refused))
    if not local + found:
        known = ", ".join(map(shown, pip.indexes())) or "there is none"
        raise Refused("; ".join(reasons) or f"no index of pip's settings has {file}: {known}")
    return local + found


def folders(pip: PipSettings) -> list[Path]:
    """The directories of find-links."""
    given = [text for text in pip.several("find-links") if "://" not in text or text.startswith("file:")]
    paths = [url2pathname(urlsplit(text).path) if text.startswith("file:") else text for text in given]
    return [Path(path).expanduser().absolute() for path in paths]


def _files(page: DownloadAddress, file: str, to: Session) -> Iterator[str]:
    """The addresses that a page of the index has for a file."""
    response = _get(page, to)
    yield from listed(response.text, response.headers.get("Content-Type", ""), str(response.url), file)


def listed(page: str, kind: str, address: str, file: str) -> Iterator[str]:
    """The addresses that a page of this content type, from this address, has for a file."""
    if "json" in kind:
        given = [entry["url"] for entry in json.loads(page)["files"]]
    else:
        links = _Links()
        links.feed(page)
        given = links.found
    for link in given:
        url = urljoin(address, link).partition("#")[0]
        if unquote(urlsplit(url).path.rpartition("/")[2]) == file:
            yield url


def _get(page: DownloadAddress, to: Session) -> "httpx2.Response":
    answers: list[httpx2.Response] = []

    def attempt() -> None:
        response = to.client(page.route).get(page.url, headers={"Accept": ACCEPT})
        require(response, page)
        answers.append(response)

    repeated(attempt, lambda: 0, page, to)
    return answers[0]


class _Links(HTMLParser):
    """The addresses of all links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [text for name, text in attrs if name == "href" and text]
