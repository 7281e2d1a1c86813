"""What `weft advise` says where nothing is predicted, what it says was not measured, and because of what more nodes gain."""

from dataclasses import replace
from pathlib import Path

import polars
import pytest

from tests.unit.prediction_jobs import at, groupby
from tests.unit.report_fakes import make_record
from tests.unit.test_model_attribution import EXECUTOR, WINDOW, job, task
from tests.unit.test_prediction_report import SPEC
from weft.analysis.explain.timeparts import Suggestion
from weft.analysis.predict import jobprofile
from weft.analysis.predict.candidates import Situation, candidates
from weft.analysis.predict.target import Growth
from weft.analysis.summary.gather import summarize
from weft.api import advice
from weft.facts import peers
from weft.record import sampletable
from weft.record.samples import Measure


def test_a_benchmarks_program_is_not_the_users_where_nothing_is_predicted_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "MOST_TASKS", 0)
    stored = make_record(tmp_path / "run")
    program = Suggestion(part="no task: driver", change="fewer stages", gain=0.3, program=True)
    explained = summarize(stored).explanation
    assert explained is not None
    found = advice.of(stored, explained.model_copy(update={"findings": (program,)}))
    assert found.notes[0].startswith("nothing was predicted")
    assert (found.own, found.first) == (False, None)


WAITS = [
    Measure("threads.in", "task", peers.PYTHON, "network").at(second, "node1", EXECUTOR, 0.5 * second)
    for second in range(11)
]


@pytest.mark.parametrize("python", [False, True])
def test_python_workers_that_were_watched_were_measured(*, python: bool) -> None:
    work = jobprofile.of_record(
        job([task(0, 1, 9)]),
        polars.DataFrame(WAITS, sampletable.SCHEMA, orient="row"),
        WINDOW,
        engine="spark",
        measured=None,
        storages={},
        python=python,
    )
    assert any("--probe python" in words for words in work.missing) is not python


@pytest.mark.parametrize(("cpu", "part"), [(1.9, "CPU"), (0.1, "slots")])
def test_more_nodes_are_for_the_cpu_only_where_tasks_compute(cpu: float, part: str) -> None:
    work = groupby()
    work = replace(
        work, stages=[replace(each, cpu=cpu, tasks=[2.0] * len(each.tasks)) for each in work.stages]
    )
    found = candidates(
        Situation(
            work, at(4, growth=Growth()), {**SPEC, "nodes": {"kind": "slurm", "count": 2}}, memory=64 << 30
        )
    )
    assert {one.part for one in found if one.family == "nodes"} == {part}
