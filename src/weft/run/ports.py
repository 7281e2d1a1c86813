"""Whether the ports of daemons are free where they will be bound, and which processes use them otherwise."""

from collections.abc import Sequence

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.errors import ClusterError
from weft.layout.node import Node
from weft.layout.plan import Daemon


def require_free(daemons: Sequence[Daemon]) -> None:
    """Check each node once, concurrently. Raises ClusterError, which names the listening process if it is visible."""
    everywhere(list({d.node.name: d.node for d in daemons}.values()), lambda node: _ask(node, daemons))


def _ask(node: Node, daemons: Sequence[Daemon]) -> None:
    wanted = {port: daemon for daemon in daemons if daemon.node.name == node.name for port in daemon.ports}
    if not wanted:
        return
    taken = access(node).taken(list(wanted))
    for port, daemon in wanted.items():
        if str(port) in taken:
            paged = daemon.page and port == daemon.ports[-1]
            key = f"{daemon.table}.{'web_port' if paged else 'port'}"
            raise ClusterError(
                f"{daemon.name}: port {port} on {node.name} ({node.address}) is taken{taken[str(port)]}",
                hint=f"stop it, or choose another port with --set {key}=...",
            )
