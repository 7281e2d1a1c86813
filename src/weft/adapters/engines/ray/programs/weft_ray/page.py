"""The one page of the head node: the names of the nodes that are alive, and how many programs are connected. It requires a token, if the run has a secret."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from weft_tasks.token import is_signed


def serve(address: str, port: int, secret: str, known: Callable[[], dict[str, Any]]) -> None:
    """Answer in the background. Raises OSError if the port is in use."""

    class NodesPage(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            if secret and not is_signed(self.headers.get("Authorization", ""), secret):
                self.send_error(403)
                return
            content = json.dumps(known()).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing: weft asks often."""

    server = ThreadingHTTPServer((address, port), NodesPage)
    server.daemon_threads = True
    Thread(target=server.serve_forever, name="page", daemon=True).start()
