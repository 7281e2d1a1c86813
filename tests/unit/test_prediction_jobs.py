"""A job elsewhere: its stages on more slots, its blocks, its knee, its band, and the time that the prediction takes."""

from dataclasses import replace
from typing import Any

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.prediction_jobs import LUSTRE, MAP, MEMORY, REDUCE, at, groupby, job, model
from tests.unit.test_model_attribution import WINDOW, readings, task
from tests.unit.test_model_attribution import job as metrics_of
from weft.analysis.explain.evidence import Window
from weft.analysis.predict import curve, jobprofile
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import WARM_UP, CallsPerTask, StageWork
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.predict.target import Growth, scale
from weft.api import growing


def test_the_run_itself_takes_what_it_took() -> None:
    assert model().replay() == pytest.approx(1.0)
    assert model().at(at(4)).seconds == pytest.approx(8.0)


def test_stages_that_ran_before_the_time_that_is_measured_are_not_of_the_result() -> None:
    times = [(0, 1.0, 3.0), (1, 3.5, 6.0), (2, 6.0, 9.0)]
    metrics = metrics_of([task(stage, *span, node=node) for stage, *span in times for node in (1, 2)])

    def work(measured: float | None) -> jobprofile.JobProfile:
        return jobprofile.of_record(
            metrics, readings({}), WINDOW, engine="spark", measured=measured, storages={}
        )

    result = work(6.0)
    assert [stage.name for stage in result.stages] == ["step 1", "step 2"]
    assert [stage.lag for stage in result.stages] == [3.5, 0.0]
    assert result.measured == 6.0
    assert len(work(None).stages) == len(work(9.0).stages) == 3
    alone = Model(result, at(2, growth=Growth()))
    assert alone.replay() == pytest.approx(1.0, abs=0.1)
    one = alone.at(at(1, growth=Growth())).seconds
    assert one == pytest.approx(0.5 + 5.5 * (2 - WARM_UP), abs=0.1), (
        "what came before takes as long as it did"
    )


def test_calls_that_never_blocked_are_known_for_storages_where_they_will() -> None:
    busy = [task(0, 0.0, 10.0, node=node, cpu_ns=10e9) for node in (1, 2)]
    counted = {
        (node, "", f"threadops.task.scratch.open.{what}"): rate
        for node in ("node1", "node2")
        for what, rate in (("seconds", 1e-4), ("count", 100.0))
    }
    work = jobprofile.of_record(
        metrics_of(busy),
        readings(counted),
        WINDOW,
        engine="spark",
        measured=None,
        storages={"scratch": "memory"},
    )
    (opens,) = work.stages[0].calls
    assert (opens.operation, round(opens.count), opens.seconds) == ("open", 1000, 0.0)
    model, there = Model(work, at(2, growth=Growth())), at(2, LUSTRE, growth=Growth())
    assert model.at(there).seconds > work.measured + 1000 * LUSTRE.latency


def test_fixed_tasks_on_twice_the_slots_take_half_the_time() -> None:
    fixed = Growth()
    assert model(growth=fixed).at(at(8, growth=fixed)).seconds == pytest.approx(4.0)


def test_gaps_between_tasks_are_part_of_the_replay_and_grow_with_tasks() -> None:
    stages = [replace(stage, gap=0.25) for stage in groupby(tasks=8).stages]
    work = replace(job(stages), wall=2 * 2 * 1.25)
    found = Model(work, at(4))
    assert found.replay() == pytest.approx(1.0, abs=0.01)
    more = found.at(replace(at(4), partitions=16)).seconds
    assert more == pytest.approx(2 * 4 * 1.25, rel=0.02), "each task has its own data here"


def test_one_key_stays_in_one_piece_where_many_are_divided() -> None:
    map_stage, reduce_stage = groupby(tasks=4).stages
    work = job([map_stage, replace(reduce_stage, tasks=[4.0, 1.0, 1.0, 1.0], cpu=1.75)])
    found, growth = Model(replace(work, wall=5.0), at(4, growth=Growth())), Growth()
    divided = found.at(replace(at(4, growth=growth), partitions=16)).seconds
    whole = found.at(replace(at(4, growth=growth), partitions=16, whole=True)).seconds
    assert whole == pytest.approx(5.0, abs=0.1)
    assert divided < 4.0


