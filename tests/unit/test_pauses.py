"""Pauses of GC: the JVM's own log, the tasks' time in them, and how far the two measurements agree."""

from pathlib import Path

import polars
import pytest

from tests.unit.report_fakes import measure
from weft.analysis.explain import pauses
from weft.facts import jobmetrics
from weft.record.sampletable import SCHEMA
from weft.report.sections.pauses import cross_check
from weft.text.entry import Entry

LOG = """[1000000ms] Using G1
[1010500ms] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 19M->7M(388M) 500.000ms
[1012000ms] GC(1) Concurrent Mark Cycle 40.000ms
[1020250ms] GC(2) Pause Full (System.gc()) 7M->5M(30M) 250.5ms
[1030000ms] GC(3) Pause Rem
"""


def test_a_pause_ends_where_its_line_was_written() -> None:
    first, second = pauses.parse(LOG)
    assert (first.begin, first.end) == (1010.0, 1010.5)
    assert second.end - second.begin == pytest.approx(0.2505)


def test_the_time_of_tasks_in_pauses_is_summed_by_node(tmp_path: Path) -> None:
    folder = tmp_path / "node1" / "engine"
    folder.mkdir(parents=True)
    (folder / "7.log").write_text(LOG)
    (folder / "8.log").write_text(LOG)
    rows = [measure("threads.task.cpu").at(1.0, "node1", f"{program}/{pid}", 1.0, "engine")
            for pid, program in ((7, "CoarseGrainedExecutorBackend"), (8, "Master"))]  # fmt: skip
    samples = polars.DataFrame(rows, SCHEMA, orient="row")
    tasks = [{"host": "10.0.0.1", "begin": 1009.0, "end": 1010.25}, {"host": "10.0.0.1", "begin": 1010.0, "end": 1030.0},
             {"host": "10.0.0.2", "begin": 1000.0, "end": 1030.0}]  # fmt: skip
    metrics = jobmetrics.empty()
    metrics.tasks = jobmetrics.table(tasks, jobmetrics.TASKS)
    (found,) = pauses.of_nodes(pauses.read(Entry(tmp_path)), samples, metrics, {"10.0.0.1": "node1"})
    assert (found.node, found.processes, found.count) == ("node1", 1, 2)
    assert found.longest == pytest.approx(0.5)
    assert found.of_tasks == pytest.approx(0.25 + 0.5 + 0.2505)


@pytest.mark.parametrize(
    ("logged", "reported", "words"),
    [(10.0, 9.0, "agree"), (10.0, 5.0, "disagree"), (0.1, 0.0, "Too little"), (1.0, None, "does not say")],
)
def test_two_measurements_are_compared(logged: float, reported: float | None, words: str) -> None:
    assert words in cross_check(logged, reported)[0]
