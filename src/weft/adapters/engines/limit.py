"""The limit of a node: weft's own sort in one process, without a cluster, a network or anything else that an engine has."""

from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.errors import UsageError
from weft.layout.job import Job
from weft.layout.plan import Command, Layout, Plan
from weft.record.derived import Derived

PROGRAM = "gauge"


class LimitEngine(Engine):
    """The program of `weft calibrate` as an engine: its input, its result and its checks are those of any engine."""

    kind: Literal["limit"] = "limit"
    positional: ClassVar[str] = "between"
    native: ClassVar[tuple[str, ...]] = (PROGRAM,)
    most_nodes: ClassVar[int | None] = 1

    between: Literal["files", "memory"] = Field(
        default="files",
        description="what is measured: from files to files, or only the sort from memory to memory, after reading and before writing",
    )

    @property
    def label(self) -> str:
        return self.kind if self.between == "files" else f"{self.kind}:{self.between}"

    def plan(self, layout: Layout) -> Plan:
        if layout.uris:
            raise UsageError(
                f"limit reads and writes mounted files only, not {layout.uris[0]}",
                hint="use a storage with paths for input and output, such as memory or disk",
            )
        derived = Derived(
            counts={"processes, without a cluster": 1},
            slots=layout.head.cores,
            sizes={"memory of the process": _memory(layout)},
            notes={"measured": f"from {self.between} to {self.between}"},
        )
        return Plan({}, (), (), {self.kind: derived})

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind)
        options = ["--threads", str(layout.head.cores), "--memory", str(_memory(layout))]
        argv = [str(layout.native / PROGRAM), job.program, *options, "--between", self.between]
        return job.command(job.name, layout.head, [*argv, *job.arguments], layout.environment(layout.head))


def _memory(layout: Layout) -> int:
    """Bytes for the process; the rest of the node is for its files in memory, if there are any."""
    return layout.head.memory * 8 // 10
