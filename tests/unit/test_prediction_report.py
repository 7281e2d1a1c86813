"""`weft predict` and `weft advise` on records: what they say, what they lack, and what is an error."""

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.prediction_jobs import LUSTRE, MEMORY, at, groupby, job
from tests.unit.report_fakes import make_record
from weft.adapters.nodes import KINDS
from weft.analysis.explain.timeparts import Suggestion
from weft.analysis.predict import advice, correction, curve, holdout, prediction, projection
from weft.analysis.predict.advice import Advice, Line, OneNode, Trial
from weft.analysis.predict.candidates import Situation, candidates, on_nodes
from weft.analysis.predict.correction import Residual
from weft.analysis.predict.distance import AGAIN
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import Growth
from weft.api import advice as changes
from weft.api import again
from weft.api import machines as capacity
from weft.errors import RecordError, UsageError
from weft.report.pages import advice as advice_page
from weft.report.pages import prediction as prediction_page
from weft.spec.study import study_from

HERE = Machine("here", cores=2, storages={"memory": MEMORY, "lustre": LUSTRE})


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    return projection.read(make_record(tmp_path / "run"))


def test_the_work_of_a_record_is_that_of_its_stages(recorded: Recorded) -> None:
    assert (recorded.work.nodes, recorded.work.slots, recorded.cores) == (2, 4, 2)
    assert recorded.work.size == 400_000_000
    assert all(stage.count > 0 and stage.mean > 0 for stage in recorded.work.stages)
    for stage in recorded.work.stages:
        known = stage.cpu + stage.waiting + stage.gc + stage.network + stage.scheduling + stage.other
        assert known + sum(each.seconds for each in stage.calls) == pytest.approx(stage.mean, rel=0.05)


