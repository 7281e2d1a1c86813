"""trace: a schedule that programs and record share, and a verdict that a lost or wrong job cannot get."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.commandline import option
from tests.fakes import WORK, fake_layout, fake_nodes
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.trace import Trace, slowdowns
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli import app
from weft.errors import UsageError
from weft.run import preview
from weft.spec.study import study_from

MADE_UP = "a\t5\t5\t1000\t0\t100\nb\t7\t2\t0\t0\t50\nc\t9\t2\t5000\t400\t3\nd\t30\t21\t64\t1\t0\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "made-up.tsv"
    path.write_text(MADE_UP)
    return path


def ran(workload: Trace, **changes: dict[str, Any]) -> dict[str, Any]:
    """What the driver reports if all is well, but for the changes by job."""
    jobs = [
        {
            "number": number,
            "job": job.name,
            "scheduled": job.submitted,
            "submitted": job.submitted + 0.01,
            "started": job.submitted + 0.02,
            "ended": job.submitted + 2.01,
            "read": job.input,
            "moved": job.shuffle,
            "written": job.output,
            "failure": "",
            **({"alone": 1.0, "alone_failure": ""} if number in workload.representatives else {}),
            **changes.get(job.name, {}),
        }
        for number, job in enumerate(workload.schedule)
    ]
    return {"jobs": jobs, "seconds": 30.0, "began": 1e9}


def test_programs_have_one_schedule_and_one_set_of_words(file: Path) -> None:
    workload, layout = Trace(file=file, alone=2), fake_layout()
    job, (check,) = workload.job(Prepared(layout, [])), workload.check(Prepared(layout, []))
    for key in (
        "schedule",
        "input",
        "output",
        "files",
        "file-bytes",
        "map-bytes",
        "reduce-bytes",
        "alone",
        "warm-up",
        "seed",
    ):
        assert option(job.arguments, key) == option(check.argv, key)
    assert workload.generated(layout) == {
        WORK / "schedule.tsv": "a\t0.000\t0.000\t1000\t0\t100\nb\t2.000\t2.000\t0\t0\t50\n"
        "c\t4.000\t2.000\t5000\t400\t3\nd\t25.000\t21.000\t64\t8\t0\n"
    }
    assert option(job.arguments, "schedule") == str(WORK / "schedule.tsv")


def test_the_input_holds_the_largest_job_in_whole_words(file: Path) -> None:
    small = Trace(file=file).prepare(fake_layout())
    assert [(option(c.argv, "bytes"), option(c.argv, "from"), option(c.argv, "to")) for c in small] == [
        ("5000", "0", "1")
    ]
    large = Trace(file=file, bytes_scale=1e5).prepare(fake_layout(fake_nodes(3)))
    ranges = [(int(option(c.argv, "from")), int(option(c.argv, "to"))) for c in large]
    assert [number for begin, end in ranges for number in range(begin, end)] == list(range(8)), (
        "500 MB in files of 64 MB"
    )


def test_a_trace_without_input_needs_no_generator(file: Path) -> None:
    file.write_text("b\t7\t2\t0\t0\t50\n")
    assert Trace(file=file).prepare(fake_layout()) == []


def test_the_room_that_it_takes_is_known_before(file: Path) -> None:
    assert Trace(file=file, alone=4).takes == {"input": 5000, "output": 459}
    assert Trace(file=file, alone=0, warm_up=0).takes == {"input": 5000, "output": 153}


def test_a_replay_of_all_jobs_is_valid_and_has_lag_and_slowdown(file: Path) -> None:
    workload = Trace(file=file, alone=2)
    judged = workload.judge(Results([], ran(workload), [{"wrong": {}}]))
    assert (judged.valid, judged.reason) == (True, "")
    assert (judged.bytes_in, judged.bytes_out, judged.seconds) == (6064, 153, 30.0)
    assert judged.facts["failed"] == 0
    assert judged.facts["lag"] == pytest.approx([0.01] * 8)
    assert judged.facts["slowdown"] == pytest.approx([2.0] * 8)
    assert judged.facts["replay"]["quantiles"]["gap"][-1] == 21.0
    json.dumps(judged.facts)


def test_a_job_that_failed_is_counted_and_not_lost(file: Path) -> None:
    workload = Trace(file=file, alone=4)
    left = ran(workload, c={"failure": "java.io.IOException: no space", "moved": 0, "written": 0})
    judged = workload.judge(Results([], left, [{"wrong": {"job 2": "The directory does not exist."}}]))
    assert (judged.valid, judged.reason) == (False, "1 jobs failed, first c: java.io.IOException: no space")
    assert (judged.facts["jobs"], judged.facts["failed"]) == (4, 1)
    assert len(slowdowns(left["jobs"])) == 3
    assert judged.bytes_in == 1064, "only what was done"


@pytest.mark.parametrize(
    ("changes", "wrong", "words"),
    [
        ({"b": {"written": 49}}, {}, "1 jobs moved other bytes, first b"),
        ({"d": {"moved": 0}}, {}, "1 jobs moved other bytes, first d"),
        (
            {},
            {"job 1": "The file x has 49 bytes"},
            "1 outputs are wrong, first job 1: The file x has 49 bytes",
        ),
        ({}, {"alone 0": "The file x has 49 bytes"}, "first alone 0"),
        ({"a": {"alone_failure": "killed"}}, {}, "1 jobs failed alone, first a: killed"),
    ],
)
def test_a_wrong_job_is_never_valid(
    file: Path, changes: dict[str, Any], wrong: dict[str, str], words: str
) -> None:
    workload = Trace(file=file, alone=4)
    judged = workload.judge(Results([], ran(workload, **changes), [{"wrong": wrong}]))
    assert not judged.valid
    assert words in judged.reason


def test_a_job_that_failed_during_the_warm_up_is_named(file: Path) -> None:
    workload = Trace(file=file, alone=4, warm_up=2)
    assert len(workload.warming) == 2
    judged = workload.judge(
        Results([], {**ran(workload), "warm_up_failures": ["a: killed"]}, [{"wrong": {}}])
    )
    assert (judged.valid, judged.reason) == (False, "1 jobs failed during the warm-up, first a: killed")


def test_a_job_that_nobody_reports_is_missed(file: Path) -> None:
    workload = Trace(file=file)
    left = ran(workload)
    left["jobs"] = left["jobs"][:-1]
    assert workload.judge(Results([], left, [{"wrong": {}}])).reason == "3 jobs are reported of 4"


def test_a_broken_trace_is_refused_before_anything_starts(file: Path) -> None:
    file.write_text(f"{MADE_UP}e\t31\n")
    with pytest.raises(UsageError, match=r"made-up\.tsv, line 5: 2 columns"):
        study_from({"workload": f"trace:{file}"}, name="x")


def test_the_plan_contains_the_schedule(file: Path) -> None:
    ((_, spec),) = study_from(
        {"workload": f"trace:{file},jobs=2", "engine": "spark"}, name="x", where="here"
    ).cells()
    files = preview.preview(spec)["files"]
    assert [text for path, text in files.items() if path.endswith("schedule.tsv")] == [
        "a\t0.000\t0.000\t1000\t0\t100\nb\t2.000\t2.000\t0\t0\t50\n"
    ]


def test_a_path_after_the_workload_is_its_own(file: Path) -> None:
    ((_, spec),) = study_of(f"trace:{file}", Flags(set=("jobs=2",))).cells()
    assert (spec.workload.file, len(spec.workload.schedule)) == (file, 2)  # type: ignore[attr-defined]


def test_the_verb_shows_quantiles_and_the_command_that_replays(file: Path) -> None:
    words = ["trace", str(file), "--jobs", "3", "--bytes-scale", "0.5", "--time-scale", "0.1"]
    done = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "3 jobs in 0.4 s" in done.output
    assert f"weft run trace:{file} --set jobs=3 --set bytes_scale=0.5 --set time_scale=0.1" in done.output
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert (found["trace"]["jobs"], found["replay"]["jobs"], found["replay"]["input"]) == (4, 3, 3000)


def test_a_trace_with_a_comma_in_its_name_has_a_command_that_works(file: Path) -> None:
    named = file.rename(file.with_name("2009,a=b.tsv"))
    done = CliRunner().invoke(app, ["trace", str(named)], env={"COLUMNS": "200"})
    (line,) = (line for line in done.output.splitlines() if "replay with: " in line)
    _, what, flag, value = shlex.split(line.partition(": ")[2])[1:]
    assert (what, flag) == ("trace", "--set")
    ((_, spec),) = study_of(what, Flags(set=(value,))).cells()
    assert spec.workload.file == named  # type: ignore[attr-defined]
