"""A registry on this machine's loopback address: an index of Python packages and a Maven repository, with faults."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Registry:
    """Its files by path, and what goes wrong with them."""

    files: dict[str, bytes] = field(default_factory=dict)
    cuts: dict[str, list[int]] = field(default_factory=dict)
    """By path: after how many bytes of an answer the connection is closed, one for each of the next answers."""
    statuses: dict[str, list[int]] = field(default_factory=dict)
    """By path: the status codes of the next answers."""
    types: dict[str, str] = field(default_factory=dict)
    """Content types by path; text/html for others."""
    ranges: bool = True
    """Whether it honours Range."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Path and Range of each request."""
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    registry: Registry
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        registry, path, wanted = self.registry, self.path, self.headers.get("Range", "")
        registry.asked.append((path, wanted))
        if statuses := registry.statuses.get(path):
            self._answer(statuses.pop(0), b"", {"Retry-After": "0"})
        elif path not in registry.files:
            self._answer(404, b"", {})
        else:
            self._deliver(registry.files[path], wanted if registry.ranges else "", registry.cuts.get(path))

    def do_HEAD(self) -> None:
        """uv asks for the size of a wheel first; the registry has no ranges for it."""
        found = self.registry.files.get(self.path)
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Length", str(len(found or b"")))
        self.end_headers()

    def _deliver(self, content: bytes, wanted: str, cuts: list[int] | None) -> None:
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if wanted and start >= len(content):
            self._answer(416, b"", {})
            return
        span = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if wanted else {}
        self._answer(206 if wanted else 200, content[start:], span, cuts.pop(0) if cuts else None)

    def _answer(self, status: int, content: bytes, headers: dict[str, str], cut: int | None = None) -> None:
        kind = self.registry.types.get(self.path, "text/html")
        fixed = {"Content-Length": str(len(content)), "Content-Type": kind}
        self.send_response(status)
        for name, value in {**headers, **fixed}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[:cut])
        if cut is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(registry: Registry) -> Iterator[Registry]:
    handler = type("Handler", (_Handler,), {"registry": registry})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        registry.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield registry
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def refusing_proxy() -> Iterator[str]:
    """A proxy that refuses every host: its URL."""

    class Refusing(_Handler):
        registry = Registry()

        def do_CONNECT(self) -> None:
            self._answer(403, b"", {})

        def do_GET(self) -> None:
            self._answer(407, b"", {})

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def python_page(file: str, target: str) -> bytes:
    """A page of the simple repository API in HTML."""
    return f'<!DOCTYPE html><html><body><a href="{target}">{file}</a></body></html>'.encode()
