"""What all nodes on hosts other than weft's own have in common: other users may be logged in there."""

from typing import ClassVar

from pydantic import Field

from weft.adapters.nodes.base import Nodes
from weft.errors import UsageError
from weft.text.fields import MOST, Size


class Hosts(Nodes):
    """Nodes on other hosts."""

    on_other_hosts: ClassVar[bool] = True
    reached_by: ClassVar[str] = "every user of these hosts and of their network"

    cores: int | None = Field(
        default=None, ge=1, le=MOST, description="cores per node; default: those of the job or of the host"
    )
    memory: Size | None = Field(
        default=None, description="memory per node; default: what the job or the host has available"
    )
    trusted: bool = Field(
        default=False,
        description="nobody else can log in to these hosts or reach their network; security=none requires it",
    )

    def require_unsecured(self) -> None:
        if not self.trusted:
            raise UsageError(
                f"with security=none, {self.reached_by} could run programs with your rights",
                hint="omit security=none; or, if nobody else can reach these hosts, add --set nodes.trusted=true",
            )
