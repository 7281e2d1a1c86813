"""No workload: the cluster executes its user's own commands."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.adapters.workloads.base import ClusterUse
from weft.facts import engines
from weft.text.fields import Duration

_PERSISTENT = [name for name, facts in engines.ALL.items() if facts.persistent]


class Persistent(ClusterUse):
    """A persistent cluster, until `weft down` or a limit ends it."""

    kind: Literal["persistent"] = "persistent"
    positional = "name"
    engines = tuple(dict.fromkeys(("spark", *_PERSISTENT)))
    roles = ("output", "scratch")

    name: str = Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,40}$",
        description="name that begins with a letter and has letters, digits, _, . and - (41 at most); used by `weft exec`, `weft logs` and `weft down`",
    )
    limit: Duration | None = Field(default=None, gt=0, description="time limit; default: none")
    idle: Duration | None = Field(
        default=None,
        gt=0,
        description="idle time after which it ends; default: unlimited",
    )
    ready: bool = Field(
        default=False,
        description="keep an application that has its executors and waits for the next measured run (Spark with its own Master)",
    )
    directory: Path = Field(
        default_factory=Path.cwd, description="working directory of its user, visible on every node"
    )

    @property
    def paths(self) -> list[Path]:
        return [self.directory]

    @property
    def purpose(self) -> str:
        return f"cluster {self.name}"
