"""The default ports of the engines, and which processes use them on the nodes."""

from weft.nodes.base import Node
from weft.run.preview import planned, sketch
from weft.spec.parse import parse

_ENGINES = ({"engine": "spark"}, {"engine": "flink"}, {"engine": "hadoop", "input": "hdfs"})


def wanted(count: int) -> list[dict[int, str]]:
    """By node, from the head node on: each port and the daemon that needs it."""
    found: list[dict[int, str]] = [{} for _ in range(count)]
    for asked in _ENGINES:
        spec = parse({"workload": "terasort", "nodes": f"ssh:node[1-{count}],cores=1,memory=64G", **asked})
        layout = sketch(spec)
        places = {node.name: ports for node, ports in zip(layout.nodes, found, strict=True)}
        for daemon in planned(spec, layout).daemons:
            for port in daemon.ports:
                who = daemon.name.removesuffix(f"-{daemon.node.name}")
                places[daemon.node.name].setdefault(port, f"{asked['engine']}'s {who}")
    return found


def occupied(node: Node, ports: dict[int, str]) -> list[str]:
    """Those of the ports that are in use on a node, as text."""
    taken = node.taken(list(ports))
    return [f"{port} of {ports[int(port)]} is in use{by}" for port, by in taken.items()]
