"""pi: points of a Halton sequence in a circle, as in Hadoop's example, in exact arithmetic."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from weft.adapters.workloads.base import Checker, Judgement, Prepared, Results, Workload, engine_job, program
from weft.layout.job import Job
from weft.layout.plan import Command
from weft.text.fields import Count


class Pi(Workload):
    """Only arithmetic in many tasks; the same number of points gives the same count on every engine."""

    kind: Literal["pi"] = "pi"
    checker = Checker(
        "PiAnswer",
        "the number of points in the circle; by boxes of a grid, without the points",
        ("another count",),
        ("test_verdicts",),
    )
    positional = "points"
    engines = ("spark", "hadoop", "flink")

    points: int = Field(default=1_000_000_000, ge=1, le=847_288_609_442, description="points of the sequence")
    tasks: Count | None = Field(default=None, description="number of tasks; default: 4 per slot")

    @property
    def tasks_key(self) -> str:
        return "tasks"

    @property
    def amount(self) -> Mapping[str, float]:
        return {"points": self.points}

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {"points": self.points, "tasks": self.tasks or 4 * layout.slots}
        return engine_job(layout, "pi", "Pi", options)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        return [program(prepared.layout, "answer", "PiAnswer", {"points": self.points})]

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        right = results.checked[0]["inside"]
        reason = (
            ""
            if ran.get("inside") == right
            else f"the job counted {ran.get('inside')} points in the circle instead of {right}"
        )
        facts = {key: ran.get(key) for key in ("points", "inside", "pi")}
        return Judgement(not reason, reason, 0, 0, ran.get("seconds"), facts)
