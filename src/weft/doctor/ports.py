"""The default ports of the engines, and which processes use them on the nodes."""

from weft.adapters.engines import KINDS
from weft.adapters.nodes.access import access
from weft.errors import UsageError
from weft.layout.node import Node
from weft.run.preview import planned, sketch
from weft.spec.model import Spec


def default_ports(count: int) -> list[dict[int, str]]:
    """By node, from the head node on: each port and the daemon that needs it."""
    found: list[dict[int, str]] = [{} for _ in range(count)]
    nodes = {"workload": "terasort", "nodes": f"ssh:node[1-{count}],cores=1,memory=64G"}
    for asked in ({"engine": "null", "input": "hdfs"}, *({"engine": kind} for kind in KINDS)):
        # of any engine: the workload decides no port, and need not run on it
        spec = Spec.model_validate({**nodes, **asked})
        layout = sketch(spec)
        places = {node.name: ports for node, ports in zip(layout.nodes, found, strict=True)}
        try:
            plan = planned(spec, layout)
        except UsageError:  # of an engine that only its user can install, and has not
            continue
        for daemon in plan.daemons:
            owner = asked.get(daemon.table, daemon.table.rpartition(".")[2])
            for port in daemon.ports:
                who = daemon.name.removesuffix(f"-{daemon.node.name}")
                places[daemon.node.name].setdefault(port, who if who == owner else f"{owner}'s {who}")
    return found


def occupied(node: Node, ports: dict[int, str]) -> list[str]:
    """Those of the ports that are in use on a node, as text."""
    taken = access(node).taken(list(ports))
    return [f"{port} of {ports[int(port)]} is in use{by}" for port, by in taken.items()]