def test_a_virtual_node_has_its_own_share_of_the_hosts_cpus() -> None:
    free, capped = (
        Model(groupby(), at(4, processors=8, capped=flag)).at(
            at(1, processors=8, capped=flag, growth=Growth())
        )
        for flag in (False, True)
    )
    assert capped.seconds >= free.seconds


def test_a_task_alone_is_not_slowed_by_the_jit_of_other_nodes() -> None:
    work = replace(job([replace(groupby().stages[0], tasks=[1.0], cpu=0.5)]), background=1.0)
    found = Model(work, at(4, processors=4))
    assert found.at(at(1, processors=4, growth=Growth())).seconds == pytest.approx(1.0, rel=0.01)


def test_a_jvm_for_each_task_compiles_with_the_tasks_and_a_shared_one_with_the_nodes() -> None:
    four = replace(groupby(), background=1.0)
    alone, shared = (
        Model(replace(four, jvm_a_task=flag), at(4, processors=4, growth=Growth())) for flag in (True, False)
    )
    twice = at(8, processors=4, growth=Growth())
    assert alone.at(twice).seconds == pytest.approx(8.0, rel=0.01), "the same tasks, the same four processors"
    assert shared.at(twice).seconds == pytest.approx(4.0 + 4.0 * 2 * 0.5 ** (1 / 3), rel=0.01), (
        "and twice the compilers, each with half the work"
    )


def test_the_daemons_cpu_time_is_that_of_the_run_phase_for_each_call_on_it() -> None:
    rows = [
        (t, "latencyfs/7", counter, value)
        for t, counter, value in [
            (0, "cpu_user", 5),
            (10, "cpu_user", 5),
            (20, "cpu_user", 8),
            (20, "cpu_system", 1),
        ]
    ]
    rows += [
        (10, "java/8", "cpu_user", 0),
        (20, "java/8", "cpu_user", 99),
        (10, "latencyfs/7", "cpu_system", 0),
    ]
    samples = polars.DataFrame(rows, ["t", "process", "counter", "value"], orient="row")
    stages = [
        StageWork(
            MAP,
            "map",
            [1.0] * 4,
            calls=[CallsPerTask("scratch", "open", 10, 0.1), CallsPerTask("input", "open", 9, 0)],
        )
    ]
    window = Window(10.0, 20.0, 4, {})
    assert jobprofile._emulator(samples, window, stages, {"scratch": "delayed:lustre"}) == pytest.approx(
        4 / 40
    )
    assert jobprofile._emulator(samples, window, stages, {"scratch": "pool+delayed:lustre"}) == 0


def test_a_task_that_no_longer_blocks_queues_for_a_cpu_less_often() -> None:
    """0.3 s of computing are 100 turns, 300 calls another 300."""
    calls = [CallsPerTask("scratch", "open", 300, 0.3)]
    stage = replace(groupby().stages[0], cpu=0.3, waiting=0.4, calls=calls)
    work = replace(job([stage]), storages={"scratch": "delayed:lustre"})
    found = Model(work, at(4, replace(LUSTRE, name="delayed:lustre")))
    stays, goes = (found.at(replace(at(4), rested=flag)).seconds for flag in (False, True))
    assert stays - goes == pytest.approx(4 * 0.3, rel=0.02), "4 tasks a slot, 300 of 400 turns"
    same = replace(at(4, replace(LUSTRE, name="delayed:lustre")), rested=True)
    assert found.at(same).seconds == pytest.approx(work.measured, rel=0.01)


def test_what_emulates_a_file_system_needs_the_hosts_cpus() -> None:
    emulated = replace(LUSTRE, name="delayed:lustre", latency=1e-6, rate=1e9, emulator=0.5)
    found = model(processors=4)
    slow = found.at(at(4, emulated, processors=4)).seconds
    fast = found.at(at(4, replace(emulated, emulator=0.0), processors=4)).seconds
    assert slow > 5 * fast


