"""No workload: the cluster executes its user's own commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal, NoReturn

from pydantic import Field

from weft.errors import UsageError
from weft.layout.plan import Command, Layout
from weft.text.fields import Duration
from weft.workloads.base import NOBODY, CheckedBy, Judgement, Outcome, Workload


class Persistent(Workload):
    """A persistent cluster, until `weft down` or a limit ends it."""

    kind: Literal["persistent"] = "persistent"
    checked_by: ClassVar[CheckedBy] = NOBODY
    positional: ClassVar[str] = "name"
    engines: ClassVar[tuple[str, ...]] = ("spark", "hadoop", "flink", "null")
    roles: ClassVar[tuple[str, ...]] = ("output", "shuffle")

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
    directory: Path = Field(
        default_factory=Path.cwd, description="working directory of its user, visible on every node"
    )

    @property
    def paths(self) -> list[Path]:
        return [self.directory]

    @property
    def purpose(self) -> str:
        return f"cluster {self.name}"

    def prepare(self, layout: Layout) -> Sequence[Command]:  # noqa: ARG002 - the user's commands have their own input
        return []

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> NoReturn:  # noqa: ARG002
        raise UsageError(
            "a persistent cluster is not a workload of `weft run`",
            hint="start it with `weft up`, then use `weft exec` or `weft submit --to`",
        )

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:  # noqa: ARG002 - unknown
        return []

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:  # noqa: ARG002
        return Judgement(valid=True, reason="", bytes_in=0, bytes_out=0)
