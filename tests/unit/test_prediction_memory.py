"""Memory that suffices where a job was measured, and not at a target: no point, or an interval that includes spills."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.prediction_jobs import LUSTRE, MEMORY, REDUCE, at, groupby
from tests.unit.report_fakes import event, make_record, stage, task, write_log
from weft.analysis.predict import advice, demand, memory, prediction, projection
from weft.analysis.predict.jobprofile import JobProfile
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Prediction, Scenario
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import Growth, Target
from weft.errors import UsageError
from weft.facts import engines
from weft.facts.engines.hadoop import jobhistory
from weft.facts.engines.spark import eventlog
from weft.record import record
from weft.record.migrations import SCHEMA
from weft.report.pages import prediction as prediction_page
from weft.text.entry import Entry

HERE = Machine("here", cores=1, storages={"memory": MEMORY, "lustre": LUSTRE})
GIGA = 1e9


def holding(*, held: float | None = 0.0, cached: float = 0.0, spilled: float = 0.0, room: float = 1.9 * GIGA) -> JobProfile:  # fmt: skip
    """Sixteen tasks a stage on four nodes of one slot: those that reduce hold so much, those that map read so much from the cache."""
    maps, reduces = groupby().stages
    found = [replace(maps, held=0.0, cached=cached), replace(reduces, held=held, spilled=spilled)]
    return replace(groupby(), stages=found, memory=room)


def there(nodes: int = 4, size: float = 1e9, partitions: int | None = None) -> Target:
    return replace(at(nodes, growth=Growth()), size=size, partitions=partitions)


def run(work: JobProfile, **more: Any) -> Recorded:
    return Recorded("run", work, Growth(), 1, 64 << 30, "slurm", {"workload": {"kind": "terasort"}}, **more)


def predicted(work: JobProfile, nodes: list[int], machine: Machine = HERE, **asked: Any) -> Prediction:
    return prediction.predict(run(work), HERE, Scenario(machine, nodes, **asked))


def test_what_a_task_sorts_grows_with_its_data_and_has_the_room_that_it_had() -> None:
    work = holding(held=GIGA)
    assert memory.shortages(work, there()) == []
    (maybe,) = memory.shortages(work, there(size=2e9))
    assert (maybe.sure, maybe.needs, maybe.room) == (False, 2e9, 1.9e9), (
        "of a last page, nobody knows how much it holds"
    )
    (short,) = memory.shortages(work, there(size=3e9))
    assert (short.sure, short.stage) == (True, REDUCE)
    assert short.needs == pytest.approx(3 * (GIGA - (64 << 20)))
    assert memory.shortages(work, there(size=3e9, partitions=64)) == [], "in smaller partitions"


def test_the_last_page_of_a_small_memory_is_small() -> None:
    (short,) = memory.shortages(holding(held=40e6, room=160e6), there(size=6e9))
    assert (short.sure, short.needs) == (True, 6 * (40e6 - 160e6 / 16))


def test_tasks_that_run_at_one_time_share_the_memory_of_their_executor() -> None:
    work = holding(held=GIGA)
    crowded = replace(there(), cores=4)
    (short,) = memory.shortages(work, crowded)
    assert (short.sure, short.room) == (True, pytest.approx(1.9 * GIGA / 4))
    assert memory.shortages(work, replace(crowded, nodes=16)) == [], "one task a node has all of it"


def test_executors_whose_memory_is_known_there_have_that() -> None:
    work = holding(held=GIGA)
    assert memory.shortages(work, replace(there(size=3e9), memory=4 * GIGA)) == []
    (short,) = memory.shortages(work, replace(there(), memory=0.9 * GIGA))
    assert (short.sure, short.room) == (True, 0.9 * GIGA)
    (cached,) = memory.shortages(holding(cached=1e8), replace(there(), memory=0.1 * GIGA))
    assert (cached.sure, cached.room) == (True, 0.1 * GIGA)


def test_what_was_spilled_already_grows_with_the_data() -> None:
    assert memory.shortages(holding(held=GIGA, spilled=1e8), there(size=3e9)) == []


def test_no_shortage_is_known_where_the_room_or_what_is_held_is_not_known() -> None:
    assert memory.shortages(holding(held=GIGA, room=0.0), there(size=9e9)) == []
    assert memory.shortages(holding(held=None), there(size=9e9)) == []


def test_what_is_cached_has_room_on_as_many_nodes_as_it_needs() -> None:
    work = holding(cached=GIGA, room=5 * GIGA)
    assert memory.shortages(work, there(4)) == [], "4 GB an executor, as measured"
    (short,) = memory.shortages(work, there(3))
    assert (short.sure, short.cached, short.needs) == (True, True, pytest.approx(16e9 / 3))
    both = holding(held=GIGA, cached=GIGA, room=8.5 * GIGA)
    assert [(one.sure, one.cached) for one in memory.shortages(both, there(2))] == [(False, True)], (
        "tasks need some of it"
    )
    assert memory.shortages(holding(cached=GIGA, room=8.5 * GIGA), there(2)) == []


def test_an_engine_that_does_not_say_what_it_holds_may_hold_all_that_it_reads() -> None:
    assert not engines.of("flink").held.reported  # type: ignore[union-attr]
    maps, reduces = groupby().stages
    reads = replace(reduces, bytes={"scratch read": GIGA})
    work = replace(groupby(), stages=[maps, reads], engine="flink", memory=3 * GIGA)
    assert memory.shortages(work, there()) == []
    (maybe,) = memory.shortages(work, there(size=2e9))
    assert (maybe.sure, maybe.needs, maybe.room) == (False, 4 * GIGA, 3 * GIGA)


def test_there_is_no_point_where_memory_surely_does_not_suffice() -> None:
    found = predicted(holding(cached=GIGA, room=5 * GIGA), [1, 2, 4, 8])
    (curve,) = found.curves
    assert [point.nodes for point in curve.points] == [4, 8]
    (words,) = curve.memory
    assert words == (
        "Not predicted on 1, 2 node(s), where memory no longer suffices (on 1: an executor caches at least 16 GB for map,"
        " and has room for 5 GB: the rest is computed again, or read from disk)."
    )
    assert words in str(prediction_page.section(found).blocks)


def test_a_prediction_without_any_point_is_refused_with_the_sizes() -> None:
    with pytest.raises(
        UsageError, match=r"not predicted on 2 node.*a task of reduce sorts and groups at least 2\.8 GB"
    ) as caught:
        predicted(holding(held=GIGA), [1, 2], size=3e9)
    assert "--set engine.executor_memory=SIZE" in caught.value.hint


def test_where_memory_may_not_suffice_the_interval_includes_spills() -> None:
    enough, maybe = (
        predicted(holding(held=GIGA, room=room), [4], size=2e9).curves[0] for room in (4 * GIGA, 1.9 * GIGA)
    )
    assert enough.memory == ()
    assert "Memory may not suffice on 4 node(s), which only the interval includes" in maybe.memory[0]
    assert maybe.points[0].seconds == pytest.approx(enough.points[0].seconds)
    assert maybe.points[0].low == pytest.approx(enough.points[0].low)
    assert maybe.points[0].high > 1.2 * enough.points[0].high


def test_on_another_machine_executors_may_have_more_memory() -> None:
    (curve,) = predicted(holding(held=GIGA), [2], replace(HERE, name="there"), size=3e9).curves
    assert [point.nodes for point in curve.points] == [2]
    assert curve.points[0].longest > 1.2 * curve.points[0].seconds
    assert curve.memory[0].startswith("If executors there have as much memory")


def test_a_stage_that_spills_moves_its_data_once_more_each_way_and_computes_at_most_twice() -> None:
    work = holding(held=GIGA)
    (reduces,) = [each for each in work.stages if each.key == REDUCE]
    reduces = replace(reduces, bytes={"scratch read": 1e6})
    slow = replace(LUSTRE, bandwidth=1e6)
    target = replace(at(4, slow, growth=Growth()), size=1e9)
    plain, spilled = (
        demand.of_stage(reduces, work, replace(target, crowded=stages))
        for stages in (frozenset(), frozenset({REDUCE}))
    )
    assert spilled.parts["CPU"] > plain.parts["CPU"]
    moved = [
        next(one.demand for one in each.stations if one.name.startswith("bandwidth"))
        for each in (plain, spilled)
    ]
    assert moved[1] == pytest.approx(3 * moved[0])


@pytest.mark.parametrize(("room", "offered"), [(1e12, True), (1.1 * GIGA, False)])
def test_no_change_is_advised_after_which_memory_lacks(
    monkeypatch: pytest.MonkeyPatch, room: float, offered: bool
) -> None:
    seen = []
    point = advice._point
    monkeypatch.setattr(advice, "_point", lambda *given: (seen.append(given[1].change), point(*given))[1])
    advice.advise(run(holding(held=GIGA, room=room)), "/runs/run", HERE)
    assert ("8 partitions instead of 16" in seen) == offered
    assert "32 partitions instead of 16" in seen


def cached_stage(name: str, number: int, rdd: int) -> Mapping[str, Any]:
    found = stage(name, number, begin=4 + number, end=None if name == "StageSubmitted" else 4.5 + number)
    found["Stage Info"]["RDD Info"] = [{"RDD ID": rdd, "Storage Level": {"Use Memory": True}}, {"RDD ID": 9}]
    return found


def test_a_stage_reads_the_cache_where_an_earlier_one_filled_it(tmp_path: Path) -> None:
    events = [
        cached_stage(name, number, rdd=1)
        for number in (0, 1)
        for name in ("StageSubmitted", "StageCompleted")
    ]
    gone = event("UnpersistRDD", **{"RDD ID": 1})
    write_log(tmp_path, [*events, gone, cached_stage("StageSubmitted", 2, rdd=1), task(1, stage=1)])
    found = eventlog.read(Entry(tmp_path))
    assert found.stages["reads_cache"].to_list() == [False, True, False]
    assert found.tasks["held_bytes"].to_list() == [64]


def test_a_map_task_of_hadoop_holds_its_output_and_sixteen_bytes_for_each_record() -> None:
    counters = {"groups": [{"name": "a.TaskCounter", "counts": [{"name": "MAP_OUTPUT_BYTES", "value": 1000}, {"name": "MAP_OUTPUT_RECORDS", "value": 10}]}]}  # fmt: skip
    ended = jobhistory._ended({"counters": counters, "finishTime": 1000, "taskType": "MAP"}, None)
    assert ended["held_bytes"] == 1160


def test_a_record_of_spark_knows_what_it_held_and_cached_and_its_room(tmp_path: Path) -> None:
    kept = Path(__file__).with_name("records") / "schema-5-delayed-scratch"
    shutil.copytree(kept, tmp_path / "run")
    work = projection.read(record.read(tmp_path / "run")).work
    maps, reduces = work.stages
    assert maps.cached == 21_200_016, "bytes in memory of each cached partition"
    assert maps.bytes["input read"] == 0, "it is no file that they read"
    assert reduces.held == 25_609_799
    assert work.memory == pytest.approx((5_261_977_190 - (300 << 20)) * 0.6)


@pytest.mark.parametrize(
    ("conf", "share"),
    [({}, 0.6), ({"spark.memory.fraction": "0.3"}, 0.3), ({"spark.memory.fraction": "x"}, 0), ({"spark.executor.memory": "9g"}, 0)],
)  # fmt: skip
def test_the_room_is_that_of_the_run_s_settings(
    tmp_path: Path, conf: Mapping[str, str], share: float
) -> None:
    stored = make_record(tmp_path / "run", head={"schema": SCHEMA})
    path = tmp_path / "run" / "resolved.json"
    table = json.loads(path.read_text())
    table["spec"]["engine"] = {"kind": "spark", "conf": conf}
    table["derived"] = {"spark": {"executor_heap": 2 << 30}}
    path.write_text(json.dumps(table))
    assert projection.read(stored).work.memory == pytest.approx(((2 << 30) - (300 << 20)) * share)
