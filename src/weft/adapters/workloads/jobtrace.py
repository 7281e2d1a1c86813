"""Job traces in the format of SWIM (Statistical Workload Injector for MapReduce), and smaller replays of them.

A line is a job: its name, the second of its submission, the seconds since the job before it, and its bytes of input,
shuffle and output, separated by tabs. Further columns, such as SWIM's input paths, are ignored.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from weft.errors import UsageError, why
from weft.text import entry

COLUMNS = ("name", "submitted", "gap", "input", "shuffle", "output")
LEVELS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
"""The quantiles that describe a distribution."""
MOST_BYTES = 1 << 50
"""Most bytes of one job of a replay."""
LEAST = {"input": 1, "shuffle": 8, "output": 1}
"""A positive size stays at least so many bytes: a map-only job stays one, a job with a shuffle too; 8 are a record's key."""

Choice = Literal["first", "sample"]


@dataclass(frozen=True)
class TraceJob:
    """A job of a trace; times in seconds, sizes in bytes."""

    name: str
    submitted: float
    input: int
    shuffle: int
    output: int

    @property
    def size(self) -> int:
        """All bytes that it moves."""
        return self.input + self.shuffle + self.output


@dataclass(frozen=True)
class Scaling:
    """How a replay is made smaller than its trace."""

    jobs: int | None = None
    choose: Choice = "first"
    bytes: float = 1.0
    time: float = 1.0
    seed: int = 0


def read(path: Path) -> list[TraceJob]:
    """The jobs of a trace, in order. Raises UsageError that names the file and the line."""
    try:
        lines = entry.of(path.resolve()).data().decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read the trace {path}: {why(error) if isinstance(error, OSError) else 'it is not text'}",
            hint="write trace:FILE, a file in SWIM's format",
        ) from error
    jobs: list[TraceJob] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            jobs.append(_job(line))
            if jobs[1:] and jobs[-1].submitted < jobs[-2].submitted:
                raise ValueError(f"it is submitted before the job above it, {jobs[-2].name}")  # noqa: TRY301
        except ValueError as error:
            raise UsageError(
                f"{path}, line {number}: {error}",
                hint=f"a line is a job: {', '.join(COLUMNS)}, separated by tabs; seconds and bytes",
            ) from error
    if not jobs:
        raise UsageError(f"the trace {path} has no jobs", hint="a line is a job, in SWIM's format")
    return jobs


def text(jobs: Sequence[TraceJob]) -> str:
    """The jobs as a trace, with milliseconds."""
    last, lines = 0.0, []
    for job in jobs:
        gap, last = job.submitted - last, job.submitted
        lines.append(
            f"{job.name}\t{job.submitted:.3f}\t{gap:.3f}\t{job.input}\t{job.shuffle}\t{job.output}\n"
        )
    return "".join(lines)


def scaled(jobs: Sequence[TraceJob], scaling: Scaling) -> list[TraceJob]:
    """The jobs of a replay; the first is submitted at 0. Raises UsageError if a scale leaves none or too much."""
    chosen = _chosen(jobs, scaling)
    begin = chosen[0].submitted
    found = [
        TraceJob(
            job.name,
            round((job.submitted - begin) * scaling.time, 3),
            *(_bytes(getattr(job, name) * scaling.bytes, least) for name, least in LEAST.items()),
        )
        for job in chosen
    ]
    for job in found:
        if job.size > MOST_BYTES:
            raise UsageError(
                f"{job.name} of the trace moves {job.size:,} bytes at this scale, more than {MOST_BYTES:,}",
                hint="choose a smaller bytes_scale",
            )
    return found


def spread(jobs: Sequence[TraceJob], count: int) -> list[int]:
    """Numbers of jobs that represent all sizes: equally far apart in the order of their bytes."""
    ordered = sorted(range(len(jobs)), key=lambda number: (jobs[number].size, number))
    count = min(count, len(jobs))
    return sorted(ordered[(2 * i + 1) * len(ordered) // (2 * count)] for i in range(count))


def distributions(jobs: Sequence[TraceJob]) -> dict[str, list[float]]:
    """The quantiles of LEVELS of each size, and of the seconds between submissions."""
    values: Mapping[str, list[float]] = {
        "gap": [after.submitted - before.submitted for before, after in pairwise(jobs)],
        **{name: [getattr(job, name) for job in jobs] for name in LEAST},
    }
    return {name: quantiles(found) for name, found in values.items()}


def described(jobs: Sequence[TraceJob]) -> dict[str, object]:
    """A trace in numbers: of jobs, of seconds and of bytes, and its distributions."""
    return {
        "jobs": len(jobs),
        "map_only": sum(1 for job in jobs if not job.shuffle),
        "seconds": round(jobs[-1].submitted - jobs[0].submitted, 3),
        **{name: sum(getattr(job, name) for job in jobs) for name in LEAST},
        "quantiles": distributions(jobs),
    }


def compared(trace: Sequence[TraceJob], replay: Sequence[TraceJob], scaling: Scaling) -> dict[str, object]:
    """A trace and its replay in numbers."""
    return {
        "levels": list(LEVELS),
        "bytes_scale": scaling.bytes,
        "time_scale": scaling.time,
        "trace": described(trace),
        "replay": described(replay),
    }


def quantiles(values: Sequence[float]) -> list[float]:
    """The quantiles of LEVELS, interpolated between the two nearest values; none without values."""
    ordered = sorted(values)
    return [_between(ordered, level * (len(ordered) - 1)) for level in LEVELS] if ordered else []


def _between(ordered: Sequence[float], place: float) -> float:
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (place - below))


def _chosen(jobs: Sequence[TraceJob], scaling: Scaling) -> list[TraceJob]:
    count = len(jobs) if scaling.jobs is None else scaling.jobs
    if count > len(jobs):
        raise UsageError(
            f"the trace has {len(jobs)} jobs, fewer than jobs={count}", hint="leave out jobs for all of them"
        )
    if scaling.choose == "first":
        return list(jobs[:count])
    picked = random.Random(scaling.seed).sample(range(len(jobs)), count)  # noqa: S311 - a seeded choice
    return [jobs[number] for number in sorted(picked)]


def _bytes(size: float, least: int) -> int:
    return max(least, round(size)) if size else 0


def _job(line: str) -> TraceJob:
    fields = line.rstrip("\r\n").split("\t")
    if len(fields) < len(COLUMNS):
        raise ValueError(f"{len(fields)} columns instead of {len(COLUMNS)}")
    name, submitted, _, *sizes = (field.strip() for field in fields[: len(COLUMNS)])
    if not name:
        raise ValueError("the job has no name")
    if not name.isprintable():
        raise ValueError(f"{name!r} is not a name that can be printed")
    return TraceJob(name, _seconds(submitted), *map(_whole, COLUMNS[3:], sizes))


def _seconds(field: str) -> float:
    digits = field.replace(".", "", 1)
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"submitted is {field!r}, not a number of seconds")
    return float(field)


def _whole(column: str, field: str) -> int:
    if not (field.isascii() and field.isdigit()):
        raise ValueError(f"{column} is {field!r}, not a whole number of bytes")
    return int(field)
