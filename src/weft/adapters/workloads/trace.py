"""trace: the jobs of a trace in SWIM's format, submitted at their moments to one cluster."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from weft.adapters.workloads import jobtrace
from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    Workload,
    engine_job,
    generators,
    heap_of,
    program,
)
from weft.adapters.workloads.jobtrace import Scaling, TraceJob
from weft.facts.roles import ROLES, Role
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import MOST, Count, Size

_FILE = 64_000_000
"""Bytes of a file of the input, at most."""


class Trace(Workload):
    """Replay a trace of jobs: each is submitted on schedule, and moves its bytes of input, shuffle and output."""

    kind: Literal["trace"] = "trace"
    checker = Checker(
        "TraceValidate",
        "the output of each job, every byte, by bytes that are made again; what was moved between tasks, as the job counted it",
        ("output of a wrong job",),
        ("TraceTest",),
    )
    positional = "file"
    engines = ("spark", "hadoop")
    roles = ROLES

    file: Path = Field(description="the trace; `weft trace FILE` shows what scaling does to it")
    jobs: Count | None = Field(default=None, description="number of jobs; default: all")
    choose: Literal["first", "sample"] = Field(
        default="first", description="the first jobs, or a seeded sample"
    )
    bytes_scale: float = Field(default=1.0, gt=0, le=1e6, description="factor of all sizes")
    time_scale: float = Field(default=1.0, ge=0, le=1e6, description="factor of all times")
    map_bytes: Size = Field(default=_FILE, ge=1, description="bytes of input for each map task")
    reduce_bytes: Size = Field(
        default=_FILE, ge=1, description="bytes of shuffle or output, whichever is more, for each reduce task"
    )
    alone: int = Field(
        default=20, ge=0, le=MOST, description="jobs that also run alone afterwards, of all sizes; at most"
    )
    warm_up: int = Field(
        default=8,
        ge=0,
        le=MOST,
        description="jobs, of all sizes, that run at once before the clock starts and count for nothing",
    )
    seed: int = Field(default=0, ge=0, le=1 << 20, description="seed of the choice and of all content")

    @model_validator(mode="after")
    def _read(self) -> "Trace":
        """A broken trace is refused before anything starts."""
        _ = self.schedule, self.digest
        return self

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file as it was replayed, in hexadecimal."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    @cached_property
    def trace(self) -> list[TraceJob]:
        """All jobs of the trace."""
        return jobtrace.read(self.file)

    @cached_property
    def schedule(self) -> list[TraceJob]:
        """The jobs that are replayed."""
        return jobtrace.scaled(self.trace, self.scaling)

    @property
    def scaling(self) -> Scaling:
        return Scaling(self.jobs, self.choose, self.bytes_scale, self.time_scale, self.seed)

    @property
    def unpredicted(self) -> str:
        return "its jobs begin when its schedule says"

    @property
    def takes(self) -> Mapping[Role, int]:
        again = sum(self.schedule[number].output for number in (*self.representatives, *self.warming))
        return {"input": self._files * self._file, "output": sum(job.output for job in self.schedule) + again}

    @property
    def representatives(self) -> list[int]:
        """Numbers of the jobs that also run alone."""
        return jobtrace.spread(self.schedule, self.alone)

    @property
    def warming(self) -> list[int]:
        """Numbers of the jobs that run before the replay."""
        return jobtrace.spread(self.schedule, self.warm_up)

    def generated(self, layout: Layout) -> Mapping[Path, str]:
        return {self._schedule(layout): jobtrace.text(self.schedule)}

    def prepare(self, layout: Layout) -> Sequence[Command]:
        fixed = {"output": layout.places["input"].path, "bytes": self._file, "seed": self.seed}
        return generators(layout, "DfsioGen", self._files, fixed, span="")

    def job(self, prepared: Prepared) -> Job:
        return engine_job(prepared.layout, "trace", "Trace", self._options(prepared.layout))

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        options = {**self._options(layout), "threads": layout.head.cores}
        heap = heap_of(layout.head.cores)
        return [program(layout, "validate", "TraceValidate", options, heap=heap)]

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        found: Sequence[Mapping[str, Any]] = ran["jobs"]
        wrong = results.checked[0]["wrong"]
        reasons = [*self._missing(found)]
        failed = [job for job in found if job["failure"]]
        reasons += _first(failed, "jobs failed", lambda job: f"{job['job']}: {job['failure']}")
        reasons += _first(ran.get("warm_up_failures", []), "jobs failed during the warm-up", str)
        unfinished = [job for job in found if job.get("alone_failure")]
        reasons += _first(
            unfinished, "jobs failed alone", lambda job: f"{job['job']}: {job['alone_failure']}"
        )
        # a job that failed has no output
        claimed = {f"job {job['number']}" for job in found if not job["failure"]}
        claimed |= {f"alone {job['number']}" for job in found if "alone" in job and not job["alone_failure"]}
        bad = [name for name in wrong if name in claimed]
        reasons += _first(bad, "outputs are wrong", lambda name: f"{name}: {wrong[name]}")
        done = [job for job in found if not job["failure"]]
        moved = (sum(job["read"] for job in done), sum(job["written"] for job in done))
        return Judgement(not reasons, "; ".join(reasons), *moved, ran.get("seconds"), self._facts(found))

    def _missing(self, found: Sequence[Mapping[str, Any]]) -> list[str]:
        """Every job of the schedule must be reported, with the bytes that the schedule says."""
        if len(found) != len(self.schedule):
            return [f"{len(found)} jobs are reported of {len(self.schedule)}"]
        wrong = [
            (job, ran)
            for job, ran in zip(self.schedule, found, strict=True)
            if not ran["failure"]
            and (ran["job"], ran["moved"], ran["written"]) != (job.name, job.shuffle, job.output)
        ]
        return _first(wrong, "jobs moved other bytes", lambda pair: pair[0].name)

    def _facts(self, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        lags = [job["submitted"] - job["scheduled"] for job in found]
        return {
            "jobs": len(found),
            "failed": sum(1 for job in found if job["failure"]),
            "lag": jobtrace.quantiles(lags),
            "job_seconds": jobtrace.quantiles(
                [job["ended"] - job["submitted"] for job in found if not job["failure"]]
            ),
            "slowdown": jobtrace.quantiles(slowdowns(found)),
            "sha256": self.digest,
            **jobtrace.compared(self.trace, self.schedule, self.scaling),
        }

    @property
    def _file(self) -> int:
        """Bytes of each file of the input: whole words, no more than the largest job reads."""
        return (min(_FILE, max(job.input for job in self.schedule)) + 7) // 8 * 8

    @property
    def _files(self) -> int:
        """As many as hold the input of the largest job; others read parts of it, from places of their own."""
        return -(-max(job.input for job in self.schedule) // self._file) if self._file else 0

    def _schedule(self, layout: Layout) -> Path:
        return layout.directory / "schedule.tsv"

    def _options(self, layout: Layout) -> dict[str, object]:
        return {
            "schedule": self._schedule(layout),
            "input": layout.places["input"].path,
            "output": layout.places["output"].path,
            "files": self._files,
            "file-bytes": self._file,
            "map-bytes": self.map_bytes,
            "reduce-bytes": self.reduce_bytes,
            "alone": ",".join(map(str, self.representatives)),
            "warm-up": ",".join(map(str, self.warming)),
            "seed": self.seed,
        }


def slowdowns(found: Sequence[Mapping[str, Any]]) -> list[float]:
    """Of each job that ran both ways: its time from submission to end, over that of running alone."""
    return [
        (job["ended"] - job["submitted"]) / job["alone"]
        for job in found
        if not job["failure"] and job.get("alone") and not job["alone_failure"]
    ]


def _first(found: Sequence[Any], what: str, show: Any) -> list[str]:
    """How many, and the first."""
    return [f"{len(found)} {what}, first {show(found[0])}"] if found else []
