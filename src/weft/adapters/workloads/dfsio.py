"""dfsio: the throughput of a storage for tasks that write and read files, with the figures of Hadoop's TestDFSIO.

Unlike TestDFSIO, a program without the engine reads back what was written, and compares the checksum of what was read.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    Workload,
    answer,
    engine_job,
    generators,
    heap_of,
    program,
)
from weft.facts.roles import ROLES, Role
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count, Size

_MOVED = ("files", "bytes", "checksum")
_RATES = ("throughput", "average_rate", "rate_deviation", "slowest_rate", "aggregate_rate", "open_seconds")


class Dfsio(Workload):
    """Files for the engine's tasks, one file per task: write, append, read, or read at random positions."""

    kind: Literal["dfsio"] = "dfsio"
    checker = Checker(
        "DfsioValidate",
        "every byte that was written; of what was read, the answer: length and CRC32 of each file; by bytes that are made again",
        (
            "a wrong file",
            "a read of a wrong file",
            "a read that ends early",
            "a job that does not read",
        ),
        ("DfsioTest",),
    )
    positional = "operation"
    engines = ("spark", "hadoop")
    roles = ROLES

    operation: Literal["write", "append", "read", "random"] = Field(
        default="write", description="write and append are on --output, read and random on --input"
    )
    files: int = Field(
        default=8, ge=1, le=1_000_000, description="number of files; 10000 for many small ones"
    )
    size: Size = Field(
        default=64 << 20, ge=8, le=1 << 50, description="bytes of each file, in whole words of 8"
    )
    buffer: Size = Field(default=1_000_000, ge=8, le=1 << 30, description="bytes of each read or write")
    tasks: Count | None = Field(
        default=None, description="tasks that share the files; default: one per file, at most 8 per slot"
    )
    seed: int = Field(default=0, ge=0, le=1 << 30, description="seed of the files' content")

    @property
    def tasks_key(self) -> str:
        return "tasks"

    @property
    def amount(self) -> Mapping[str, float]:
        return {"size": self.size}

    @property
    def role(self) -> Role:
        """The role whose storage is measured."""
        return "output" if self.operation in {"write", "append"} else "input"

    def prepare(self, layout: Layout) -> Sequence[Command]:
        if self.operation == "write":
            return []
        fixed = {"output": layout.places[self.role].path, "bytes": _words(self.size), "seed": self.seed}
        return generators(layout, "DfsioGen", self.files, fixed, span="")

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        tasks = self.tasks or min(self.files, 8 * layout.slots)
        options = {**self._options(layout, "directory"), "tasks": tasks}
        if self.role == "input":
            del options["seed"]  # with it, a job could know the content without reading it
        return engine_job(layout, "dfsio", "Dfsio", options)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        options = {**self._options(layout, "input"), "threads": layout.head.cores}
        heap = heap_of(layout.head.cores)
        return [program(layout, "validate", "DfsioValidate", options, heap=heap)]

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        found = results.checked[0]
        moved = int(ran.get("bytes", 0))
        written = self.role == "output"
        facts = {"operation": self.operation, **{key: ran.get(key) for key in (*_MOVED, *_RATES)}}
        read, wrote = (0, moved) if written else (moved, 0)
        return Judgement(found["valid"], str(found.get("reason", "")), read, wrote, ran.get("seconds"), facts)

    def _options(self, layout: Layout, directory: str) -> dict[str, object]:
        return {
            directory: layout.places[self.role].path,
            "operation": self.operation,
            "files": self.files,
            "bytes": _words(self.size),
            "buffer": _words(self.buffer),
            "seed": self.seed,
            "answer": answer(layout),
        }


def _words(size: int) -> int:
    """Whole words of 8 bytes."""
    return size // 8 * 8
