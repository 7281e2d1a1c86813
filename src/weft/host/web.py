"""A daemon's page, asked by weft itself: over plain HTTP, with a token, or with a certificate that both sides show.

A daemon without a page is asked whether it listens.
"""

import base64
import hmac
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import httpx2


def get(url: str, certificate: Path | None, bearer: str = "") -> httpx2.Response:
    """The page's answer. Raises HTTPError or SSLError when there is none."""
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    # the authorities of the world are of no use here, and reading them takes longer than the answer
    verify = False if certificate is None else _mutual(certificate)
    with httpx2.Client(timeout=5, trust_env=False, verify=verify) as client:
        return client.get(url, headers=headers)


def listens(url: str) -> None:
    """Connect to tcp://HOST:PORT. Raises OSError when nobody listens there."""
    where = urlsplit(url)
    socket.create_connection((where.hostname, where.port), timeout=5).close()


def _mutual(certificate: Path) -> ssl.SSLContext:
    """Trust nobody but who shows this certificate, and show it too."""
    context = ssl.create_default_context(cafile=str(certificate))
    context.load_cert_chain(certificate)
    return context


def token(secret: str) -> str:
    """A JSON web token that says nothing, signed: whoever has it knows the secret (RFC 7515)."""
    said = b".".join(map(_base64, (b'{"alg":"HS256","typ":"JWT"}', b"{}")))
    # a page reads the secret as base64url, which its hexadecimal digits are
    signature = hmac.new(base64.urlsafe_b64decode(secret), said, "sha256").digest()
    return (said + b"." + _base64(signature)).decode()


def _base64(text: bytes) -> bytes:
    return base64.urlsafe_b64encode(text).rstrip(b"=")
