"""A program for nodes: takes the place of a master with which workers register, or of a worker."""

import sys
import time


def main(arguments: "list[str]") -> None:
    """`master ADDRESS PORT`, or a worker's name, its start time in seconds, and its master's address and port."""
    *what, address, port = arguments
    if what == ["master"]:
        serve(address, int(port))
    name, seconds = what
    time.sleep(float(seconds))
    register(name, (address, int(port)))
    while True:
        time.sleep(3600)


def register(name: str, master: "tuple[str, int]") -> None:
    """Register with the master, which may start later."""
    import socket  # noqa: PLC0415 - imports are part of a worker's start time

    while True:
        try:
            with socket.create_connection(master, timeout=5) as connection:
                connection.sendall(b"POST /" + name.encode() + b" HTTP/1.0\r\n\r\n")
                if connection.recv(1):
                    return
        except OSError:
            time.sleep(0.1)


def serve(address: str, port: int) -> None:
    """Answer GET with the names of all workers that have registered by POST."""
    import socket  # noqa: PLC0415

    known: list[str] = []
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((address, port))
        server.listen(1024)
        while True:
            connection = server.accept()[0]
            with connection:
                connection.settimeout(5)
                try:
                    connection.sendall(answer(connection.recv(1 << 16), known))
                except OSError:
                    continue  # the client has disconnected


def answer(asked: bytes, known: "list[str]") -> bytes:
    import json  # noqa: PLC0415

    method, path = asked.split()[:2]
    if method == b"POST":
        known.append(path.decode().lstrip("/"))
    body = json.dumps(known).encode()
    head = f"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


if __name__ == "__main__":
    main(sys.argv[1:])
