"""A page of a cluster on the loopback interface: the token is added, and only who was given the address reads it."""

import http.client
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.needs import ROOT, needs
from tests.unit.test_token import another
from weft.clusters.tunnel import Tunnel, Upstream
from weft.errors import UsageError
from weft.layout.node import Node

NODE = Node("node1", "127.0.0.1", 1, 1 << 30, Path("/nonexistent"))
TOKEN = "Bearer abc"


class Page(BaseHTTPRequestHandler):
    """As a Master's: nothing without the token."""

    seen: list[tuple[str, str, dict[str, str]]] = []  # noqa: RUF012 - of one test

    def do_GET(self) -> None:
        self.seen.append((self.command, self.path, dict(self.headers)))
        if self.headers.get("Authorization") != TOKEN:
            self.send_error(403)
            return
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/app/?id=1")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "theirs=1")
        self.end_headers()
        self.wfile.write(f"page {self.path}".encode() * (10_000 if self.path == "/long" else 1))

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    Page.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Upstream(NODE, f"http://127.0.0.1:{server.server_address[1]}", {"Authorization": TOKEN})
        server.shutdown()
        thread.join()


@pytest.fixture
def tunnel(upstream: Upstream) -> Iterator[Tunnel]:
    served = Tunnel(upstream)
    with served.serving():
        yield served


def ask(tunnel: Tunnel, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", tunnel.port, timeout=30)
    connection.request(method, path, headers={"Host": f"localhost:{tunnel.port}", **headers})
    with connection.getresponse() as answer:
        return answer.status, dict(answer.headers), answer.read().decode()


def cookie(tunnel: Tunnel) -> dict[str, str]:
    status, headers, _ = ask(tunnel, "/" + tunnel.address.rpartition("/")[2])
    assert (status, headers["Location"]) == (303, "/")
    assert "HttpOnly" in headers["Set-Cookie"]
    return {"Cookie": headers["Set-Cookie"].partition(";")[0]}


def test_the_address_gives_a_cookie_and_the_cookie_opens_the_page(tunnel: Tunnel) -> None:
    mine = cookie(tunnel)
    status, headers, text = ask(tunnel, "/json/?a=1", **mine)
    assert (status, text, headers["Content-Type"]) == (200, "page /json/?a=1", "text/html")
    assert "Set-Cookie" not in headers
    assert ask(tunnel, "/long", **mine)[2] == "page /long" * 10_000
    assert ask(tunnel, "/", "HEAD", **mine)[::2] == (200, "")


def test_without_it_nothing_reaches_the_page(tunnel: Tunnel) -> None:
    for headers in (
        {},
        {"Cookie": f"{tunnel.cookie}=x"},
        {"Cookie": f"{tunnel.cookie}="},
        {"Cookie": f"other={tunnel.key}"},
    ):
        status, _, text = ask(tunnel, "/", **headers)
        assert (status, "weft connect --tunnel" in text) == (403, True)
    for path in ("/x" + tunnel.key, f"/{tunnel.key[:-1]}", f"/{tunnel.key}/", "/"):
        assert ask(tunnel, path)[0] == 403
    assert Page.seen == []


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_reading_is_passed_on(tunnel: Tunnel, method: str) -> None:
    assert ask(tunnel, "/app/kill/", method, **cookie(tunnel))[0] == 501
    assert Page.seen == []


def test_a_name_that_leads_here_by_trickery_is_refused(tunnel: Tunnel) -> None:
    mine = cookie(tunnel)
    for host in ("evil.example:80", "", f"localhost.evil.example:{tunnel.port}"):
        assert ask(tunnel, "/", Host=host, **mine)[0] == 403
    assert ask(tunnel, "/", Host=f"127.0.0.1:{tunnel.port}", **mine)[0] == 200


def test_neither_the_cookie_nor_the_token_goes_where_it_does_not_belong(tunnel: Tunnel) -> None:
    _, headers, text = ask(tunnel, "/", **cookie(tunnel), Authorization="Bearer mine")
    ((_, _, seen),) = Page.seen
    assert "Cookie" not in seen
    assert seen["Authorization"] == TOKEN
    assert TOKEN not in str(headers) + text
    assert headers["Referrer-Policy"] == "no-referrer"


def test_a_page_that_leads_on_stays_behind_the_tunnel(tunnel: Tunnel) -> None:
    status, headers, _ = ask(tunnel, "/moved", **cookie(tunnel))
    assert (status, headers["Location"]) == (302, "/app/?id=1")


def test_it_listens_on_the_loopback_interface_alone(tunnel: Tunnel) -> None:
    assert tunnel.server_address[0] == "127.0.0.1"
    listening = [line.split()[1:4:2] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert [f"0100007F:{tunnel.port:04X}", "0A"] in listening
    assert [f"00000000:{tunnel.port:04X}", "0A"] not in listening


def test_two_of_them_have_different_keys_and_a_taken_port_is_named(
    tunnel: Tunnel, upstream: Upstream
) -> None:
    other = Tunnel(upstream)
    assert other.key != tunnel.key
    assert len(other.key) >= 43
    other.server_close()
    with pytest.raises(UsageError, match=f"port {tunnel.port} of 127"):
        Tunnel(upstream, tunnel.port)


def test_a_page_that_is_gone_is_an_answer(upstream: Upstream) -> None:
    gone = Tunnel(Upstream(NODE, "http://127.0.0.1:9", {}))
    with gone.serving():
        status, _, text = ask(gone, "/", **cookie(gone))
    assert (status, "nothing listens at 127.0.0.1:9" in text) == (502, True)


@needs(ROOT)
def test_another_user_at_the_pages_port_gets_no_token() -> None:
    with another() as (port, _):
        served = Tunnel(Upstream(NODE, f"http://127.0.0.1:{port}", {"Authorization": TOKEN}))
        with served.serving():
            status, _, text = ask(served, "/", **cookie(served))
    assert status == 502
    assert "user 65534 listens" in text
    assert os.geteuid() == 0


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (BrokenPipeError(), False),
        (http.client.IncompleteRead(b"half"), False),
        (KeyError("of weft"), True),
    ],
)
def test_a_connection_that_is_closed_early_prints_no_traceback(
    error: Exception, shown: bool, tunnel: Tunnel, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where a browser leaves a page that it is still reading."""

    def answer() -> None:
        raise error

    try:
        answer()
    except type(error):
        tunnel.handle_error(None, ("127.0.0.1", 1))
    assert (type(error).__name__ in capsys.readouterr().err) is shown
