"""pagerank: one definition on every engine. Start 1/N, fixed rounds, declared dangling and parallel-edge modes.

Each rank is compared with a reference and may differ from it by a small share, because sums of floating-point numbers depend
on the order in which an engine adds them.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    Workload,
    engine_job,
    generators,
    program,
)
from weft.facts.roles import ROLES
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count


class PageRank(Workload):
    """Ranks of a generated graph with power laws; weft's own blocks and messages."""

    kind: Literal["pagerank"] = "pagerank"
    checker = Checker(
        "PageRankValidate",
        "the output: the rank of each vertex; by ranks from edges that are drawn again",
        (
            "LineMutant without SWAP",
            "a lost edge",
        ),
        ("PageRankTest.wrongRanksAreNamed", "PageRankTest"),
    )
    positional = "vertices"
    engines: ClassVar[tuple[str, ...]] = ("spark", "hadoop", "flink", "timely", "powergraph")
    roles = ROLES
    keeps_input = True
    method: ClassVar[str] = "own"

    vertices: int = Field(
        default=1_000_000, ge=1, le=1_000_000_000, description="vertices; 11 edges each on average"
    )
    rounds: int = Field(default=10, ge=0, le=100_000, description="number of rounds")
    damping: float = Field(default=0.85, ge=0, le=1, description="share of a rank that follows edges")
    dangling: Literal["spread", "leak"] = Field(
        default="spread", description="ranks of vertices without out-edges: to all vertices equally, or lost"
    )
    edges: Literal["keep", "merge"] = Field(
        default="keep", description="edges with the same ends: each counts, or all count as one"
    )
    self_edges: Literal["keep", "drop"] = Field(
        default="keep", description="edges from a vertex to itself: in the graph, or left out of it"
    )
    bound: float = Field(
        default=1e-11,
        gt=0,
        le=2,
        description="largest difference of a rank from the reference, as a share of it",
    )
    partitions: Count | None = Field(default=None, description="blocks of the graph; default: 2 per slot")
    parts: Count | None = Field(default=None, description="input files; default: two per slot")
    seed: int = Field(default=0, ge=0, le=1 << 30, description="seed of the generator")

    @property
    def amount(self) -> Mapping[str, float]:
        return {"vertices": self.vertices}

    def definition(self) -> dict[str, object]:
        """The options that define the ranks."""
        return {
            "vertices": self.vertices,
            "rounds": self.rounds,
            "damping": self.damping,
            "dangling": self.dangling,
            "edges": self.edges,
        }

    def prepare(self, layout: Layout) -> Sequence[Command]:
        count = self.parts or max(2 * layout.slots, len(layout.nodes))
        where = {"parts": count, "output": layout.places["input"].path}
        return generators(layout, "GraphGen", count, {"vertices": self.vertices, **self._graph(), **where})

    def _graph(self) -> dict[str, object]:
        """The options that decide, with the number of vertices, which edges there are."""
        return {"seed": self.seed, "self-edges": self.self_edges}

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            **self.definition(),
            "input": layout.places["input"].path,
            "method": self.method,
            "output": layout.places["output"].path,
            "partitions": self.partitions or 2 * layout.slots,
        }
        return engine_job(layout, "pagerank", "PageRank", options)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        place = layout.places["output"].path
        options = {**self.definition(), **self._graph(), "bound": self.bound, "input": place}
        heap = (1 << 29) + 40 * self.vertices
        return [program(layout, "validate", "PageRankValidate", options, heap=heap)]

    def judge(self, results: Results) -> Judgement:
        prepared, ran = results.prepared, results.ran
        found = results.checked[0]
        generated = sum(outcome["vertices"] for outcome in prepared)
        reason = str(found.get("reason", ""))
        if generated != self.vertices:
            reason = f"the generator produced {generated} vertices instead of {self.vertices}"
        facts = {
            "edges": sum(outcome["edges"] for outcome in prepared),
            "dangling": sum(outcome["dangling"] for outcome in prepared),
            **{key: found.get(key) for key in ("difference", "bound", "sum")},
            "method": ran.get("method"),
        }
        if "engine_seconds" in ran:
            facts["engine_seconds"] = ran["engine_seconds"]
        return Judgement.of(ran, reason, facts, valid=found["valid"])


class PageRankGraphx(PageRank):
    """The same ranks with GraphX's operators."""

    kind: Literal["pagerank-graphx"] = "pagerank-graphx"  # type: ignore[assignment]
    engines: ClassVar[tuple[str, ...]] = ("spark",)
    method: ClassVar[str] = "graphx"
