"""A status page of a cluster on a loopback address of this machine, for a browser that knows no token.

A request there needs a cookie, which only the printed address gives. Only reading is passed on. The token is
added here, and goes to a process of this user alone.
"""

import hmac
import http.client
import secrets
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from weft.adapters.nodes.access import access
from weft.errors import NodeError, UsageError
from weft.host.web import mutual
from weft.layout.node import Node

LOOPBACK = "127.0.0.1"
_ASKED = ("Accept", "Accept-Encoding", "Accept-Language", "If-Modified-Since", "If-None-Match", "User-Agent")
"""Headers of a request that are passed on: no cookie is."""
_ANSWERED = ("Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "ETag", "Last-Modified")
_PIECE = 1 << 16
_PATIENCE = 30.0
"""Seconds for a page to answer."""
_REFUSED = b"Open the address that `weft connect --tunnel` printed: it gives this browser its cookie.\n"


@dataclass(frozen=True)
class Upstream:
    """A page of the cluster, and what opens it."""

    node: Node
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    certificate: Path | None = None

    def ask(self, method: str, path: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """The beginning of the response to a request. Raises OSError, HTTPException or NodeError if there is none."""
        access(self.node).require_own(self.url)
        connection = access(self.node).call(self._connected)
        connection.request(method, path, headers={**headers, **self.headers})
        return connection.getresponse()

    def _connected(self) -> http.client.HTTPConnection:
        where = urlsplit(self.url)
        place = (str(where.hostname), where.port or 80)
        found: http.client.HTTPConnection
        if self.certificate is None:
            found = http.client.HTTPConnection(*place, timeout=_PATIENCE)
        else:
            found = http.client.HTTPSConnection(*place, timeout=_PATIENCE, context=mutual(self.certificate))
        found.connect()
        return found


class Tunnel(ThreadingHTTPServer):
    """Serves one page at a port of the loopback interface."""

    daemon_threads = True

    def __init__(self, upstream: Upstream, port: int = 0) -> None:
        self.upstream = upstream
        self.key = secrets.token_urlsafe(32)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise UsageError(
                f"port {port} of {LOOPBACK} cannot be used: {error.strerror}",
                hint="choose another with --port",
            ) from error

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser or a page that closes its connection early is no error of weft."""
        if not isinstance(sys.exception(), (OSError, http.client.HTTPException)):
            super().handle_error(request, client_address)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """What to open once: it contains the key."""
        return f"http://localhost:{self.port}/{self.key}"

    @property
    def cookie(self) -> str:
        # browsers send the cookies of one host to all of its ports
        return f"weft-{self.port}"

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer for the length of a `with` block."""
        thread = threading.Thread(target=partial(self.serve_forever, poll_interval=0.2), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.shutdown()
            self.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One request of a browser."""

    server: Tunnel
    server_version, sys_version = "weft", ""
    timeout = _PATIENCE
    _SAFE: ClassVar[Mapping[str, str]] = {
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "frame-ancestors 'none'",
    }

    def do_GET(self) -> None:
        """Give the cookie, or pass the request on."""
        if not self._local():
            self._answer(HTTPStatus.FORBIDDEN, b"This address is for this machine alone.\n")
        elif hmac.compare_digest(self.path.encode(), f"/{self.server.key}".encode()):
            cookie = f"{self.server.cookie}={self.server.key}; HttpOnly; SameSite=Lax; Path=/"
            self._answer(
                HTTPStatus.SEE_OTHER,
                b"",
                {"Location": "/", "Set-Cookie": cookie, "Cache-Control": "no-store"},
            )
        elif not self._known():
            self._answer(HTTPStatus.FORBIDDEN, _REFUSED)
        else:
            self._pass_on()

    def do_HEAD(self) -> None:
        """The same without the body."""
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Nothing: a path contains the key."""

    def _local(self) -> bool:
        """Whether the browser was sent here by this machine's own name: a foreign one could be made to lead here."""
        return self.headers.get("Host", "").rpartition(":")[0] in {"localhost", LOOPBACK}

    def _known(self) -> bool:
        pairs = (pair.strip().partition("=") for pair in self.headers.get("Cookie", "").split(";"))
        key = self.server.key.encode()
        return any(
            name == self.server.cookie and hmac.compare_digest(value.encode(), key)
            for name, _, value in pairs
        )

    def _pass_on(self) -> None:
        asked = {name: self.headers[name] for name in _ASKED if name in self.headers}
        try:
            answer = self.server.upstream.ask(self.command, self.path, asked)
        except (OSError, NodeError, http.client.HTTPException) as error:
            self._answer(HTTPStatus.BAD_GATEWAY, f"{self.server.upstream.url}: {error}\n".encode())
            return
        with answer:
            headers = {name: answer.headers[name] for name in _ANSWERED if name in answer.headers}
            if location := answer.headers.get("Location"):
                headers["Location"] = location.removeprefix(self.server.upstream.url.rstrip("/")) or "/"
            self._begin(answer.status, headers)
            with suppress(BrokenPipeError, ConnectionResetError):
                while piece := answer.read(_PIECE):
                    self.wfile.write(piece)

    def _answer(self, status: int, text: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._begin(
            status, {"Content-Type": "text/plain", "Content-Length": str(len(text)), **(headers or {})}
        )
        if self.command != "HEAD":
            self.wfile.write(text)

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, **self._SAFE}.items():
            self.send_header(name, value)
        self.end_headers()
