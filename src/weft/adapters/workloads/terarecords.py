"""Records of Hadoop's TeraGen as input, for TeraSort and TeraCount."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from weft.adapters.workloads.base import Outcome, Workload, generators
from weft.facts import engines
from weft.facts.roles import ROLES, Role
from weft.layout.plan import Command, Layout
from weft.text.fields import Count, Size

RECORD = 100
"""Bytes of a record: a 10-byte key and a 90-byte value (sortbenchmark.org, gensort)."""


class TeraRecords(Workload):
    """The common part of TeraSort and TeraCount: generated input, and its checksum."""

    engines: ClassVar[tuple[str, ...]] = ("spark", "hadoop", "flink", "timely")
    roles = ROLES
    keeps_input = True

    size: Size = Field(
        default=1_000_000_000, ge=RECORD, description="bytes of input, in records of 100 bytes"
    )
    partitions: Count | None = Field(
        default=None, description="reduce partitions; default: one per 64 MB, at least two per slot"
    )
    parts: Count | None = Field(default=None, description="input files; default: two per slot")
    seed: int = Field(
        default=0, ge=0, le=1 << 20, description="seed of the records; 0 gives those of Hadoop's TeraGen"
    )

    @property
    def amount(self) -> Mapping[str, float]:
        return {"size": self.size}

    @property
    def takes(self) -> Mapping[Role, int]:
        return {"input": self.size}

    @property
    def rows(self) -> int:
        return self.size // RECORD

    def prepare(self, layout: Layout) -> Sequence[Command]:
        count = self.parts or max(2 * layout.slots, len(layout.nodes))
        place = layout.places["input"].path
        options = {"rows": self.rows, "parts": count, "seed": self.seed, "output": place}
        return generators(layout, "TeraGen", count, options)

    def reducers(self, layout: Layout) -> int:
        return self.partitions or by_size(layout, self.size)


def by_size(layout: Layout, size: int) -> int:
    """Reduce partitions of 64 MB: smaller ones are not faster (the IBM network study, 12 GB TeraSort). Not more than the engine has."""
    wanted = max(2 * layout.slots, -(-size // 64_000_000))
    return min(wanted, engines.of(layout.engine).most_tasks or wanted)


def total(outcomes: Sequence[Outcome], key: str = "checksum", bits: int = 128) -> str:
    """The sum of the checksums of the parts, in hex; it wraps at so many bits."""
    return f"{sum(int(outcome[key], 16) for outcome in outcomes) % (1 << bits):x}"
