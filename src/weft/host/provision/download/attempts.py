"""Requests that are repeated: which failures pass by themselves, and which are an answer."""

import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from weft.host.provision.download.route import DownloadAddress, shown
from weft.host.provision.download.session import Session

if TYPE_CHECKING:  # imported where something is downloaded: every command imports this module
    import httpx2

_BUSY = {408, 425, 429, 500, 502, 503, 504}
"""Status codes after which a client may try again (RFC 9110, RFC 6585)."""
LONGEST = 30.0
"""Seconds of the longest pause between two attempts."""


class Refused(Exception):  # noqa: N818 - the next source may have it
    """A source does not deliver the file; the message says why."""


class Broken(Exception):  # noqa: N818 - tried again
    """An attempt ended early, and another may succeed."""

    def __init__(self, message: str, pause: float = 0.0) -> None:
        super().__init__(message)
        self.pause = pause
        """Seconds that the server asks to wait."""


def repeated(
    attempt: Callable[[], None], progress: Callable[[], int], source: DownloadAddress, to: Session
) -> None:
    """Repeat until it succeeds. Raises Refused after so many attempts in a row without progress as the route allows."""
    import httpx2  # noqa: PLC0415

    left, pause = source.route.retries, to.patience
    while True:
        before = progress()
        try:
            attempt()
        except (httpx2.TransportError, Broken) as error:
            if isinstance(error, httpx2.ProxyError):
                raise Refused(_by_proxy(source, error)) from error
            if progress() > before:
                left, pause = source.route.retries, to.patience
            if left == 0:
                raise Refused(_unreachable(source, error)) from error
            left -= 1
            to.sleep(min(LONGEST, max(pause, getattr(error, "pause", 0.0))))
            pause *= 2
        else:
            return


def require(response: "httpx2.Response", source: DownloadAddress) -> None:
    """Raises Broken or Refused unless the response is the file or a part of it."""
    if response.status_code in {200, 206}:
        return
    text = f"{_host(source)} answered {response.status_code} {response.reason_phrase}".strip()
    if response.status_code in _BUSY:
        raise Broken(text, _retry_after(response.headers))
    if response.status_code == 407:
        raise Refused(_by_proxy(source, response.reason_phrase or "407"))
    raise Refused(f"{text} to {shown(source.url)}{_through(source)}")


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds, as a number or a date (RFC 9110, 10.2.3)."""
    text = headers.get("Retry-After", "")
    if re.fullmatch(r"\d+", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return 0.0


def _by_proxy(source: DownloadAddress, why: object) -> str:
    return f"the proxy {source.route.through(source.url)} refused {_host(source)}: {why}"


def _unreachable(source: DownloadAddress, why: Exception) -> str:
    return f"{_host(source)} could not be reached{_through(source)}: {why or type(why).__name__}"


def _through(source: DownloadAddress) -> str:
    proxy = source.route.through(source.url)
    return f" through the proxy {proxy}" if proxy else ""


def _host(source: DownloadAddress) -> str:
    import httpx2  # noqa: PLC0415

    return httpx2.URL(source.url).netloc.decode()
