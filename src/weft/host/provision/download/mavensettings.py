"""Maven's settings: mirrors, proxies, credentials and the local repository, as settings.xml has them."""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

from weft.errors import MissingError
from weft.host.provision.download import registries
from weft.host.provision.download.route import DownloadAddress, Route


@dataclass(frozen=True)
class MavenSettings:
    """The files' roots: of the user, then of the machine. The first that sets something decides."""

    roots: Sequence[ElementTree.Element]

    def repositories(self) -> list[DownloadAddress]:
        """Base URLs in the order in which Maven asks them, after mirrors, with proxies and credentials."""
        found = [self._mirrored(name, url) for name, url in self._given().items()]
        return [DownloadAddress(url, self._route(name, url)) for name, url in dict.fromkeys(found) if url]

    def local_repository(self) -> Path:
        """Where Maven keeps what it has downloaded."""
        given = self._first("localRepository")
        return Path(given).expanduser() if given else Path.home() / ".m2" / "repository"

    def offline(self) -> bool:
        return self._first("offline") == "true"

    def _given(self) -> dict[str, str]:
        """Repositories of active profiles, then central, by their IDs."""
        active = {text for root in self.roots for text in _texts(root, "activeProfiles/activeProfile")}
        profiles = [profile for root in self.roots for profile in root.iterfind("profiles/profile")]
        found: dict[str, str] = {}
        for profile in profiles:
            if profile.findtext("id") in active or profile.findtext("activation/activeByDefault") == "true":
                for each in profile.iterfind("repositories/repository"):
                    found.setdefault(_text(each, "id"), _text(each, "url"))
        return found if "central" in found else {**found, "central": registries.maven_repository()}

    def _mirrored(self, name: str, url: str) -> tuple[str, str]:
        """The ID and URL of the first mirror of a repository, or its own."""
        for mirror in self._all("mirrors/mirror"):
            if _text(mirror, "blocked") != "true" and _mirrors(_text(mirror, "mirrorOf"), name, url):
                return _text(mirror, "id"), _text(mirror, "url").rstrip("/")
        return name, url.rstrip("/")

    def _route(self, name: str, url: str) -> Route:
        return Route(proxy=self._proxy(url), user=self._user(name))

    def _proxy(self, url: str) -> str | None:
        """The first active proxy, empty for a host that it excludes; None without one, for those of the environment."""
        for proxy in self._all("proxies/proxy"):
            if _text(proxy, "active") in {"", "true"}:
                excluded = re.split(r"[|,]", _text(proxy, "nonProxyHosts"))
                host = urlsplit(url).hostname or ""
                return (
                    ""
                    if any(fnmatchcase(host, pattern.strip()) for pattern in excluded)
                    else _proxy_url(proxy)
                )
        return None

    def _user(self, name: str) -> tuple[str, str] | None:
        for server in self._all("servers/server"):
            if _text(server, "id") == name and _text(server, "username"):
                return _text(server, "username"), _password(server)
        return None

    def _all(self, path: str) -> list[ElementTree.Element]:
        return [found for root in self.roots for found in root.iterfind(path)]

    def _first(self, path: str) -> str:
        return next((text for root in self.roots if (text := _text(root, path))), "")


def load() -> MavenSettings:
    """Of the user and of the Maven on PATH or of the machine. Raises MissingError, which names a file that is not XML."""
    program = shutil.which("mvn")
    machine = [Path(program).resolve().parents[1] / "conf"] if program else []
    paths = [Path.home() / ".m2", *machine, Path("/etc/maven")]
    found = list(dict.fromkeys((path / "settings.xml").resolve() for path in paths))
    return MavenSettings([_read(path) for path in found if path.is_file()])


def _read(path: Path) -> ElementTree.Element:
    try:
        # namespaces differ by version; Maven ignores them too
        text = re.sub(rb'\sxmlns(:\w+)?="[^"]*"|\sxsi:\w+="[^"]*"', b"", path.read_bytes())
        root = ElementTree.fromstring(text)  # noqa: S314 - the user's own file
    # ValueError: an encoding that it cannot read
    except (OSError, ValueError, ElementTree.ParseError) as error:
        raise MissingError(
            f"Maven's settings {path} are not readable: {error}", hint="correct the file"
        ) from error
    return root


def _mirrors(pattern: str, name: str, url: str) -> bool:
    """Whether a mirrorOf covers a repository (Maven's guide, "Using Mirrors for Repositories")."""
    local = urlsplit(url).scheme == "file" or urlsplit(url).hostname in {"localhost", "127.0.0.1"}
    covered = False
    for word in (part.strip() for part in pattern.split(",")):
        if word == f"!{name}":
            return False
        external = word == "external:*" and not local
        plain = word == "external:http:*" and not local and urlsplit(url).scheme == "http"
        covered = covered or word in {name, "*"} or external or plain
    return covered


def _proxy_url(proxy: ElementTree.Element) -> str:
    user = _text(proxy, "username")
    login = f"{quote(user, safe='')}:{quote(_password(proxy), safe='')}@" if user else ""
    return f"http://{login}{_text(proxy, 'host')}:{_text(proxy, 'port') or 8080}"


def _password(element: ElementTree.Element) -> str:
    text = _text(element, "password")
    if re.search(r"(?<!\$)\{.+\}", text):
        raise MissingError(
            "a password in Maven's settings is encrypted, which only Maven can read",
            hint="write ${env.NAME} there and set the variable",
        )
    return text


def _text(element: ElementTree.Element, path: str) -> str:
    return _expanded((element.findtext(path) or "").strip())


def _texts(element: ElementTree.Element, path: str) -> list[str]:
    return [_expanded((found.text or "").strip()) for found in element.iterfind(path)]


def _expanded(text: str) -> str:
    """With ${env.NAME} and ${user.home}; any other $ is a character, such as of a password."""
    text = text.replace("${user.home}", str(Path.home()))
    return re.sub(r"\$\{env\.(\w+)\}", lambda found: os.path.expandvars(f"${{{found[1]}}}"), text)
