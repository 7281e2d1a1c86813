"""The network between engines: one address per node, and a check that nodes reach each other before anything starts."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.adapters.nodes.remote import enumeration
from weft.errors import NodeError
from weft.host.programs import connectivity
from weft.host.remote.command import RemoteCommand
from weft.host.remote.reach import of_text
from weft.layout.node import Node

_FAST = re.compile(r"(hsn|opa|ib[ops]?|ibP\d+[ps])\d|\w+_ib\d")
"""Interfaces of Slingshot, Omni-Path and InfiniBand, which systemd and drivers name by their place: ibp65s0, ibP2p1s0, mlx5_ib0."""
_DEADLINE = 30.0
"""Seconds until every node listens."""
_EVERY_PAIR = 64
"""Nodes up to which each of them connects to all others."""


def on_fabric(nodes: Sequence[Node], fabric: str) -> list[Node]:
    """The nodes with their addresses on an interface; `auto` tries fast ones, then the address that a node already has."""
    if fabric != "auto":
        lacking = [node.name for node in nodes if fabric not in node.interfaces]
        if lacking:
            raise NodeError(
                f"{enumeration(lacking)}: no address on an interface {fabric}", hint=_choices(nodes)
            )
        chosen = _on(nodes, fabric)
        _require_apart(chosen)
        _require(_unreached(chosen), chosen, fabric)
        return chosen
    for interface in filter(_FAST.match, _everyones(nodes)):
        if not _unreached(fast := _on(nodes, interface)):
            _require_apart(fast)
            return fast
    _require_apart(nodes)
    _require(_unreached(nodes), nodes, "auto")
    return list(nodes)


def _on(nodes: Sequence[Node], interface: str) -> list[Node]:
    return [replace(node, address=node.interfaces[interface]) for node in nodes]


def _everyones(nodes: Sequence[Node]) -> list[str]:
    """Interfaces on which every node has an address, fastest names first."""
    names = set.intersection(*(set(node.interfaces) for node in nodes)) - {"lo"}
    return sorted(names, key=lambda name: (not _FAST.match(name), name))


def _choices(nodes: Sequence[Node]) -> str:
    names = _everyones(nodes)
    return f"choose one with fabric=NAME; all nodes have {', '.join(names) or 'none in common'}"


def _require_apart(nodes: Sequence[Node]) -> None:
    first: dict[str, str] = {}
    for node in nodes:
        if (other := first.setdefault(node.address, node.name)) != node.name:
            raise NodeError(
                f"{other} and {node.name} are the same machine: both are at {node.address}",
                hint="name each host once, and check how the names resolve: getent hosts NAME, ssh -G NAME",
            )


Failures = Mapping[tuple[str, str], str]
"""By client and server: why they cannot connect. A node that cannot listen fails to connect to itself."""


def _require(failures: Failures, nodes: Sequence[Node], fabric: str) -> None:
    if not failures:
        return
    addresses = {node.name: node.address for node in nodes}
    (asking, asked), why = next(iter(failures.items()))
    more = f"; {len(failures) - 1} more pairs failed" if failures.keys() - {(asking, asked)} else ""
    pair = f"{asking} cannot reach {asked}" if asking != asked else f"{asked} does not listen"
    raise NodeError(
        f"{pair} at {addresses[asked]} (fabric {fabric}): {why}{more}",
        hint=f"{_choices(nodes)}; or open the firewall between them for ports from 1024",
    )


def _unreached(nodes: Sequence[Node]) -> Failures:
    """Each node listens on its address; its peers, and for the first node this machine, connect to it."""
    word = secrets.token_hex(8)
    asked: list[RemoteCommand] = []
    try:
        for node in nodes:
            request = {"address": node.address, "word": word}
            asked.append(of_text(node.way).begin("connectivity", request))
        ports = [_port(one) for one in asked]
        deaf = {
            (node.name, node.name): why
            for node, why in zip(nodes, ports, strict=True)
            if isinstance(why, str)
        }
        if deaf:
            return deaf
        places = [[node.name, node.address, port] for node, port in zip(nodes, ports, strict=True)]
        for one, peers in zip(asked, peers_of(len(nodes)), strict=True):
            one.tell(json.dumps([places[peer] for peer in peers]) + "\n")
        found = {
            (node.name, peer): why
            for node, one in zip(nodes, asked, strict=True)
            for peer, why in of_text(node.way).next(one).items()
        }
        here = connectivity.unreached(places[:1], word)
        return {**found, **{("this machine", peer): why for peer, why in here.items()}}
    finally:
        for one in asked:
            one.leave()


def peers_of(count: int) -> list[list[int]]:
    """By node: the numbers of those that it connects to; of many nodes, those 1, 2, 4, 8, ... places after it.

    However many nodes are divided in two, some node of each part connects to one of the other.
    """
    if count <= _EVERY_PAIR:
        return [[other for other in range(count) if other != node] for node in range(count)]
    steps = [1 << power for power in range((count - 1).bit_length())]
    return [[(node + step) % count for step in steps] for node in range(count)]


def _port(command: RemoteCommand) -> int | str:
    """The port that a node listens on, or why it cannot listen."""
    try:
        if line := command.line(_DEADLINE):
            return int(line)
        return command.end(_DEADLINE).err.strip().rpartition("\n")[2] or "it did not listen"
    except TimeoutError:
        return "it did not listen in time"
    except EOFError:
        return "its connection was lost"
