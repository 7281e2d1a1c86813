"""The token of a run, which opens all its pages, is sent to no process of another user."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.needs import ROOT, needs
from tests.processes import child, says
from weft.adapters.nodes.access import access
from weft.errors import ClusterError
from weft.host.programs import ports
from weft.layout.node import Node
from weft.layout.plan import Page, Ready
from weft.run import cluster

NODE = Node("node1", "127.0.0.1", 1, 1 << 30, Path("/nonexistent"))
NOBODY = 65534
SERVE = """
import os, socket, sys
os.setresuid(*[int(sys.argv[3])] * 3)
listening = socket.socket(getattr(socket, sys.argv[1]))
listening.bind((sys.argv[2], 0))
listening.listen()
print(listening.getsockname()[1], flush=True)
print(listening.accept()[0].recv(1000), flush=True)
"""


@contextmanager
def another(
    family: str = "AF_INET", address: str = "127.0.0.1"
) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """A port on which another user listens, and his process, which prints what it receives first."""
    with child(sys.executable, "-I", "-S", "-c", SERVE, family, address, str(NOBODY)) as process:
        yield int(says(process)), process


def ask(url: str) -> list[str]:
    page = Page(NODE, url, signed=True)
    return cluster._ask(Ready(page, lambda _: []), ["daemon"], "ab" * 32)


@needs(ROOT)
def test_a_page_of_another_user_ends_the_start_and_gets_no_token() -> None:
    with another() as (port, process):
        with pytest.raises(ClusterError, match=f"user {NOBODY} listens at 127.0.0.1:{port} on node1"):
            ask(f"http://127.0.0.1:{port}/jmx")
        socket.create_connection(("127.0.0.1", port)).close()
        assert says(process) == "b''\n", "the first who connected sent nothing"


@needs(ROOT)
@pytest.mark.parametrize(("family", "address"), [("AF_INET", "0.0.0.0"), ("AF_INET6", "::")])
def test_who_listens_on_all_addresses_is_seen_too(family: str, address: str) -> None:
    with another(family, address) as (port, _):
        assert ports.strangers("127.0.0.1", port) == [NOBODY]


def test_a_page_of_this_user_gets_it_and_where_nobody_listens_weft_waits() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/jmx"
        assert ask(url) == ["daemon"]
        listening.listen()
        assert access(NODE).bearer(url, "ab" * 32).count(".") == 2


def test_a_page_of_somebody_else_is_one_of_a_user_who_is_not_weft_s(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        user, port = os.geteuid(), listening.getsockname()[1]
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        assert ports.strangers("127.0.0.1", port) == ([] if user == 0 else [user])
