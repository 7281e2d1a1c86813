"""Predicts published ratios of times from runs of weft and machine files, and prints both.

Where a paper does not say how much data a job had, or how fast a service was, there is a range: of it each end is predicted, so that a
prediction is an interval. Runs are made as bench/publishedjobs.toml says, and kept under their names in the directory of the records.
"""

import argparse
import json
import math
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from commands import weft
from counted import Counted, of_table
from figures import rows, tables
from figures.rows import Row

from weft.analysis.explain.slots import Stage
from weft.analysis.predict import demand, memory
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import Target
from weft.api import growing, machines
from weft.host import settings
from weft.record import record

HERE = Path(__file__).parent
PROBES = ("--set", "probes=proc,threads,engine,fileops")
TABLE = "published"
CORES, SPILLS = "cores", "spills"
"""Keys of what is assumed that are not of a machine: slots of a node, and whether tasks spill that may or may not."""


@dataclass(frozen=True)
class Time:
    """One of the two times of a ratio, as bench/published.toml has it."""

    run: str
    machine: str
    nodes: int
    storages: Mapping[str, str]
    """By role, in short form."""
    counted: Counted
    """What the paper says of its job."""
    size: float | None = None
    partitions: int | None = None
    cores: int | None = None
    memory: float = 0.0
    """Bytes in which the tasks of an executor sort and group; 0: not published, and taken as enough."""
    reopened: bool = False
    """Whether the engine opens the one file of a task again for each block."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Of the machine, for this time only."""
    ranges: Mapping[str, Any] = field(default_factory=dict)
    """What is assumed of the machine and the job: the ends of each value, by key."""
    each: bool = False
    """Whether a slot has as much data as where it was measured, instead of all slots together."""

    @classmethod
    def of(cls, point: Mapping[str, Any], which: str, asked: Mapping[str, Any]) -> "Time":
        job = asked["jobs"].get(point[which].get("job", point.get("job")), {})
        run = {**job, **point, **point[which]}["run"]
        own = {**job, **point, **job.get("at", {}).get(_nodes(point, which), {}), **point[which]}
        table = {"size": asked["runs"][run].get("size"), **own}
        ranges = {**asked["machines"][table["machine"]], **job.get("ranges", {})}
        calls = {
            key: one["count"] * one.get("nodes", table["nodes"]) / table["nodes"]
            for key, one in job.get("calls", {}).items()
        }
        on = table.get("on", {})
        keys = ("size", "partitions", "cores", "memory", "reopened", "each", "values")
        words = {key: table[key] for key in keys if key in table}
        counted = of_table({**table, "request": _request(job, on), "calls": calls})
        return cls(run, table["machine"], table["nodes"], on, counted, ranges=ranges, **words)

    def assumed(self) -> list[str]:
        """The keys of what is assumed of it: of storages only those that are used."""
        used = set(self.storages.values()) | {
            word for text in self.storages.values() for word in text.split("+")
        }
        return [key for key in self.ranges if "." not in key or key.partition(".")[0] in used]


def _nodes(point: Mapping[str, Any], which: str) -> str:
    return str(point[which].get("nodes", point["nodes"]))


def _request(job: Mapping[str, Any], on: Mapping[str, str]) -> float:
    """Bytes of a call on the storage of a job's scratch; 0 where no paper says it."""
    return float(job.get("requests", {}).get(on.get("scratch"), 0.0))


@cache
def read(run: str) -> tuple[Recorded, Machine]:
    """A record, and where it was measured."""
    stored = record.find(settings.runs(), run)
    recorded = growing.read(stored)
    return recorded, machines.of_record(stored, recorded)


def seconds(run: str, time: Time, ends: Mapping[str, str]) -> tuple[float, float]:
    """What a run would take at one of the times, and by how much that is extrapolated. `ends`: of each assumed key."""
    original, here = read(run)
    there = machines.of_name(time.machine)
    assumed = {key: time.ranges[key][ends[key]] for key in time.assumed()}
    cores = assumed.pop(CORES, time.cores)
    for key, value in {**assumed, **time.values}.items():
        there = with_value(there, key, value)
    others = {role: text for role, text in time.storages.items() if role != "scratch"}
    scratch = [time.storages["scratch"]] if "scratch" in time.storages else []
    slots = time.nodes * (cores or there.cores)
    work = original.work
    size = work.size * slots / work.slots if time.each else time.size
    recorded = time.counted.of(original, size or 0.0)
    asked = Scenario(there, [time.nodes], scratch, cores, size, time.partitions, others)
    (base,) = asked.bases(recorded).values()
    target = replace(base, nodes=time.nodes, memory=time.memory, reopened=time.reopened)
    if short := short_of(recorded, target, surely=ends[SPILLS] == "low"):
        # what a paper counted has the calls of spills already
        counted = {key: count / demand.SPILLED for key, count in time.counted.calls.items()}
        recorded = replace(time.counted, calls=counted).of(original, size or 0.0)
        target = replace(target, crowded=short)
    return recorded.model(here).at(target).seconds, slots / work.slots


