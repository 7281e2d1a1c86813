"""Where a pool pays: what is advised, and what a survey makes the default, is what the table of measurements says."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from figures import rows as evidence
from figures.rows import Row
from figures.shown import valid
from figures.tables.poolpays import PLAIN as AS_IT_IS
from figures.tables.poolpays import place

from weft.analysis.explain.slots import Stage
from weft.analysis.predict import advice, candidates, curve
from weft.analysis.predict import survey as surveys
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.machine import Machine, service
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.survey import ALIKE, ENOUGH
from weft.analysis.predict.target import Growth
from weft.api import machines
from weft.facts.storages import layers
from weft.record.head import Head, StudyCell
from weft.record.record import Stored

ROWS = valid(evidence.read("pool-pays"))
PREDICTED = evidence.read("pool-predicted")
SLOTS = 2
HERE = machines._with_profiles(Machine("here", cores=1, processors=SLOTS, capped=True))
BEYOND = 0.06
"""Of the time, by which the table saves more than the interval has, at 40,000 blocks: less waits for CPUs than is predicted."""
MAP: Stage = ("app", 0, 0)
READ: Stage = ("app", 1, 0)


def mappers(row: Row) -> int:
    return int(row["cell"]["workload.mappers"])


def scratch(row: Row) -> str:
    return str(row["cell"]["scratch"])


def ways(count: int, system: str) -> dict[str, list[float]]:
    """Seconds of each run with so many map tasks on a file system, by how shuffle files are kept; memory is below none."""
    found: dict[str, list[float]] = {}
    for row in ROWS:
        way, below = place(scratch(row))
        if mappers(row) == count and below in {system, ""}:
            found.setdefault(way, []).append(row["measures"]["seconds"])
    return found


def winners(taken: Mapping[str, Sequence[float]]) -> set[str]:
    """The fastest way, and those of which the runs do not tell whether they are slower."""
    best = min(taken, key=lambda way: median(taken[way]))
    return {
        way
        for way, seconds in taken.items()
        if median(seconds) <= ALIKE * median(taken[best]) or min(seconds) <= max(taken[best])
    }


def work_of(row: Row) -> JobProfile:
    """The job of a row: half of what it computed in each stage, and its file calls, each as long as its opens were."""
    count, parts = mappers(row), row["parts"]
    opened = sum(seconds for name, seconds in parts.items() if name.endswith("side: open"))
    each = opened * SLOTS / row["measures"].get("opens", 1.0)

    def mean(*names: str) -> float:
        """Seconds of a task of one of the two stages."""
        return sum(parts.get(name, 0.0) for name in names) * SLOTS / count / 2

    def calls(side: str) -> Iterator[CallsPerTask]:
        for name, seconds in parts.items():
            kind, _, operation = name.rpartition(": ")
            if kind.endswith(f"scratch, {side} side"):
                took = seconds * SLOTS / count
                yield CallsPerTask("scratch", operation, took / each, took)

    def stage(key: Stage, side: str, **more: Any) -> StageWork:
        made = list(calls(side))
        own = {"cpu": mean("CPU"), "waiting": mean("run-queue wait"), "gc": mean("GC")}
        other = mean("waiting for other threads", "unclassified")
        seconds = sum(own.values()) + other + sum(call.seconds for call in made)
        gap = mean("no task: scheduling")
        return StageWork(key, side, [seconds] * count, **own, other=other, gap=gap, calls=made, **more)

    wall = row["phases"]["run"]
    outside = wall - row["measures"]["seconds"]
    stages = [
        stage(MAP, "map", writes_shuffle=True, lag=outside),
        stage(READ, "read", reads_shuffle=True, blocks=count, after=frozenset({MAP})),
    ]
    return JobProfile(
        stages, "spark", nodes=2, slots=SLOTS, wall=wall, outside=outside,
        after=parts["no task: driver"], storages={"scratch": scratch(row)},
    )  # fmt: skip


def run_of(row: Row) -> Recorded:
    spec = {
        "workload": row["asked"]["workload"],
        "nodes": {"kind": "virtual", "count": 2},
        "scratch": {"kind": "delayed"},
    }
    return Recorded("run", work_of(row), Growth(each=True), 1, 12 << 30, "virtual", spec)


def named(row: Row) -> str:
    return f"{mappers(row) ** 2} blocks on {scratch(row)}"


PLAIN = [row for row in ROWS if place(scratch(row))[0] == AS_IT_IS]
REMEDIED = [row for row in ROWS if place(scratch(row))[0] != AS_IT_IS]


def of_storage(found: Sequence[advice.Line]) -> list[advice.Line]:
    return [line for line in found if line.family == "storage of scratch"]


def test_the_table_has_rows_of_both_kinds() -> None:
    assert len(PLAIN) >= 5
    assert len(REMEDIED) >= 8
    assert all(
        winners(ways(mappers(row), place(scratch(row))[1])) <= {"pool", "loopback", "memory"} for row in PLAIN
    )


@pytest.mark.parametrize("row", PLAIN, ids=named)
def test_on_the_file_system_itself_the_best_change_is_one_that_the_table_says_wins(row: Row) -> None:
    found = advice.advise(run_of(row), "/runs/run", HERE)
    (best,) = of_storage([*found.lines, *found.uncertain])
    assert best == max([*found.lines, *found.uncertain], key=lambda line: line.gain), (
        "before any other change"
    )
    taken = ways(mappers(row), place(scratch(row))[1])
    way = layers(best.flags[1])[0].kind
    assert way in winners(taken) or way not in taken
    saved = 1 - min(median(seconds) for seconds in taken.values()) / row["measures"]["seconds"]
    assert best.low <= saved <= best.high + BEYOND, "what the table says that it saves"


@pytest.mark.parametrize("row", PLAIN, ids=named)
def test_every_remedy_of_the_table_is_offered_and_predicted_to_gain(row: Row) -> None:
    run = run_of(row)
    model = run.model(HERE)
    offered = {layers(one.flags[1])[0].kind: one for one in candidates.candidates(run.situation(HERE)) if one.family == "storage of scratch"}  # fmt: skip
    assert {"pool", "loopback", "memory"} <= {*offered}
    for way in ("pool", "loopback", "memory"):
        assert model.at(offered[way].target).seconds < row["measures"]["seconds"]


@pytest.mark.parametrize("row", REMEDIED, ids=named)
def test_where_a_remedy_is_in_use_no_other_storage_surely_gains(row: Row) -> None:
    assert of_storage(advice.advise(run_of(row), "/runs/run", HERE).lines) == []


def records(folder: Path, system: str, repeat: int) -> list[Stored]:
    """The rows of a file system as runs of a survey, each so many times."""
    found = []
    for number, row in enumerate(ROWS):
        _, below = place(scratch(row))
        if below not in {system, ""}:
            continue
        directory = folder / str(number)
        directory.mkdir(exist_ok=True)
        (directory / "resolved.json").write_text(json.dumps({"nodes": [{"name": "n"}] * 2}))
        cell = {"job": f"{mappers(row) ** 2} blocks", "scratch": scratch(row), "nodes": "virtual:2"}
        head = Head(verdict="VALID", measured=row["measures"]["seconds"], cell=StudyCell(coordinates=cell))
        found += [Stored(directory, head)] * repeat
    return found


@pytest.mark.parametrize("system", sorted({place(scratch(row))[1] for row in PLAIN}))
def test_a_survey_chooses_what_wins_in_the_table_and_nothing_from_single_runs(
    tmp_path: Path, system: str
) -> None:
    storages = [f"delayed:{system}", "memory", f"loopback,size=2G+delayed:{system}", f"pool+delayed:{system}"]
    single, several = (records(tmp_path, system, repeat) for repeat in (1, ENOUGH))
    cells = len({one.directory for one in single})
    found = surveys.survey(several, storages, "here", cells)
    chosen = place(found.default)[0]
    for count in {mappers(row) for row in ROWS}:
        taken = {way: seconds for way, seconds in ways(count, system).items() if way != "memory"}
        assert chosen != AS_IT_IS
        assert median(taken[chosen]) <= ALIKE**2 * min(median(seconds) for seconds in taken.values()), (
            "memory is never it"
        )
    assert surveys.survey(single, storages, "here", cells).default == ""


@pytest.mark.parametrize(
    "row",
    PREDICTED,
    ids=lambda row: f"{row['cell']['system']}, {row['nodes']} nodes, {row['cell']['pairs']} kB",
)
def test_on_published_file_systems_a_pool_is_predicted_to_gain_as_in_the_table(row: Row) -> None:
    """The work of the measured rows on the file systems and nodes of the predicted ones: the same storage wins."""
    there = machines.of_name(f"io500:{row['cell']['system']}")
    (any_row,) = [one for one in PLAIN if mappers(one) == 40][:1]
    run = run_of(any_row)
    model: Model = run.model(HERE)

    def seconds(text: str) -> float:
        base = run.on(HERE)
        target = curve.replace(base, machine=there, nodes=row["nodes"], cores=row["cores"] // row["nodes"], storages={"scratch": service(text, there)})  # fmt: skip
        return model.at(target).seconds

    found = {"plain": seconds("mount"), "pool": seconds("pool+mount"), "memory": seconds("memory")}
    table = {way: row[way]["seconds"] for way in found}
    assert found["plain"] > found["pool"] >= found["memory"]
    assert table["plain"] > table["pool"] >= table["memory"]
