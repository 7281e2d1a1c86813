"""What the status page of a Spark Master says of its Workers; JsonProtocol.scala has the names."""

from collections.abc import Mapping
from typing import Any


def missing(status: Any, addresses: Mapping[str, str]) -> list[str]:
    """The Workers that have not registered, by name; `addresses`: where each of them runs."""
    alive = {worker["host"] for worker in status["workers"] if worker["state"] == "ALIVE"}
    return [name for name, address in addresses.items() if address not in alive]


def full(status: Any, nodes: Mapping[str, str], cores: int) -> list[str]:
    """Which nodes have too few cores left for an executor of so many, 0 for all of a node; as text. `nodes`: their names by address."""
    return [
        f"{nodes[worker['host']]} has {worker['coresfree']} of {worker['cores']} cores free"
        for worker in status["workers"]
        if worker["state"] == "ALIVE"
        and worker["host"] in nodes
        and worker["coresfree"] < (cores or worker["cores"])
    ]
