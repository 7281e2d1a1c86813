"""Where processes run: one file an adapter."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from weft.nodes.base import Nodes
from weft.nodes.local import LocalNodes
from weft.nodes.null import NullNodes
from weft.nodes.slurm import SlurmNodes
from weft.nodes.ssh import SshNodes
from weft.nodes.virtual import VirtualNodes
from weft.text.shorthand import expand

KINDS: dict[str, type[Nodes]] = {
    "null": NullNodes,
    "local": LocalNodes,
    "virtual": VirtualNodes,
    "ssh": SshNodes,
    "slurm": SlurmNodes,
}

AnyNodes = Annotated[
    Annotated[NullNodes | LocalNodes | VirtualNodes | SshNodes | SlurmNodes, Field(discriminator="kind")],
    BeforeValidator(
        lambda value: expand(value, {kind: adapter.positional for kind, adapter in KINDS.items()})
    ),
]
