"""Predicts published ratios of times from runs of weft and machine files, and prints both.

Where a paper does not say how much data a job had, or how fast a service was, there is a range: of it each end is predicted, so that a
prediction is an interval. Runs are made as bench/published.toml says, and kept under their names in the directory of the records.
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
from figures import rows, tables
from figures.rows import Row

from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import AskedTasks
from weft.api import growing, machines
from weft.host import settings
from weft.record import record

HERE = Path(__file__).parent
PROBES = ("--set", "probes=proc,threads,engine,fileops")
TABLE = "published"


@dataclass(frozen=True)
class Time:
    """One of the two times of a ratio, as bench/published.toml has it."""

    run: str
    machine: str
    nodes: int
    storages: Mapping[str, str]
    """By role, in short form."""
    size: float | None = None
    partitions: int | None = None
    maps: int | None = None
    """Tasks that read the input, where the paper has their number."""
    cores: int | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    """Of the machine, for this time only."""
    each: bool = False
    """Whether a slot has as much data as where it was measured, instead of all slots together."""

    @classmethod
    def of(cls, point: Mapping[str, Any], which: str, runs: Mapping[str, Any]) -> "Time":
        run = point[which].get("run", point["run"])
        table = {"size": runs[run].get("size"), **point, **point.get("tasks", {}), "run": run, **point[which]}
        on = table.get("on", {})
        keys = ("size", "partitions", "maps", "cores", "each", "values")
        words = {key: table[key] for key in keys if key in table}
        return cls(table["run"], table["machine"], table["nodes"], on, **words)


@cache
def read(run: str) -> tuple[Recorded, Machine]:
    """A record, and where it was measured."""
    stored = record.find(settings.runs(), run)
    recorded = growing.read(stored)
    return recorded, machines.of_record(stored, recorded)


def seconds(run: str, there: Machine, time: Time) -> tuple[float, float]:
    """What a run would take at one of the times, and by how much that is extrapolated."""
    recorded, here = read(run)
    if time.maps is not None:
        recorded = with_maps(recorded, time.maps)
    for key, value in time.values.items():
        there = with_value(there, key, value)
    others = {role: text for role, text in time.storages.items() if role != "scratch"}
    scratch = [time.storages["scratch"]] if "scratch" in time.storages else []
    slots = time.nodes * (time.cores or there.cores)
    size = recorded.work.size * slots / recorded.work.slots if time.each else time.size
    asked = Scenario(there, [time.nodes], scratch, time.cores, size, time.partitions, others)
    (base,) = asked.bases(recorded).values()
    target = replace(base, nodes=time.nodes)
    return recorded.model(here).at(target).seconds, slots / recorded.work.slots


def with_maps(recorded: Recorded, maps: int) -> Recorded:
    """With so many tasks that read the input anywhere but where it was measured."""
    work, asked = recorded.work, recorded.growth.asked

    def elsewhere(slots: int, size: float) -> AskedTasks:
        found = asked(slots, size)
        return found if (slots, size) == (work.slots, work.size) else replace(found, files=maps, bytes=0.0)

    return replace(recorded, growth=replace(recorded.growth, asked=elsewhere))


def assumed(name: str, ranges: Mapping[str, Any], used: str) -> list[Machine]:
    """A machine with each combination of the ends of what is assumed of it; of storages only those that are used."""
    ranges = {key: one for key, one in ranges.items() if "." not in key or key.partition(".")[0] in used}
    found = []
    for ends in product(("low", "high"), repeat=len(ranges)):
        machine = machines.of_name(name)
        for (key, known), end in zip(ranges.items(), ends, strict=True):
            machine = with_value(machine, key, known[end])
        found.append(machine)
    return found


def with_value(machine: Machine, key: str, value: float) -> Machine:
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
    slow, fast = (Time.of(point, which, asked["runs"]) for which in ("slow", "fast"))
    ratios, factors = [], []
    ends = range(max(len(runs[slow.run]), len(runs[fast.run])))
    used = " ".join([*slow.storages.values(), *fast.storages.values()])
    for end, machine in product(ends, assumed(slow.machine, asked["machines"][slow.machine], used)):
        times = [
            seconds(runs[one.run][min(end, len(runs[one.run]) - 1)], machine, one) for one in (slow, fast)
        ]
        ratios.append(times[0][0] / times[1][0])
        factors += [times[0][1], times[1][1]]
    return {
        "predicted": round(math.sqrt(min(ratios) * max(ratios)), 4),
        "low": round(min(ratios), 4),
        "high": round(max(ratios), 4),
        "factor": round(max(max(each, 1 / each) for each in factors)),
    }


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
    asked = tomllib.loads((HERE / "published.toml").read_text())
    runs = made(asked["runs"])
    points = []
    for point in asked["points"]:
        about = {key: point[key] for key in ("what", "paper", "value", "used", "trend") if key in point}
        about["cell"] = {key: point[key] for key in ("machine", "nodes")}
        points.append({"kind": "point", **about, **rows.here(), **predicted(point, asked, runs)})
    rows.write(TABLE, [*(row for row in rows.read(TABLE) if row["kind"] == "run"), *points])
    print("\n".join(tables.lines(TABLE) or []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
