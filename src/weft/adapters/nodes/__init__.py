"""Where processes run: one file per adapter."""

from typing import Annotated

from pydantic import BeforeValidator, SerializeAsAny

from weft.adapters.nodes import flux, gridengine, local, lsf, null, oar, pbs, slurm, ssh, virtual
from weft.adapters.nodes.base import Nodes
from weft.text.family import Family

KINDS: Family[Nodes] = Family()
KINDS.add(
    null.NullNodes,
    local.LocalNodes,
    virtual.VirtualNodes,
    ssh.SshNodes,
    slurm.SlurmNodes,
    pbs.PbsNodes,
    lsf.LsfNodes,
    flux.FluxNodes,
    gridengine.GridEngineNodes,
    oar.OarNodes,
)

AnyNodes = Annotated[SerializeAsAny[Nodes], BeforeValidator(KINDS.read)]
