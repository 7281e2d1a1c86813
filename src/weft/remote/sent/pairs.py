"""Whether hosts reach each other: one of them listens, the others connect and are told the word that it was given."""

import json
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

_PATIENCE = 5.0
"""Seconds for one connection."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`word` and `listen`: an address; or `word` and `peers`: name, address and port of each."""
    if "listen" in request:
        listen(request["listen"], request["word"])
    else:
        print(json.dumps(unreached(request["peers"], request["word"])))


def listen(address: str, word: str) -> None:
    """Print the port, then answer until the connection to weft ends."""
    with socket.socket() as server:
        try:
            server.bind((address, 0))
        except OSError as error:
            sys.exit(f"the address {address} cannot be bound: {error.strerror}")
        server.listen(1024)
        print(json.dumps(server.getsockname()[1]), flush=True)
        threading.Thread(target=_answer, args=(server, word), daemon=True).start()
        sys.stdin.buffer.read()


def _answer(server: socket.socket, word: str) -> None:
    while True:
        try:
            with server.accept()[0] as connection:
                connection.sendall(word.encode())
        except OSError:
            continue  # whoever asked is gone


def unreached(peers: "list[list]", word: str) -> "dict[str, str]":  # type: ignore[type-arg]
    """By peer: why it was not reached."""
    with ThreadPoolExecutor(max_workers=32) as pool:
        reasons = list(pool.map(lambda peer: _try(peer[1], peer[2], word), peers))
    return {peer[0]: reason for peer, reason in zip(peers, reasons) if reason}


def _try(address: str, port: int, word: str) -> str:
    try:
        with socket.create_connection((address, port), timeout=_PATIENCE) as connection:
            said = b""
            while len(said) < len(word):
                more = connection.recv(len(word))
                if not more:
                    break
                said += more
    except OSError as error:
        return error.strerror or f"no answer in {_PATIENCE:.0f} s"
    return "" if said.decode() == word else "something else answers there"
