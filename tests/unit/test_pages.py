"""How weft asks a daemon that has no page."""

import socket

import pytest

from weft.host.web import listens


def test_who_listens_has_answered_and_who_does_not_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        listens(url)
    with pytest.raises(OSError, match="refused"):
        listens(url)