def test_the_ceilings_that_a_record_keeps_are_those_of_its_machine(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    recorded = projection.read(stored)
    assert capacity.of_record(stored, recorded).launches == {}
    scheduler = {"engine": "spark", "slots": 2, "tasks_per_second": {"value": 80, "source": "weft calibrate"}}
    kept = {"machine": "vm", "asked": "slurm:2", "nodes": [], "schedulers": [scheduler]}
    (stored.directory / "calibration.json").write_text(json.dumps({"calibration": kept}))
    found = capacity.of_record(stored, recorded)
    assert found.launches == {"spark": 80}
    assert found.storages["delayed:lustre-2014"].rate == 19_000
    (stored.directory / "calibration.json").write_text('{"calibration": {"nodes": 3}}')
    assert capacity.of_record(stored, recorded).launches == {}


def test_other_runs_are_predicted_as_a_test() -> None:
    one = on_lustre(groupby(), {**SPEC, "scratch": {"kind": "memory"}})
    same, other = (
        replace(one, name=name, work=replace(one.work, nodes=8, slots=8, wall=wall), spec=spec)
        for name, wall, spec in [
            ("same", 5.0, one.spec),
            ("other", 9.0, {**SPEC, "workload": {"kind": "pi"}}),
        ]
    )
    found = holdout.predict_others(one, one.model(HERE), HERE, [one, same, other])
    assert [row.run for row in found] == ["same"]
    assert found[0].predicted == pytest.approx(4.0)
    assert holdout.error(found) == pytest.approx(math.log(5 / 4))
    assert holdout.error([]) == 0.0


def test_the_part_that_warms_up_is_what_other_runs_show() -> None:
    one = on_lustre(groupby(tasks=64, slots=4, seconds=0.1), {**SPEC, "scratch": {"kind": "memory"}})
    one = replace(one, work=replace(one.work, warm_up=0.5))

    def longer(factor: float) -> Recorded:
        wall = one.work.wall * factor
        return replace(one, name="twice", work=replace(one.work, size=2 * one.work.size, wall=wall))

    grown, flat = (
        holdout.with_best_warm_up(one, HERE, [longer(factor)]).work.warm_up for factor in (2.0, 1.2)
    )
    assert grown < 0.5 < flat
    assert holdout.with_best_warm_up(one, HERE, []).work.warm_up == 0.5
    hadoop = replace(one, work=replace(one.work, jvm_a_task=True, warm_up=0.0))
    assert holdout.with_best_warm_up(hadoop, HERE, [longer(1.2)]).work.warm_up == 0.0


def test_errors_of_other_runs_widen_the_band(recorded: Recorded) -> None:
    model = recorded.model(HERE)
    sure, unsure = (
        curve.points(model, lambda _: model.measured, [2], correction.fit(runs))[0]
        for runs in ([], [Residual({AGAIN: 1.0, "slots": 1.0}, log) for log in (0.5, -0.5)])
    )
    assert unsure.high / unsure.low > 1.5 * sure.high / sure.low


def test_small_runs_are_chosen_for_what_is_asked() -> None:
    one = on_lustre(groupby(), {**SPEC, "scratch": {"kind": "memory"}})
    far = [run.flags for run in prediction.experiments(one, HERE, Scenario(HERE, [64]), [], 4)]
    assert ("--nodes", "slurm:8") in far
    assert 1 <= len(far) == len(set(far)) <= 4
    waits = on_lustre(slow(), one.spec)
    other = [run.flags for run in prediction.experiments(waits, HERE, Scenario(HERE, [4], ["memory"]), [], 4)]
    assert ("--scratch", "memory") in other


def test_a_curve_starts_from_the_run_that_is_nearest_to_it() -> None:
    one = on_lustre(replace(slow(), storages={"scratch": "lustre"}))
    near = replace(one, name="near", work=replace(one.work, nodes=8, slots=8))
    elsewhere = replace(near, name="elsewhere", work=replace(near.work, storages={"scratch": "memory"}))
    targets = [replace(at(8, LUSTRE), machine=HERE)]
    assert holdout.nearest(one, HERE, [elsewhere, near], targets).name == "near"
    assert holdout.nearest(one, HERE, [], targets).name == "run"


def test_a_page_and_a_terminal_show_the_curve(recorded: Recorded) -> None:
    found = prediction.predict(recorded, HERE, Scenario(HERE, [1, 2, 64], ["memory", "lustre"]))
    text = prediction_page.page(found)
    assert text.count("<svg") == 1
    assert "could not be drawn" not in text
    assert "Extrapolated up to 32 times" in text
    assert json.loads(found.model_dump_json())["curves"][1]["scratch"] == "lustre"


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("resolved.json", "resolved.json is not readable"),
        ("engine/app-20231114221320-0000", "no job metrics"),
    ],
)
def test_a_record_without_what_the_model_needs_is_an_error(tmp_path: Path, missing: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        projection.read(make_record(tmp_path / "run", without=[missing]))


def test_a_record_that_ended_before_its_run_phase_is_an_error(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", without=["events.jsonl"], head={"phases": {"start": 3.0}})
    with pytest.raises(UsageError, match="no finished run phase"):
        projection.read(stored)


def test_a_record_without_nodes_names_the_key(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    (stored.directory / "resolved.json").write_text('{"nodes": []}')
    with pytest.raises(UsageError, match="lacks the key nodes"):
        projection.read(stored)


SPEC: dict[str, Any] = {
    "workload": {"kind": "terasort", "partitions": None},
    "nodes": {"kind": "slurm"},
    "scratch": {"kind": "mount", "path": "/l/me"},
}


def slow() -> JobProfile:
    """Half of each task is spent opening scratch files on Lustre."""
    calls = [CallsPerTask("scratch", "open", 16, 0.5)]
    stages = [replace(stage, calls=calls, cpu=0.5) for stage in groupby().stages]
    return replace(job(stages), storages={"scratch": "mount"})


def on_lustre(work: JobProfile, spec: dict[str, Any] | None = None) -> Recorded:
    return Recorded("run", work, Growth(), 1, 64 << 30, "slurm", spec or SPEC, 1_070_000_000)


MACHINE = replace(HERE, cores=1, storages={"mount": LUSTRE}, mounts={"/l": "mount"})


def test_the_storage_is_the_first_advice_where_opens_are_half_of_the_time() -> None:
    found = advice.advise(on_lustre(slow()), "/runs/run", MACHINE)
    of_storage = next(line for line in found.lines if "scratch" in line.change)
    assert of_storage.flags == ("--scratch", "memory")
    assert of_storage.gain == pytest.approx(0.5, abs=0.05)
    assert of_storage.low < 0.5 < of_storage.high
    assert of_storage.part == "metadata: scratch"
    assert "open: 512 calls" in of_storage.counter
    assert of_storage.check == "weft run /runs/run/spec.toml --scratch memory"


def test_other_nodes_are_asked_for_as_those_that_were_measured() -> None:
    asked = {"cores": 8, "memory": 64 << 30, "account": "a1", "time": "2:00:00"}
    usual = {"partition": None, "qos": "", "launcher": "own", "constraint": "[r1,r2]"}
    run = on_lustre(groupby(), {**SPEC, "nodes": {"kind": "slurm", "count": 4, **asked, **usual}})
    text = on_nodes(run.situation(HERE), 8)
    assert KINDS.table(text) == {
        "kind": "slurm",
        "count": "8",
        **{key: str(one) for key, one in asked.items()},
    }
    hosted = {"kind": "virtual", "count": 4, "memory": 8 << 30, "rate": "1gbit", "storage_rate": "2gbit"}
    run = on_lustre(groupby(), {**SPEC, "nodes": hosted})
    assert on_nodes(run.situation(HERE), 8) == "virtual:8,cores=1,rate=1gbit,storage_rate=2gbit"


def test_nothing_helps_a_healthy_job() -> None:
    spec = {**SPEC, "nodes": {"kind": "ssh"}, "scratch": {"kind": "memory"}}
    found = advice.advise(on_lustre(groupby(), spec), "/runs/run", MACHINE)
    assert found.lines == ()
    assert "No change that weft knows surely saves more than 5 %" in str(advice_page.section(found).blocks)


def test_what_may_as_well_make_it_slower_is_no_advice() -> None:
    spec = {**SPEC, "nodes": {"kind": "ssh"}}
    found = advice.advise(on_lustre(slow(), spec), "/runs/run", MACHINE)
    assert found.lines[0].low > 0
    lost = on_lustre(job([replace(stage, waiting=0.9) for stage in slow().stages]), spec)
    unsure = advice.advise(lost, "/runs/run", MACHINE)
    assert unsure.lines == ()
    assert all(line.low <= 0 for line in unsure.uncertain)
    assert "not sure" in str(advice_page.section(unsure).blocks)


def test_the_first_thing_to_try_does_not_lose() -> None:
    line = Line(family="nodes", change="4 nodes", flags=("--nodes", "virtual:4"), settings="", seconds=8, gain=0.2,
                low=0.1, high=0.3, part="CPU", counter="", check="weft run x")  # fmt: skip
    known = Suggestion(part="GC", change="a larger heap", gain=0.3)
    program = known.model_copy(update={"program": True})
    fact = Suggestion(part="scan", change="fewer files", gain=None)
    shows, more = (
        Suggestion(part=part, change="observe", gain=None, shows=True) for part in ("CPU", "unclassified")
    )
    whole = Advice(run="r", directory="", measured=10, replay=1, job_class="", shares={}, lines=(line,), uncertain=(),
                   findings=(known,), notes=())  # fmt: skip

    def first(**other: Any) -> Any:
        found = whole.model_copy(update=other).first
        return found and found.change

    assert first() == "4 nodes"
    assert first(lines=()) == "a larger heap"
    assert first(lines=(), findings=(program,), own=False) is None, "a benchmark's program is not the user's"
    assert first(lines=(), findings=(), uncertain=(line.model_copy(update={"low": -0.1}),)) is None
    assert first(lines=(), findings=(shows,)) is None
    assert first(lines=(), findings=(shows, fact)) == "fewer files"
    assert first(lines=(), findings=(more,)) == "observe", "without a verdict"


def test_too_few_partitions_are_advice() -> None:
    work = groupby(tasks=2, slots=8)
    found = advice.advise(
        on_lustre(work, {**SPEC, "nodes": {"kind": "ssh"}}), "/runs/run", replace(MACHINE, cores=1)
    )
    assert any(line.flags == ("--set", "partitions=8") for line in found.lines)


def test_flink_has_no_more_subtasks_than_slots() -> None:
    work = replace(groupby(tasks=4, slots=8), engine="flink")
    asked = Situation(work, at(8, growth=Growth()), SPEC, memory=64 << 30)
    assert {one.target.partitions for one in candidates(asked) if one.family == "partitions"} == {2, 8}


def test_a_heap_that_is_too_small_is_advice() -> None:
    stages = [replace(stage, cpu=0.4, gc=0.6) for stage in groupby().stages]
    found = advice.advise(on_lustre(job(stages), {**SPEC, "nodes": {"kind": "ssh"}}), "/runs/run", MACHINE)
    line = next(line for line in found.lines if line.part == "GC")
    assert line.gain == pytest.approx(0.45, abs=0.03)
    assert line.low < 0.3
    assert line.high > 0.6
    assert line.settings == "spark.executor.memory=2040m"


def test_a_link_that_is_limited_is_advice() -> None:
    stages = [replace(stage, cpu=0.4, network=0.6) for stage in groupby().stages]
    spec = {**SPEC, "nodes": {"kind": "virtual", "rate": "100mbit"}}
    found = advice.advise(on_lustre(job(stages), spec), "/runs/run", MACHINE)
    assert any(
        line.flags == ("--nodes", "virtual:4,cores=1") and line.part == "network" for line in found.lines
    )

    spec["nodes"] |= {"storage_rate": "200mbit"}
    both = advice.advise(on_lustre(job(stages), spec), "/runs/run", MACHINE)
    (network,) = [line for line in both.lines if line.part == "network"]
    assert network.flags == ("--nodes", "virtual:4,cores=1,storage_rate=200mbit"), (
        "the other link keeps its limit"
    )


def test_compression_that_costs_more_than_it_saves_is_advice() -> None:
    stages = [replace(stage, compression=0.4 * stage.cpu) for stage in groupby().stages]
    spec = {**SPEC, "nodes": {"kind": "ssh"}}
    free, slow = (replace(MACHINE, link=link) for link in (1e12, 1e6))

    def advised(run: JobProfile, machine: Machine) -> list[advice.Line]:
        lines = advice.advise(on_lustre(run, spec), "/r", machine).lines
        return [line for line in lines if line.part == "compression"]

    (line,) = advised(job(stages), free)
    assert line.flags[:2] == ("--set", "spark.shuffle.compress=false")
    assert line.gain == pytest.approx(0.4, abs=0.02)
    heavy = job([replace(stage, bytes={"scratch read": 1e6}) for stage in stages])
    assert len(advised(heavy, free)) == 1
    assert advised(heavy, slow) == [], "what is not compressed takes its time on a slow link"


def test_compression_is_as_much_of_each_stage_as_stacks_of_its_side_show(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    folder = stored.directory / "profile" / "node1" / "engine"
    folder.mkdir(parents=True)
    run = "org/apache/spark/scheduler/ShuffleMapTask.runTask"
    worker = "[Executor task launch worker for task 0.0 in stage 0.0 (TID 0) tid=7]"
    lines = [
        "[main tid=1];org/apache/spark/executor/CoarseGrainedExecutorBackend.main 1",
        f"{worker};{run};org/apache/spark/io/LZ4CompressionCodec.write 30",
        f"{worker};{run};org/apache/spark/rdd/RDD.iterator 70",
    ]
    (folder / "1.collapsed").write_text("\n".join(lines))
    stages = projection.read(stored).work.stages
    for stage in stages:
        assert stage.compression == pytest.approx(0.3 * stage.cpu if stage.side == "map" else 0.0)


def test_without_sampled_stacks_compression_is_not_mentioned() -> None:
    found = candidates(Situation(groupby(), at(4), SPEC, memory=64 << 30))
    assert "compression" not in {one.family for one in found}


def test_memory_that_is_too_small_is_no_candidate() -> None:
    stages = [replace(stage, bytes={"scratch written": 4e9}) for stage in groupby().stages]
    work = replace(job(stages), storages={"scratch": "mount"})
    run = Situation(work, at(4), SPEC, memory=64 << 30)
    assert ("--scratch", "memory") not in [one.flags for one in candidates(run)]
    pools = [one.flags for one in candidates(replace(run, target=replace(at(4), machine=MACHINE)))]
    assert ("--scratch", "pool:/l/me") in pools


def tried(low: float, high: float, real: float) -> Trial:
    return Trial(
        run="r",
        change="c",
        flags=("--scratch", "memory"),
        gain=0.2,
        low=low,
        high=high,
        old=(10,),
        new=(8,),
        real=real,
    )


def test_a_score_counts_intervals_that_held() -> None:
    text = str(advice_page.score([tried(0.1, 0.3, 0.2), tried(0.1, 0.3, 0.4)]))
    assert "held 1 of 2 times" in text


def test_another_engine_is_advice_where_it_has_done_the_same_work() -> None:
    one = on_lustre(groupby())
    work = one.work
    stages = [replace(stage, tasks=[s / 2 for s in stage.tasks], cpu=stage.cpu / 2) for stage in work.stages]
    faster = replace(one, name="other", work=replace(work, engine="flink", wall=work.wall / 2, stages=stages))
    found = {line.family: line for line in advice.advise(one, "/runs/run", MACHINE, [faster]).lines}
    assert found["engine"].flags == ("--engine", "flink")
    assert found["engine"].gain == pytest.approx(0.5, abs=0.05)
    assert "other took" in found["engine"].counter
    differs = replace(faster, spec={**SPEC, "workload": {"kind": "pi"}})
    assert "engine" not in {line.family for line in advice.advise(one, "/runs/run", MACHINE, [differs]).lines}


def test_the_log_of_tried_advice_names_a_broken_line(tmp_path: Path) -> None:
    log = tmp_path / "advice.jsonl"
    assert changes.read(log) == []
    log.write_text(tried(0.1, 0.3, 0.2).model_dump_json() + "\n")
    assert changes.read(log)[0].held
    log.write_text("{}\n{")
    with pytest.raises(RecordError, match="line 1 is damaged"):
        changes.read(log)


def test_changes_are_tried_in_turn_with_the_old_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    same = study_from({"workload": "terasort"}, name="s")

    def run(_: str, flags: tuple[str, ...], *, trust: bool, source: Any) -> SimpleNamespace:
        assert (trust, source.group(same.cells()[0][1]) != "") == (False, True)
        asked.append(tuple(flags))
        measured, phase = (8.0, 5.0) if flags else (10.0, 20.0)
        return SimpleNamespace(head=SimpleNamespace(measured=measured, phases={"run": phase}))

    monkeypatch.setattr(again, "run", run)
    monkeypatch.setattr(again, "study", lambda *_, **__: same)
    found = advice.advise(on_lustre(slow()), "/runs/run", MACHINE)
    line = next(line for line in found.lines if line.flags)
    duckdb = OneNode(change="duckdb on one node", flags=("--engine", "duckdb"), says="not known")
    one, other = changes.attempt(found, [line, duckdb], 2)
    assert asked == [(), line.flags, duckdb.flags] * 2
    assert math.isclose(one.real, 0.2)
    assert (other.old, other.new, other.real, other.held) == ((20.0, 20.0), (5.0, 5.0), 0.75, None)
    shown = [str(advice_page.score(those)) for those in ([one, other], [other])]
    assert ("held 0 of 1 times" in shown[0], "times" in shown[1]) == (True, False)
