"""Where processes run: one file per adapter."""

from typing import Annotated

from pydantic import BeforeValidator, SerializeAsAny

from weft.adapters.nodes.base import Nodes
from weft.text.family import Family

KINDS: Family[Nodes] = Family()
KINDS.declare(
    __name__,
    {
        "null": "null:NullNodes",
        "local": "local:LocalNodes",
        "virtual": "virtual:VirtualNodes",
        "ssh": "ssh:SshNodes",
        "slurm": "slurm:SlurmNodes",
        "pbs": "pbs:PbsNodes",
        "lsf": "lsf:LsfNodes",
        "flux": "flux:FluxNodes",
        "gridengine": "gridengine:GridEngineNodes",
        "oar": "oar:OarNodes",
    },
)

AnyNodes = Annotated[SerializeAsAny[Nodes], BeforeValidator(KINDS.read)]
