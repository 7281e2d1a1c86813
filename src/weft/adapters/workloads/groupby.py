"""GroupBy: the worst-case shuffle, every mapper sending to every reducer (Spark's GroupByTest, seeded and checked)."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from weft.adapters.workloads.base import Checker, Judgement, Prepared, Results, Workload, engine_job, program
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count

_PROVED = ("groups", "pairs", "checksum")


class GroupBy(Workload):
    """Random pairs, cached, then grouped by key; mappers x reducers shuffle blocks."""

    kind: Literal["groupby"] = "groupby"
    checker = Checker(
        "GroupByAnswer",
        "the numbers of groups and pairs and the sum of the pairs' hashes; by pairs that are made again",
        (
            "pairs lost, repeated, changed or exchanged",
            "a split group",
        ),
        ("AnswersTest",),
    )
    positional = "pairs"
    own_data = True
    engines = ("spark", "timely", "dask", "ray")

    mappers: Count | None = Field(
        default=None, description="map partitions; default: `mappers_per_slot` for each slot"
    )
    mappers_per_slot: Count = Field(
        default=4, description="map partitions for each slot (Chaimov et al., figure 4: 4)"
    )
    reducers: Count | None = Field(default=None, description="reduce partitions; default: as many as mappers")
    pairs: int = Field(default=20_000, ge=1, le=(1 << 31) - 1, description="pairs per mapper")
    value_bytes: Count = Field(default=1000, description="bytes of each value")
    seed: int = Field(default=0, ge=0, description="seed of the generator")

    @property
    def tasks_key(self) -> str:
        return "mappers"

    def maps(self, layout: Layout) -> int:
        """Map partitions on these nodes."""
        return self.mappers or self.mappers_per_slot * layout.slots

    def options(self, layout: Layout) -> dict[str, object]:
        return {
            "mappers": self.maps(layout),
            "pairs": self.pairs,
            "value-bytes": self.value_bytes,
            "seed": self.seed,
        }

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {**self.options(layout), "reducers": self.reducers or self.maps(layout)}
        return engine_job(layout, "groupby", "GroupBy", options)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        return [program(layout, "answer", "GroupByAnswer", self.options(layout), heap=1 << 30)]

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        answer = results.checked[0]
        wrong = [
            f"{key} is {ran.get(key)}, the generator's is {answer[key]}"
            for key in _PROVED
            if ran.get(key) != answer[key]
        ]
        facts = {key: ran.get(key) for key in (*_PROVED, "shuffle_blocks", "phases")}
        moved = answer["pairs"] * (4 + self.value_bytes)
        return Judgement(not wrong, "; ".join(wrong), moved, 0, ran.get("seconds"), facts)
