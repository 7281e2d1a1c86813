"""weft's own requests to a daemon's web page: over plain HTTP, with a token, or with mutual TLS.

For a daemon without a page, weft checks whether it listens.
"""

import base64
import hmac
import json
import socket
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

UNANSWERED = (HTTPException, OSError, ValueError, KeyError)
"""Exceptions for a page that does not respond, or not as expected."""
_PATIENCE = 5.0
"""Seconds."""


@dataclass(frozen=True)
class PageAnswer:
    """A page's response."""

    url: str
    status: int
    content: bytes

    def json(self) -> Any:
        """Its data. Raises OSError if it is an error, ValueError if it is something else."""
        if self.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise OSError(f"{self.url} answers {self.status}")
        return json.loads(self.content)


def get(url: str, certificate: Path | None, bearer: str = "") -> PageAnswer:
    """The page's response. Raises OSError or HTTPException if there is none."""
    where = urlsplit(url)
    # public certificate authorities are not needed, and loading them takes longer than the request
    page = (
        HTTPConnection(where.netloc, timeout=_PATIENCE)
        if certificate is None
        else HTTPSConnection(where.netloc, timeout=_PATIENCE, context=mutual(certificate))
    )
    try:
        path = f"{where.path or '/'}{'?' if where.query else ''}{where.query}"
        page.request("GET", path, headers={"Authorization": f"Bearer {bearer}"} if bearer else {})
        response = page.getresponse()
        return PageAnswer(url, response.status, response.read())
    finally:
        page.close()


def listens(url: str) -> None:
    """Connect to tcp://HOST:PORT. Raises OSError if nothing listens there."""
    where = urlsplit(url)
    socket.create_connection((where.hostname, where.port), timeout=5).close()


def mutual(certificate: Path) -> ssl.SSLContext:
    """Trust only this certificate, and present it too."""
    context = ssl.create_default_context(cafile=str(certificate))
    context.load_cert_chain(certificate)
    return context


def token(secret: str) -> str:
    """A signed JSON web token without content: its bearer knows the secret (RFC 7515)."""
    content = b".".join(map(_base64, (b'{"alg":"HS256","typ":"JWT"}', b"{}")))
    # the page decodes the secret as base64url, which its hexadecimal digits are
    signature = hmac.new(base64.urlsafe_b64decode(secret), content, "sha256").digest()
    return (content + b"." + _base64(signature)).decode()


def _base64(text: bytes) -> bytes:
    return base64.urlsafe_b64encode(text).rstrip(b"=")