def test_tasks_that_follow_slots_take_the_same_time_without_a_shared_service() -> None:
    assert model().at(at(64)).seconds == pytest.approx(8.0, rel=0.01)


def test_blocks_are_mappers_times_reducers() -> None:
    assert [stage.blocks for stage in model().at(at(8)).stages] == [0, 32 * 32]


def test_a_shared_metadata_service_makes_it_slower_with_nodes() -> None:
    many = [model().at(at(n, LUSTRE)).seconds for n in (4, 64, 512)]
    assert many == sorted(many)
    # 512 nodes: 2048 x 2048 blocks opened twice at 20,000 a second
    assert many[-1] >= 2 * 2048**2 / 20_000


def test_the_knee_is_where_a_known_service_saturates() -> None:
    """4 tasks of 1 s a core in each of 2 stages: 8 s; 2 x (4 k)^2 opens at 1,000 a second: 0.032 k^2 s. k = 15.8."""
    service = StorageModel("slow", latency=0.0, rate=1000)
    found = curve.knee(model(), lambda n: at(n, service), 500)
    assert found is not None
    assert found.resource == "metadata of slow (scratch)"
    assert found.cores == pytest.approx((8 / 0.032) ** 0.5, rel=0.1)


def test_without_limits_the_number_of_tasks_is_the_knee() -> None:
    fixed = Growth()
    found = curve.knee(model(growth=fixed), lambda n: at(n, growth=fixed), 500)
    assert found == curve.Knee(pytest.approx(16, rel=0.05), "the number of tasks")


def test_there_is_no_knee_up_to_a_number_of_nodes() -> None:
    assert curve.knee(model(), at, 100) is None


def test_more_reducers_than_the_threshold_end_the_bypass_writer() -> None:
    writes = CallsPerTask("scratch", "open", 6 + 16, 0.1)
    stage = StageWork(MAP, "map", [1.0] * 16, writes_shuffle=True, cpu=1.0, calls=[writes])
    work = groupby()
    work = replace(work, stages=[stage, work.stages[1]])
    assert scale(stage, work, at(8)).writes == 2.0
    assert scale(stage, work, at(51)).writes == 0
    hadoop = replace(work, engine="hadoop")
    assert scale(stage, hadoop, at(8)).writes == 1.0, "no other engine writes a file for each block"


def test_a_driver_limits_tasks_per_second() -> None:
    found = model().at(at(1000, launches={"spark": 100.0}))
    assert found.seconds >= 2 * 4000 / 100


def test_a_link_limits_what_nodes_receive() -> None:
    work = groupby()
    heavy = replace(work.stages[1], bytes={"scratch read": 1e9})
    work = replace(work, stages=[work.stages[0], heavy])
    slow, fast = (model(work).at(at(4, link=link)).seconds for link in (1e8, 1e12))
    assert slow > 4 * 0.75 * 1e9 / 1e8 > fast


def test_size_makes_tasks_longer_where_their_number_is_fixed() -> None:
    fixed = Growth()
    asked = replace(at(4, growth=fixed), size=2e9)
    assert model(growth=fixed).at(asked).seconds == pytest.approx(16.0)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 20), st.integers(1, 8), st.floats(0.001, 100), st.floats(0, 5))
def test_where_it_was_measured_a_job_takes_what_it_took(
    tasks: int, slots: int, seconds: float, lag: float
) -> None:
    stages = [replace(stage, lag=lag) for stage in groupby(tasks, slots, seconds).stages]
    asked = model(job(stages, slots))
    assert asked.at(asked.measured).seconds == pytest.approx(asked.work.measured)


def test_partitions_share_the_same_data() -> None:
    work = replace(groupby(), stages=groupby().stages)
    asked = replace(at(4, growth=Growth()), partitions=32)
    found = model(work, growth=Growth()).at(asked)
    assert [stage.tasks for stage in found.stages] == [16, 32]
    assert found.seconds == pytest.approx(8.0)


