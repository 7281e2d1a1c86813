"""weft's own requests to a daemon's web page: over plain HTTP, with a token, or with mutual TLS.

For a daemon without a page, weft checks whether it listens.
"""

import base64
import hmac
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import httpx2


def get(url: str, certificate: Path | None, bearer: str = "") -> httpx2.Response:
    """The page's response. Raises HTTPError or SSLError if there is none."""
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    # public certificate authorities are not needed, and loading them takes longer than the request
    verify = False if certificate is None else mutual(certificate)
    with httpx2.Client(timeout=5, trust_env=False, verify=verify) as client:
        return client.get(url, headers=headers)


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
