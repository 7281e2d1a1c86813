"""What one task needs at a target: each number is computed here by hand, from counts and rates."""

from dataclasses import replace

import pytest

from tests.unit.prediction_jobs import LUSTRE, MAP, MEMORY, REDUCE, at, groupby, job
from weft.analysis.predict import demand
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.machine import StorageModel
from weft.analysis.predict.stations import Station
from weft.analysis.predict.target import Growth, Scaled, Target, scale
from weft.facts.roles import ROLES

SLOW = StorageModel("lustre", latency=2e-3, rate=1000.0, call=5e-3, bandwidth=1e8, client_bandwidth=1e7)
OPENS = CallsPerTask("input", "open", 3, 0.25)
READS = CallsPerTask("input", "read", 4, 0.5)


def reader(*calls: CallsPerTask, moved: float = 0.0) -> StageWork:
    """A stage that computes for a second and reads its input."""
    return StageWork(MAP, "map", tasks=[2.0] * 8, cpu=1.0, calls=calls, bytes={"input read": moved})


def needed(stage: StageWork, *, now: StorageModel, nodes: int = 4) -> demand.Demand:
    """By a stage whose input was in memory, on four nodes of a slot."""
    work = replace(job([stage]), storages={"input": "memory"})
    return demand.of_stage(stage, work, replace(at(nodes), storages={"input": now}))


def by_name(found: demand.Demand) -> dict[str, Station]:
    return {station.name: station for station in found.stations}


def test_where_nothing_changes_calls_take_what_they_took() -> None:
    found = needed(reader(OPENS, READS), now=MEMORY)
    assert found.parts["metadata: input"] == pytest.approx(0.25)
    assert found.parts["data: input"] == pytest.approx(0.5)
    assert found.think == found.alone == pytest.approx(1.75)
    assert found.stations == ()


def test_another_storage_takes_its_own_latency_for_each_call_and_its_servers_for_metadata() -> None:
    found = needed(reader(OPENS, READS, moved=2e6), now=SLOW)
    assert found.parts["metadata: input"] == pytest.approx(3 * 2e-3)
    # what the kernel needs to copy pages is needed again, then each call
    assert found.parts["data: input"] == pytest.approx(0.5 + 4 * 5e-3)
    names, bandwidth = "metadata of lustre (input)", "bandwidth of lustre (input)"
    assert {name: each.demand for name, each in by_name(found).items()} == pytest.approx(
        {names: 3 / 1000.0, bandwidth: 2e6 / 1e8, "clients of lustre (input)": 2e6 / 1e7}
    )
    assert found.alone == pytest.approx(found.think + 3 / 1000.0 + 2e6 / 1e8 + 2e6 / 1e7)


def test_attributes_that_are_asked_for_before_each_read_grow_with_the_reads_and_others_do_not() -> None:
    def asked(stats: float, now: StorageModel = SLOW) -> float:
        stage = reader(
            OPENS, CallsPerTask("input", "read", 400, 0.0), CallsPerTask("input", "stat", stats, 0.0)
        )
        work = replace(job([stage]), storages={"input": "memory"})
        twice = replace(at(4, growth=Growth()), storages={"input": now}, size=2 * work.size)
        return demand.of_stage(stage, work, twice).parts["metadata: input"] / SLOW.latency

    assert asked(400) == pytest.approx(3 + 2 * 400)
    assert asked(100) == pytest.approx(3 + 100)
    caching = replace(SLOW, attribute_cache=1.0)
    assert asked(400, caching) == pytest.approx(3), "its client knows those of a file that it reads"
    assert asked(100, caching) == pytest.approx(3 + 100)


def test_a_shared_storage_is_one_and_a_nodes_own_are_as_many_as_nodes() -> None:
    for shared, copies in ((True, 1), (False, 6)):
        found = needed(reader(OPENS), now=replace(SLOW, shared=shared), nodes=6)
        assert [station.copies for station in found.stations] == [copies]


def test_several_servers_share_the_rate_behind_one_queue() -> None:
    (station,) = needed(reader(OPENS), now=replace(SLOW, servers=4)).stations
    assert (station.servers, station.limit) == (4, pytest.approx(1000.0 / 3))


def test_calls_that_servers_make_are_asked_of_several_nodes_at_once() -> None:
    served = CallsPerTask("scratch", "open", 12, 0.0, served=True)
    work = groupby()
    stage = replace(work.stages[1], calls=[served])
    moved = replace(work, stages=[work.stages[0], stage])

    def wait(nodes: int) -> float:
        return demand.of_stage(stage, moved, at(nodes, SLOW)).parts["metadata: scratch"]

    # as many maps a slot: blocks and their opens grow with nodes, except for those of the task's own
    calls = [12 * nodes / 4 * ((nodes - 1) / nodes) / (3 / 4) for nodes in (2, 4, 16)]
    assert [wait(nodes) for nodes in (2, 4, 16)] == pytest.approx(
        [calls[0] * 2e-3 / 1, calls[1] * 2e-3 / 3, calls[2] * 2e-3 / VALUE["fetch_requests"]]
    )