def test_virtual_nodes_share_their_host() -> None:
    assert model(processors=4).at(at(8, processors=4)).seconds == pytest.approx(16.0, rel=0.15)


def test_a_storage_that_is_replaced_takes_its_time_along() -> None:
    calls = [CallsPerTask("scratch", "open", 16, 0.5)]
    stages = [replace(stage, calls=calls, cpu=0.5) for stage in groupby().stages]
    work = replace(job(stages), storages={"scratch": "lustre"})
    there = model(work, service=LUSTRE)
    assert there.at(at(4, LUSTRE)).seconds == pytest.approx(8.0, rel=0.05)
    assert there.at(at(4, MEMORY)).seconds == pytest.approx(4.0, rel=0.05)


def test_the_band_widens_away_from_the_measurement() -> None:
    near, far = curve.points(model(), at, [4, 256])
    assert near.high / near.low < far.high / far.low
    assert near.factor == 1.0
    assert far.factor == pytest.approx(64**2)


def test_an_efficient_job_pays_for_no_waiting() -> None:
    assert curve.points(model(), at, [4])[0].waiting == pytest.approx(0.0, abs=0.01)
    assert curve.points(model(), lambda n: at(n, LUSTRE), [1024])[0].waiting > 0.9


def test_the_largest_machine_of_the_papers_is_predicted() -> None:
    """10,240 cores, 41,000 tasks a stage, 1.7 x 10^9 blocks: in a second, or the limit of all tests would end it."""
    growth = Growth(per_slot=(4,), each=True)
    found = model(growth=growth).at(
        replace(at(320, LUSTRE, cores=32, launches={"spark": 2000}), partitions=41_000)
    )
    assert found.slots == 10_240
    assert max(stage.blocks for stage in found.stages) > 1e9


@pytest.mark.parametrize(
    ("table", "slots", "size", "tasks"),
    [
        ({"kind": "groupby", "mappers": None, "mappers_per_slot": 4}, 8, 0, 32),
        ({"kind": "groupby", "mappers": 10}, 8, 0, 16),
        ({"kind": "pi", "tasks": None}, 8, 0, 32),
        ({"kind": "own-job"}, 8, 0, 16),
    ],
)
def test_workloads_have_their_rules(table: dict[str, object], slots: int, size: float, tasks: int) -> None:
    work = groupby()
    assert growing.of(table, "spark").tasks(work.stages[1], work, slots, size, None) == tasks


def test_stages_are_named_by_what_they_are() -> None:
    assert [stage.key for stage in model().at(at(4)).stages] == [MAP, REDUCE]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, "CPU-bound"),
        ({"cpu": 0.1, "network": 0.9}, "data-intensive"),
        ({"cpu": 0.1, "calls": [CallsPerTask("scratch", "open", 9, 0.9)]}, "metadata-intensive"),
        ({"cpu": 0.1, "calls": [CallsPerTask("input", "read", 9, 0.9)]}, "data-intensive"),
        ({"cpu": 0.1, "lag": 90.0}, "start-bound"),
        ({"cpu": 0.0, "lag": 1.0}, ""),
    ],
)
def test_a_class_is_what_the_slots_spent_their_time_on(change: dict[str, Any], found: str) -> None:
    assert jobprofile.job_class(job([replace(stage, **change) for stage in groupby().stages])) == found


def test_time_that_another_stage_computes_is_not_also_the_driver_s() -> None:
    work = replace(job([replace(stage, lag=1000.0) for stage in groupby().stages]), wall=1000.0)
    assert sum(jobprofile.class_shares(work).values()) <= 1.001


def test_time_of_data_is_that_of_bytes_and_calls_are_those_of_blocks() -> None:
    reads = CallsPerTask("scratch", "read", 16, 0.5)
    work = groupby()
    work = replace(work, stages=[work.stages[0], replace(work.stages[1], calls=[reads], cpu=0.5)])
    assert model(work).at(at(8)).seconds == pytest.approx(8.0, rel=0.01)


