"""pip's settings, from the places where pip reads them: an index, a proxy and certificates that work for pip work for weft."""

import configparser
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from weft.host import settings
from weft.host.provision.download import registries
from weft.host.provision.download.route import Route

_SECTIONS = ("global", "install", "download")
"""Later ones have precedence (pip's guide, "Configuration")."""


@dataclass(frozen=True)
class PipSettings:
    """Values by their long option, such as index-url."""

    values: Mapping[str, str] = field(default_factory=dict)

    def several(self, name: str) -> Sequence[str]:
        return self.values.get(name, "").split()

    def indexes(self) -> Sequence[str]:
        """URLs of the indexes, the main one first; none with no-index."""
        if self.values.get("no-index", "0").lower() in {"1", "true", "yes", "on"}:
            return []
        main = self.values.get("index-url") or registries.python_index()
        return [url.rstrip("/") for url in [main, *self.several("extra-index-url")]]

    def route(self, url: str) -> Route:
        """How pip would request this URL."""
        parts = urlsplit(url)
        trusted = {parts.hostname, parts.netloc.rpartition("@")[2]} & set(self.several("trusted-host"))
        return Route(
            proxy=_proxy(self.values.get("proxy")),
            trusted=_path(self.values.get("cert")) or settings.authorities(),
            verify=not trusted,
            certificate=_path(self.values.get("client-cert")),
            timeout=float(self.values.get("timeout") or self.values.get("default-timeout") or 15),
            retries=int(self.values.get("retries") or 5),
        )


def load() -> PipSettings:
    """The files of pip in order, then its variables, which have precedence."""
    variables = settings.pip()
    own = variables.get("config-file")
    found: dict[str, str] = {}
    for path in [] if own == os.devnull else _files(own):
        found |= _read(path)
    return PipSettings(found | variables)


def _files(own: str | None) -> list[Path]:
    """Of the machine, of the user, of the environment, and PIP_CONFIG_FILE."""
    user = [Path("~/.pip/pip.conf"), settings.config() / "pip" / "pip.conf"]
    paths = [Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"), *user, Path(sys.prefix) / "pip.conf"]
    return [path.expanduser() for path in [*paths, *([Path(own)] if own else [])]]


def _read(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read(path)
    except (configparser.Error, UnicodeDecodeError):
        return {}  # pip itself names the error
    sections = [dict(parser[name]) for name in _SECTIONS if parser.has_section(name)]
    # as pip: one without a value is not set
    given = [(key, text) for section in sections for key, text in section.items() if text]
    return {key.replace("_", "-"): _plain(text) for key, text in given}


def _plain(text: str) -> str:
    """Without quotes around the whole."""
    words = shlex.split(text) if text[:1] in {"'", '"'} else [text]
    return " ".join(words)


def _path(text: str | None) -> Path | None:
    return Path(text).expanduser() if text else None


def _proxy(text: str | None) -> str | None:
    """As pip reads HOST:PORT: an HTTP proxy."""
    return f"http://{text}" if text and "://" not in text else text