def test_links_carry_the_blocks_of_other_nodes_alone() -> None:
    stage = StageWork(REDUCE, "reduce", tasks=[1.0] * 4, cpu=1.0, bytes={"scratch read": 8e6})
    (station,) = demand.of_stage(stage, job([stage]), at(4, link=1e6)).stations
    assert (station.name, station.hidden, station.copies) == (demand.LINKS, True, 4)
    assert station.demand == pytest.approx(8e6 * 3 / 4 / 1e6)
    assert demand.of_stage(stage, job([stage]), at(1, link=1e6)).stations == ()


def test_what_is_hidden_is_no_time_of_a_task_alone() -> None:
    stage = StageWork(REDUCE, "reduce", tasks=[1.0] * 4, cpu=1.0, bytes={"scratch read": 8e6})
    found = demand.of_stage(stage, job([stage]), at(4, link=1e6))
    assert found.alone == found.think == pytest.approx(1.0)


def test_without_compression_its_time_is_spared_and_more_bytes_are_moved() -> None:
    stage = StageWork(
        REDUCE, "reduce", tasks=[1.0] * 4, cpu=1.0, compression=0.3, bytes={"scratch read": 8e6}
    )
    found = demand.of_stage(stage, job([stage]), replace(at(4, link=1e6), uncompressed=2.5))
    assert found.parts["CPU"] == pytest.approx(0.7)
    assert by_name(found)[demand.LINKS].demand == pytest.approx(2.5 * 6)


def test_what_a_task_needs_whatever_its_data_does_not_grow_with_it() -> None:
    stage = replace(reader(), fixed=0.4)
    work = replace(job([stage]), size=1e9)
    found = demand.of_stage(
        stage, work, replace(at(4), size=3e9, growth=replace(at(4).growth, each=False, per_slot=()))
    )
    assert found.parts["CPU"] == pytest.approx(0.6 * 3 + 0.4)


def test_where_no_cpu_time_was_measured_nothing_computes_next_to_tasks() -> None:
    stage = replace(reader(OPENS), cpu=0.0)
    for jvm_a_task in (False, True):
        found = demand.of_stage(stage, replace(job([stage]), jvm_a_task=jvm_a_task), at(4))
        assert found.parts.get("CPU", 0.0) == 0


def test_seconds_in_files_are_the_calls_and_their_waits_for_the_storage() -> None:
    found = needed(reader(OPENS, READS, moved=2e6), now=SLOW)
    load = found.load(8)
    waits = sum(load.waits.values())
    assert waits > 0
    served = 3 / 1000.0 + 2e6 / 1e8 + 2e6 / 1e7 + waits
    assert found.at_storage("input", load) == pytest.approx(served)
    assert found.in_files("input", load) == pytest.approx(
        found.parts["metadata: input"] + found.parts["data: input"] + served
    )
    assert found.in_files("scratch", load) == 0


def test_tasks_that_are_fewer_than_slots_are_the_load() -> None:
    found = needed(reader(OPENS), now=SLOW)
    assert found.load(100) == found.load(8)
    assert found.load(2).response < found.load(8).response


@pytest.mark.parametrize("processors", [0, 2])
def test_where_it_was_measured_a_stage_takes_what_it_took(processors: int) -> None:
    opens = CallsPerTask("scratch", "open", 40, 0.2)
    stage = StageWork(MAP, "map", tasks=[1.5] * 8, cpu=0.8, waiting=0.5, calls=[opens])
    work = replace(job([stage]), storages={"scratch": "lustre"})
    here = at(4, LUSTRE, processors=processors)
    anchors = demand.fit_to_run(stage, work, here)
    found = demand.of_stage(stage, work, here, anchors)
    load = found.load(here.slots)
    assert load.response == pytest.approx(0.8 + 0.5 + 0.2, rel=2e-3)
    assert found.in_files("scratch", load) == pytest.approx(0.2, rel=2e-3)
    assert set(anchors.files) == set(ROLES)
    assert anchors.waiting == (0.0 if processors else 1.0)


def test_only_another_name_is_another_storage() -> None:
    work = groupby()
    assert not demand.has_new_storage("scratch", work, at(4, MEMORY))
    assert demand.has_new_storage("scratch", work, at(4, LUSTRE))
    assert not demand.has_new_storage("output", work, at(4, LUSTRE)), "a role without a target keeps its own"


def test_the_stages_of_a_large_job_are_scaled_as_often_each_as_those_of_a_small_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All queries of TPC-DS have 800 stages: what grows with their square, or their cube, takes half an hour."""
    calls: list[StageWork] = []

    def counted(stage: StageWork, work: JobProfile, target: Target) -> Scaled:
        calls.append(stage)
        return scale(stage, work, target)

    monkeypatch.setattr(demand, "scale", counted)
    each = {}
    for count in (5, 50):
        stages = [
            StageWork(
                ("app", n, 0),
                "map",
                tasks=[1.0] * 4,
                cpu=1.0,
                after=frozenset({("app", n - 1, 0)} if n else ()),
            )
            for n in range(count)
        ]
        work = replace(job(stages), background=0.1)
        found = Model(work, at(4, processors=2))
        calls.clear()
        found.at(at(8, processors=2))
        each[count] = len(calls) / count
    assert each[5] == each[50] > 0
