"""Whether a port is free where a daemon will bind it, and who has it otherwise."""

import errno
import socket

import psutil

from weft.errors import ClusterError
from weft.nodes.base import Node


def require_free(node: Node, port: int, daemon: str, key: str) -> None:
    """Raises ClusterError naming the process that listens, when it can be seen."""
    if node.call(lambda: _taken(node.address, port)):
        raise ClusterError(
            f"{daemon}: port {port} on {node.name} ({node.address}) is taken{_holder(port)}",
            hint=f"stop it, or choose another port with --set {key}=...",
        )


def _taken(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise ClusterError(f"the address {address} cannot be bound: {error.strerror}") from error
    return False


def _holder(port: int) -> str:
    for connection in psutil.net_connections("tcp"):
        if (
            connection.status == psutil.CONN_LISTEN
            and connection.laddr
            and connection.laddr.port == port
            and connection.pid
        ):
            return f" by process {connection.pid} ({psutil.Process(connection.pid).name()})"
    return ""
