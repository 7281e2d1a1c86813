"""Whether hosts reach each other: each sends a word to its clients, connects to its peers, and reads theirs."""

import errno
import json
import os
import selectors
import socket
import sys
import threading
import time

_PATIENCE = 5.0
"""Seconds for a connection."""
_AT_ONCE = 256
"""Connections at a time; a process may have 1024 files open."""


class Connection:
    """A connection to a peer, the data received so far, and why the peer was not reached, when that is known."""

    def __init__(self, peer: "list") -> None:  # type: ignore[type-arg]
        self.name, address, port = peer
        self.heard = b""
        self.reason = None  # type: str | None
        self.socket = socket.socket()
        self.socket.setblocking(False)
        try:
            code = self.socket.connect_ex((address, port))
        except OSError as error:  # a name that does not resolve
            self.reason = error.strerror or str(error)
        else:
            self.reason = None if code in (0, errno.EINPROGRESS) else os.strerror(code)

    def hear(self, word: bytes) -> None:
        """Read what has arrived; empty when the whole word has."""
        try:
            more = self.socket.recv(len(word))
        except OSError as error:
            self.reason = error.strerror or str(error)
            return
        self.heard += more
        if not more or len(self.heard) >= len(word):
            self.reason = "" if self.heard == word else "something else answers there"


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`address` to listen on, `word`.

    Prints the port; reads a line with name, address and port of each of its peers; prints which of them it could not
    reach; and answers until its input ends.
    """
    with socket.socket() as server:
        try:
            server.bind((request["address"], 0))
        except OSError as error:
            sys.exit(f"the address {request['address']} is not available: {error.strerror}")
        server.listen(1024)
        print(server.getsockname()[1], flush=True)
        threading.Thread(target=_answer, args=(server, request["word"]), daemon=True).start()
        peers = json.loads(sys.stdin.readline() or "[]")
        print(json.dumps(unreached(peers, request["word"])), flush=True)
        sys.stdin.read()


def _answer(server: socket.socket, word: str) -> None:
    while True:
        try:
            with server.accept()[0] as connection:
                connection.sendall(word.encode())
        except OSError:
            continue  # the client has disconnected


def unreached(peers: "list[list]", word: str) -> "dict[str, str]":  # type: ignore[type-arg]
    """By peer: why it was not reached."""
    reasons = {}
    for first in range(0, len(peers), _AT_ONCE):
        reasons.update(_try(peers[first : first + _AT_ONCE], word.encode()))
    return {name: reason for name, reason in reasons.items() if reason}


def _try(peers: "list[list]", word: bytes) -> "dict[str, str]":  # type: ignore[type-arg]
    """By peer: why not, or an empty text. Connects to all of them concurrently."""
    end = time.monotonic() + _PATIENCE
    tried = [Connection(peer) for peer in peers]
    with selectors.DefaultSelector() as selector:
        for one in tried:
            if one.reason is None:
                selector.register(one.socket, selectors.EVENT_READ, one)
        while selector.get_map() and time.monotonic() < end:
            for key, _ in selector.select(end - time.monotonic()):
                key.data.hear(word)
                if key.data.reason is not None:
                    selector.unregister(key.fileobj)
    for one in tried:
        one.socket.close()
    late = f"no answer in {_PATIENCE:.0f} s"
    return {one.name: late if one.reason is None else one.reason for one in tried}
