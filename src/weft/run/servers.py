"""Which nodes compute and which serve a storage: those that compute come first."""

import dataclasses
from collections import Counter
from collections.abc import Sequence

from weft.errors import UsageError
from weft.host.work import WorkDirectory
from weft.layout.places import Place, Role
from weft.nodes.base import Node, Nodes
from weft.services import kdc
from weft.spec.model import Spec
from weft.storage.base import Storage
from weft.text.units import show_size


def storages(spec: Spec) -> dict[Role, Storage]:
    """The storage of each role that the workload has."""
    return {role: storage for role, storage in spec.storage().items() if role in spec.workload.roles}


def served(spec: Spec) -> Storage | None:
    """The storage of a run that has daemons of its own. Raises UsageError when there are two."""
    found: Storage | None = None
    for role, storage in storages(spec).items():
        if not storage.daemons or storage == found:
            continue
        if found is not None:
            raise UsageError(
                f"{role}: a run has one storage with daemons of its own; this one is another than the first",
                hint=f"give each role the same {found.kind}, with the same options",
            )
        found = storage
    return found


def acquired(spec: Spec) -> Nodes:
    """The nodes that are asked for, and those that the storage wants for itself."""
    storage = served(spec)
    own = storage.own_nodes if storage else 0
    return spec.nodes.model_copy(update={"count": spec.nodes.count + own})


def sketched(spec: Spec, nodes: Sequence[Node], work: WorkDirectory) -> dict[Role, Place]:
    """The places of all roles, and of what the storage's daemons keep."""
    places = {role: storage.sketch(role, nodes, work) for role, storage in storages(spec).items()}
    storage = served(spec)
    below = storage.below(nodes, work) if storage else None
    return {**places, "blocks": below} if below else places


def computing(spec: Spec, nodes: Sequence[Node]) -> list[Node]:
    """The nodes that compute, with the memory that storage leaves to the engine."""
    daemons, shuffle = served(spec), spec.storage().get("shuffle")
    taken = Counter(daemons.memory(nodes) if daemons else {})
    if "hadoop" in spec.distributions():
        taken[nodes[0].name] += kdc.MEMORY
    if shuffle is not None and shuffle is not daemons:
        taken.update(shuffle.memory(nodes))
    for node in nodes:
        if (size := taken.get(node.name, 0)) >= node.memory:
            raise UsageError(
                f"{node.name} has {show_size(node.memory)}; what serves it takes {show_size(size)}",
                hint="ask for fewer or larger nodes",
            )
    return [
        dataclasses.replace(node, memory=node.memory - taken.get(node.name, 0))
        for node in nodes[: spec.nodes.count]
    ]
