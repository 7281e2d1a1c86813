"""What file calls become at a target: which of them grow with blocks, which ask a storage, and what a node's client and memory do."""

from dataclasses import replace

import pytest

from tests.unit.prediction_jobs import LUSTRE, MAP, at, groupby, job
from weft.analysis.predict import demand
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.predict.target import BYPASS, Growth, Target


def asked(work: JobProfile, stage: int, target: Target, operation: str) -> float:
    """Calls of a task on scratch, seen by what they take where no other does."""
    only = StorageModel("lustre", latency=1.0, trips={name: 0.0 for name in _NAMES if name != operation})
    found = demand.of_stage(work.stages[stage], work, replace(target, storages={"scratch": only}))
    return found.parts["metadata: scratch"]


_NAMES = ("open", "close", "stat", "mkdir", "rename", "unlink", "readdir")


def named(*, of_map: float = 0.0, reducers: int = 16) -> JobProfile:
    """A GroupBy whose tasks make one call of each name for each block, and its maps so many opens."""
    maps, reduces = groupby(tasks=reducers).stages
    calls = [CallsPerTask("scratch", name, reducers, 0.0) for name in _NAMES]
    opens = [CallsPerTask("scratch", name, of_map, 0.0) for name in ("open", "unlink")] if of_map else []
    return replace(
        groupby(tasks=reducers), stages=[replace(maps, calls=opens), replace(reduces, calls=calls)]
    )


@pytest.mark.parametrize(
    ("operation", "times"), [("open", 4), ("stat", 4), ("mkdir", 1), ("unlink", 1), ("readdir", 1)]
)
def test_a_task_that_reads_more_blocks_opens_more_files_and_changes_no_more_names(
    operation: str, times: int
) -> None:
    assert asked(named(), 1, at(16), operation) == pytest.approx(16 * times)


def test_files_of_blocks_are_seen_where_counters_lost_a_few_calls() -> None:
    for opens, grows in ((16.0, 4), (15.0, 4), (6.0, 1)):
        assert asked(named(of_map=opens), 0, at(16), "open") == pytest.approx(opens * grows)


def test_early_spark_opens_its_one_file_for_each_block() -> None:
    work, many = named(of_map=18.0), at(64)
    reducers = 64 * 4
    assert reducers > BYPASS
    assert asked(work, 0, many, "open") == pytest.approx(VALUE["sort_writer_opens"])
    assert asked(work, 0, replace(many, reopened=True), "open") == pytest.approx(reducers)
    assert asked(work, 0, replace(many, reopened=True), "unlink") == pytest.approx(VALUE["sort_writer_opens"])
    assert asked(work, 0, replace(at(16), reopened=True), "open") == asked(work, 0, at(16), "open"), (
        "where each block is a file of its own, it is opened as always"
    )


def moving(*calls: CallsPerTask, moved: float = 0.0, role: str = "input") -> JobProfile:
    stage = StageWork(MAP, "map", tasks=[2.0] * 8, cpu=1.0, calls=calls, bytes={f"{role} read": moved})
    return replace(job([stage]), storages={role: "memory"}, size=1e9)


def on(now: StorageModel, work: JobProfile, *, cores: int = 1, memory: int = 0) -> demand.Demand:
    target = at(4, cores=cores, growth=Growth(), memory=memory)
    return demand.of_stage(work.stages[0], work, replace(target, storages=dict.fromkeys(work.storages, now)))


def test_a_call_that_moves_no_bytes_asks_no_storage() -> None:
    slow = replace(LUSTRE, call=5e-3, calls={"read": 1e-3})
    calls = [CallsPerTask("input", name, 10, 0.0) for name in ("read", "write", "seek", "mmap")]
    assert on(slow, moving(*calls)).parts["data: input"] == pytest.approx(10 * 1e-3 + 10 * 5e-3)


def test_the_slots_of_a_node_share_its_client() -> None:
    slow = replace(LUSTRE, client_bandwidth=1e6)
    found = on(slow, moving(moved=1e6), cores=2)
    (client,) = [each for each in found.stations if each.name == "clients of lustre (input)"]
    assert (client.copies, client.hidden, client.demand) == (4, False, pytest.approx(1.0))
    assert found.load(4).response == pytest.approx(2.0, rel=0.5), "one task a node has it nearly alone"
    assert found.load(8).response > 1.2 * found.load(4).response
    same = replace(moving(moved=1e6), storages={"input": "lustre"})
    assert not any("clients" in each.name for each in on(slow, same).stations)


def test_a_nodes_own_disk_is_as_fast_as_memory_while_its_page_cache_has_room() -> None:
    disk = StorageModel("disk", shared=False, bandwidth=1e8)

    def limits(now: StorageModel, memory: int, role: str = "scratch") -> bool:
        """Of 8 tasks of 100 MB on 4 nodes: 200 MB a node."""
        work = moving(moved=1e8, role=role)
        return any("bandwidth" in each.name for each in on(now, work, memory=memory).stations)

    assert limits(disk, memory=0), "nobody knows how much memory there is"
    assert limits(disk, memory=1_900_000_000)
    assert not limits(disk, memory=2_000_000_000)
    assert limits(replace(disk, shared=True), memory=2_000_000_000), "a server has its own"
    assert limits(disk, memory=2_000_000_000, role="input"), "nobody knows whether it was read before"