def test_blocks_of_other_nodes_are_opened_by_their_servers() -> None:
    """On 2 nodes half of 16 blocks are on the task's own; on 4 nodes a quarter of 16: 32 opens of 16 blocks in all."""
    calls = [CallsPerTask("scratch", "open", 16, 0.0), CallsPerTask("scratch", "open", 16, 0.0, served=True)]
    stages = [groupby().stages[0], replace(groupby().stages[1], calls=calls)]
    work = replace(job(stages, slots=2), nodes=2)
    slow = StorageModel("slow", rate=1.0)
    for nodes in (2, 4):
        asked = replace(at(nodes, slow), growth=Growth())
        busy = Model(work, replace(at(2), growth=Growth())).at(asked).busy()
        assert busy["metadata of slow (scratch)"] == pytest.approx(16 * 32)


def test_what_a_slot_needs_to_warm_up_does_not_grow_with_its_tasks() -> None:
    work = groupby(tasks=16, slots=4, seconds=0.5)
    warm, cold = (Model(replace(work, warm_up=share), at(4, growth=Growth())) for share in (0.5, 0.0))
    assert warm.at(at(4, growth=Growth())).seconds == pytest.approx(4.0)
    twice = replace(at(4, growth=Growth()), size=2e9)
    assert cold.at(twice).seconds == pytest.approx(8.0)
    assert warm.at(twice).seconds == pytest.approx(6.0), "half of it was there once for each slot"
    assert warm.at(at(8, growth=Growth())).seconds == pytest.approx(3.0), "as much again on four nodes more"


def test_what_warms_up_is_a_small_part_of_a_long_job() -> None:
    work = replace(groupby(tasks=16, slots=4, seconds=50.0), warm_up=0.5)
    twice = replace(at(4, growth=Growth()), size=2e9)
    assert Model(work, at(4, growth=Growth())).at(twice).seconds == pytest.approx(800.0, rel=0.01)


def test_first_tasks_that_took_longer_show_what_warms_up() -> None:
    stage = StageWork(MAP, "map", tasks=[3.0, 3.0, 1.0, 1.0, 1.0, 1.0])
    assert stage.cold(2) == pytest.approx(0.4)
    assert stage.cold(6) == 0.0, "nothing to compare them with"


def test_splits_of_a_file_are_tasks_and_a_rule_is_for_its_side_of_the_shuffle() -> None:
    growth = growing.of({"kind": "terasort"}, "spark")
    count = replace(groupby(tasks=4, slots=2), size=200e6, nodes=2)
    maps, reduces = count.stages
    assert growth.tasks(maps, count, 1, 600e6, None) == 6, "two files of 300 MB, each in three splits"
    assert growth.tasks(maps, count, 2, 600e6, None) == 8
    assert growth.tasks(maps, count, 2, 560e6, None) == 4, "a split may be a tenth longer"
    assert growth.tasks(reduces, count, 2, 600e6, None) == 10
    assert growing.of({"kind": "terasort", "partitions": 4}, "spark").tasks(maps, count, 1, 600e6, None) == 6
    assert (
        growing.of({"kind": "terasort", "partitions": 4}, "spark").tasks(reduces, count, 1, 600e6, None) == 4
    )


def test_a_smaller_block_is_read_in_fewer_pieces_but_never_in_less_than_its_own() -> None:
    def reads(of_block: float) -> float:
        maps, reduces = groupby(tasks=4, slots=4).stages
        call = CallsPerTask("scratch", "read", 4 * of_block, 0.0)
        work = job([maps, replace(reduces, blocks=4, calls=[call])])
        slow = replace(LUSTRE, call=1.0)
        target = replace(at(4, slow, growth=Growth()), size=work.size, partitions=64)
        more = Model(work, at(4, growth=Growth())).at(target)
        stage = more.stages[-1]
        return stage.parts["data: scratch"] / stage.blocks

    assert reads(2.0) == pytest.approx(2.0), "blocks as small as these need as many calls each"
    assert reads(50.0) == pytest.approx(3.125), "a sixteenth of the data a block"
    assert reads(4800.0) == pytest.approx(300.0)