def short_of(recorded: Recorded, target: Target, *, surely: bool) -> frozenset[Stage]:
    """Stages whose tasks spill there, as far as the executors' memory is published: surely, or perhaps."""
    found = memory.shortages(recorded.work, target) if target.memory else []
    return frozenset(one.stage for one in found if one.sure or not surely)


def with_value(machine: Machine, key: str, value: Any) -> Machine:
    """With another value of a key of its file: `speed`, or `lustre.rate` of a storage."""
    storage, _, name = key.rpartition(".")
    one: dict[str, Any] = {name: value}
    if not storage:
        return replace(machine, **one)
    changed = replace(machine.storages[storage], **one)
    return replace(machine, storages={**machine.storages, storage: changed})


def predicted(point: Mapping[str, Any], asked: Mapping[str, Any], runs: Mapping[str, Sequence[str]]) -> Row:
    """The ratio at all ends of what is assumed: least, greatest, and by how much it is extrapolated.

    Both times are on the same machine, and of inputs at the same end.
    """
    slow, fast = (Time.of(point, which, asked) for which in ("slow", "fast"))
    ratios, factors = [], []
    inputs = range(max(len(runs[slow.run]), len(runs[fast.run])))
    keys = list(dict.fromkeys([*slow.assumed(), *fast.assumed()]))
    if slow.memory or fast.memory:
        keys.append(SPILLS)
    for end, chosen in product(inputs, product(("low", "high"), repeat=len(keys))):
        ends = {SPILLS: "low", **dict(zip(keys, chosen, strict=True))}
        times = [seconds(runs[one.run][min(end, len(runs[one.run]) - 1)], one, ends) for one in (slow, fast)]
        ratios.append(times[0][0] / times[1][0])
        factors += [times[0][1], times[1][1]]
    return {
        "predicted": round(math.sqrt(min(ratios) * max(ratios)), 4),
        "low": round(min(ratios), 4),
        "high": round(max(ratios), 4),
        "factor": round(max(max(each, 1 / each) for each in factors)),
    }


def read_files() -> dict[str, Any]:
    """The tables of both files: points, jobs, runs, and what is assumed of machines."""
    files = [HERE / "published.toml", HERE / "publishedjobs.toml"]
    return {key: table for file in files for key, table in tomllib.loads(file.read_text()).items()}


def made(jobs: Mapping[str, Any]) -> dict[str, list[str]]:
    """By job: its records, one of each end of its input, which are made where there are none; rows say which."""
    found: dict[str, list[str]] = {}
    known = {row["arguments"]: row["run"] for row in rows.read(TABLE) if row["kind"] == "run"}
    for name, job in jobs.items():
        found[name] = []
        for given in job["inputs"]:
            words = " ".join([*job["flags"], *given])
            if words not in known or not (settings.runs() / known[words]).exists():
                done = weft("run", *words.split(), *PROBES, "--json")
                known[words] = Path(json.loads(done)["record"]).name
                measured = {"of": name, "arguments": words, "run": known[words]}
                rows.append(TABLE, {"kind": "run", **measured, **rows.here()})
            found[name].append(known[words])
    return found


def main() -> int:
    """The runs that are not there yet, and a row for each point in place of earlier ones."""
    parser = argparse.ArgumentParser(prog="bench/published", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--again", action="store_true", help="make the runs again, too")
    if parser.parse_args().again:
        rows.write(TABLE, [])
    asked = read_files()
    runs = made(asked["runs"])
    points = []
    for point in asked["points"]:
        about = {
            key: point[key] for key in ("what", "paper", "value", "used", "trend", "counted") if key in point
        }
        about["cell"] = {key: point[key] for key in ("machine", "nodes")}
        points.append({"kind": "point", **about, **rows.here(), **predicted(point, asked, runs)})
    rows.write(TABLE, [*(row for row in rows.read(TABLE) if row["kind"] == "run"), *points])
    print("\n".join(tables.lines(TABLE) or []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
