"""How requests leave this machine: proxy, credentials, trusted certificates, patience."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from weft import __version__
from weft.errors import MissingError, why

if TYPE_CHECKING:  # imported where something is downloaded: every command imports this module
    import httpx2


@dataclass(frozen=True)
class Route:
    """The settings that a registry's own client has for it."""

    proxy: str | None = None
    """URL of the proxy; empty for none; None for those of the environment (HTTPS_PROXY, NO_PROXY)."""
    user: tuple[str, str] | None = None
    """Name and password for the registry."""
    trusted: Path | None = None
    """File or directory of certificate authorities; None for those of the system."""
    verify: bool = True
    certificate: Path | None = None
    """The client's own certificate with its key (PEM)."""
    timeout: float = 15.0
    """Seconds without a byte, as pip's default."""
    retries: int = 5
    """Failed attempts in a row without any progress, as pip's default."""

    def through(self, url: str) -> str:
        """The proxy that a URL is requested through, without credentials; empty if there is none."""
        parts = urlsplit(url)
        if self.proxy is not None:
            return shown(self.proxy)
        if proxy_bypass(parts.netloc):
            return ""
        found = getproxies()
        return shown(found.get(parts.scheme) or found.get("all") or "")


@dataclass(frozen=True)
class DownloadAddress:
    """One address of a file."""

    url: str
    route: Route = Route()


def client(route: Route) -> "httpx2.Client":
    """Raises MissingError where a certificate file cannot be read, and for a proxy of a kind that is not known."""
    import httpx2  # noqa: PLC0415

    try:
        return httpx2.Client(
            auth=route.user or _netrc(),
            proxy=route.proxy or None,
            trust_env=route.proxy is None,
            verify=context(route),
            timeout=route.timeout,
            follow_redirects=True,
            headers={"Accept-Encoding": "identity", "User-Agent": f"weft/{__version__}"},
        )
    except OSError as error:
        raise MissingError(
            f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR names are not readable: {why(error)}",
            hint="name certificates that are there, or unset the variable",
        ) from error
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        # their texts may have a part of a password
        what = "is a SOCKS proxy" if isinstance(error, ImportError) else "is not http://HOST:PORT"
        where = "pip's or Maven's settings" if route.proxy else "the environment"
        raise MissingError(
            f"a proxy of {where} {what}, and downloads go through HTTP proxies only",
            hint="set HTTPS_PROXY to an HTTP proxy, without ALL_PROXY; or install a bundle, which needs no network",
        ) from None


def _netrc() -> "httpx2.Auth | None":
    """As pip and curl: credentials of ~/.netrc."""
    import httpx2  # noqa: PLC0415

    try:
        return httpx2.NetRCAuth()
    except (OSError, ValueError, SyntaxError):
        return None


def context(route: Route) -> ssl.SSLContext | bool:
    """Its certificates; True for those of the system, False to verify none. Raises MissingError where a file cannot be read."""
    if not route.verify:
        return False
    if route.trusted is None and route.certificate is None:
        return True
    where = route.trusted
    try:
        folder = where is not None and where.is_dir()
        made = ssl.create_default_context(
            cafile=None if folder or where is None else str(where), capath=str(where) if folder else None
        )
        if route.certificate:
            made.load_cert_chain(route.certificate)
    except OSError as error:  # ssl.SSLError is one
        raise MissingError(
            f"the certificates {where or ''} {route.certificate or ''} are not readable: {error}",
            hint="correct `cert` or `client-cert` in pip's settings, or REQUESTS_CA_BUNDLE",
        ) from error
    return made


def shown(url: str) -> str:
    """A URL without credentials."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
