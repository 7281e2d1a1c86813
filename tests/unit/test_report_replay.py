"""The page of a replayed trace: failures are counted, lag is named, slowdown and slots are drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.report_fakes import BEGIN, EVENTS, executor, make_record, ms, write_log
from weft.adapters.workloads import jobtrace
from weft.adapters.workloads.jobtrace import Scaling, TraceJob
from weft.analysis.compare.compare import compare
from weft.analysis.compare.headline import headline
from weft.analysis.summary import replayed
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Summary
from weft.record.record import read, write_json
from weft.report.draw.blocks import Chart, Table, Words
from weft.report.pages import page
from weft.report.sections import replay


def job(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "number": number, "job": f"job{number}", "scheduled": float(number), "submitted": number + 0.01,
        "started": number + 0.1, "ended": number + 2.01, "read": 1, "moved": 0, "written": 1, "failure": "", **changes,
    }  # fmt: skip


def summary(tmp_path: Path, jobs: list[dict[str, Any]]) -> Summary:
    trace = [TraceJob(f"job{number}", number, 1000, 0, 10) for number in range(10)]
    facts = jobtrace.compared(trace, jobtrace.scaled(trace, Scaling(jobs=5)), Scaling(jobs=5))
    stored = make_record(tmp_path / "trace", head={"workload": "trace", "facts": facts})
    write_json(stored.directory / "outcomes" / "run.json", {"jobs": jobs, "began": BEGIN + 1})
    return summarize(stored)


def test_jobs_lag_and_slowdown_are_shown(tmp_path: Path) -> None:
    jobs = [job(0, alone=1.0, alone_failure=""), job(1, alone=0.5, alone_failure=""), job(2)]
    found = summary(tmp_path, jobs)
    section = replay.replay_of_a_trace(found)
    words = [block.text for block in section.blocks if isinstance(block, Words)]
    assert words == [
        "3 jobs were submitted, 3 succeeded, 0 failed.",
        "Lag behind the schedule: median 0.010 s, 99 % 0.010 s, at most 0.010 s.",
    ]
    titles = [block.title for block in section.blocks if isinstance(block, Chart)]
    assert titles[0] == "Slowdown against running alone, share of jobs"
    assert titles[1] == "Jobs submitted and not ended, over the replay"
    assert titles[2].startswith("Running tasks of ")
    assert [each.slowdown for each in found.replay.jobs] == pytest.approx([2.0, 4.0, None])  # type: ignore[union-attr]
    distributions = next(block for block in section.blocks if isinstance(block, Table))
    assert [row[1] for row in distributions.rows[:3]] == ["trace", "trace, scaled", "replay"]


def test_an_executor_that_replaced_a_lost_one_adds_no_slot(tmp_path: Path) -> None:
    summary(tmp_path, [job(0)])
    stored = read(tmp_path / "trace")
    later = {**executor(2)[0], "Timestamp": ms(7)}
    write_log(stored.directory / "engine", [*EVENTS[:-1], later, EVENTS[-1]])
    assert summarize(stored).replay.slots == 2  # type: ignore[union-attr]


def test_a_failed_job_is_counted_and_named(tmp_path: Path) -> None:
    section = replay.replay_of_a_trace(summary(tmp_path, [job(0), job(1, failure="no space", started=None)]))
    assert section.blocks[0] == Words("2 jobs were submitted, 1 succeeded, 1 failed.", "bad")
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert ("job1", "1.01", "3.01", "no space") in tables[1].rows


def test_a_replay_that_lags_says_so(tmp_path: Path) -> None:
    section = replay.replay_of_a_trace(summary(tmp_path, [job(0), job(1, submitted=3.5, ended=4.0)]))
    words = [block for block in section.blocks if isinstance(block, Words)]
    assert words[1].tone == "warn"
    assert "at most 2.50 s. The times of this replay are not those of the trace." in words[1].text
    assert words[2].text.startswith("No job ran alone")


def test_the_page_draws_everything(tmp_path: Path) -> None:
    text = page.text(summary(tmp_path, [job(number, alone=1.0, alone_failure="") for number in range(5)]))
    assert 'id="replay"' in text
    assert "could not be drawn" not in text.partition('id="replay"')[2].partition("</section>")[0]


@pytest.mark.parametrize("head", [{"workload": "trace"}, {"workload": "terasort"}])
def test_a_run_without_a_replay_has_no_section(tmp_path: Path, head: dict[str, str]) -> None:
    found = summarize(make_record(tmp_path / "other", head=head))
    assert found.replay is None
    assert replay.replay_of_a_trace(found).blocks == ()


def test_averages_keep_the_sum() -> None:
    line = replayed.averages([(0, 10), (2.5, 7.5), (9, 12)], 10)
    assert len(line) == 200
    assert sum(value for _, value in line) * 10 / 200 == pytest.approx(10 + 5 + 1)
    assert dict(line)[5.025] == 2.0
    assert replayed.averages([], 0) == ()


def test_the_page_and_the_record_have_one_definition_of_a_quantile() -> None:
    values = [4.0, 1.0, 9.0, 2.0, 2.5]
    assert list(np.quantile(values, jobtrace.LEVELS)) == pytest.approx(jobtrace.quantiles(values))


def test_platforms_are_compared_by_the_times_of_their_jobs(tmp_path: Path) -> None:
    lines = []
    for key, slow in (("one", 1.0), ("two", 3.0)):
        trace = [TraceJob(f"job{number}", number, 1000, 0, 10) for number in range(10)]
        facts = {
            **jobtrace.compared(trace, trace, Scaling()),
            "lag": [0.001] * 8,
            "job_seconds": jobtrace.quantiles([slow, 2 * slow]),
            "slowdown": jobtrace.quantiles([1.0, slow]),
        }
        head = {"workload": "trace", "key": key, "facts": {"jobs": 10, **facts}}
        lines.append(headline(make_record(tmp_path / key, head=head)))
    section = replay.replays_of_a_trace(compare(lines, "two platforms"))
    table = section.blocks[0]
    assert isinstance(table, Table)
    assert [row[1:7] for row in table.rows] == [
        ("10", "0.001", "1.50", "1.90", "1.99", "2.00"),
        ("10", "0.001", "4.50", "5.70", "5.97", "6.00"),
    ]
    assert [row[-1] for row in table.rows] == ["1.0 x", "3.0 x"]


def test_a_comparison_of_other_workloads_has_no_replays(tmp_path: Path) -> None:
    line = headline(make_record(tmp_path / "other"))
    assert replay.replays_of_a_trace(compare([line], "one")).blocks == ()
