"""Job traces: broken lines are named, and a smaller replay keeps what makes a job what it is."""

import re
from pathlib import Path

import pytest

from weft.adapters.workloads import jobtrace
from weft.adapters.workloads.jobtrace import Scaling, TraceJob
from weft.errors import UsageError

MADE_UP = """\
a\t5\t5\t1000\t0\t100
b\t7\t2\t0\t0\t50
c\t7\t0\t5000000\t400000\t3

d\t30.5\t23.5\t64\t1\t0
"""


def jobs(tmp_path: Path, text: str = MADE_UP) -> list[TraceJob]:
    path = tmp_path / "made-up.tsv"
    path.write_text(text)
    return jobtrace.read(path)


def test_a_line_is_a_job(tmp_path: Path) -> None:
    found = jobs(tmp_path)
    assert [job.name for job in found] == ["a", "b", "c", "d"]
    assert found[2] == TraceJob("c", 7.0, 5_000_000, 400_000, 3)
    assert found[3].submitted == 30.5


def test_columns_after_the_sixth_are_ignored(tmp_path: Path) -> None:
    assert jobs(tmp_path, "a\t5\t5\t10\t0\t1\tinputPath42\t\t\n") == [TraceJob("a", 5, 10, 0, 1)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("b\t7\t2\t0\t0", "line 2: 5 columns instead of 6"),
        ("b 7 2 0 0 50", "line 2: 1 columns instead of 6"),
        ("b\tsoon\t2\t0\t0\t50", "line 2: submitted is 'soon', not a number of seconds"),
        ("b\tnan\t2\t0\t0\t50", "line 2: submitted is 'nan'"),
        ("b\t-7\t2\t0\t0\t50", "line 2: submitted is '-7'"),
        ("b\t7\t2\t-1\t0\t50", "line 2: input is '-1', not a whole number of bytes"),
        ("b\t7\t2\t0\t1e9\t50", "line 2: shuffle is '1e9'"),
        ("b\t7\t2\t0\t0\t", "line 2: output is ''"),
        ("\t7\t2\t0\t0\t50", "line 2: the job has no name"),
        ("b\x00\t7\t2\t0\t0\t50", "line 2: 'b\\x00' is not a name that can be printed"),
        ("b\t4\t2\t0\t0\t50", "line 2: it is submitted before the job above it, a"),
    ],
)
def test_a_broken_line_is_named_with_its_file(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)) as error:
        jobs(tmp_path, f"a\t5\t5\t1000\t0\t100\n{line}\n")
    assert "made-up.tsv, line 2" in error.value.message
    assert error.value.hint


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00"])
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "none.tsv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"none\.tsv"):
        jobtrace.read(path)


@pytest.mark.parametrize("name", ["missing.tsv", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot read the trace"):
        jobtrace.read(tmp_path / name)


def test_written_jobs_are_read_again(tmp_path: Path) -> None:
    found = jobs(tmp_path)
    assert jobs(tmp_path, jobtrace.text(found)) == found


def test_a_replay_begins_at_once_and_scales_times_and_bytes(tmp_path: Path) -> None:
    found = jobtrace.scaled(jobs(tmp_path), Scaling(bytes=0.01, time=0.1))
    assert [job.submitted for job in found] == [0.0, 0.2, 0.2, 2.55]
    assert [job.input for job in found] == [10, 0, 50_000, 1]
    assert [job.shuffle for job in found] == [0, 0, 4000, 8], (
        "a job keeps its shuffle, and a map-only job has none"
    )
    assert [job.output for job in found] == [1, 1, 1, 0]


def test_without_scaling_only_the_beginning_changes(tmp_path: Path) -> None:
    found = jobtrace.scaled(jobs(tmp_path)[:3], Scaling())
    assert [(job.submitted, job.size) for job in found] == [(0, 1100), (2, 50), (2, 5_400_003)]


def test_jobs_are_the_first_or_a_seeded_sample(tmp_path: Path) -> None:
    every = jobs(tmp_path)
    assert [job.name for job in jobtrace.scaled(every, Scaling(jobs=2))] == ["a", "b"]
    many = [TraceJob(f"j{number}", number, 1, 0, 1) for number in range(100)]
    one, same, other = (
        jobtrace.scaled(many, Scaling(jobs=10, choose="sample", seed=seed)) for seed in (1, 1, 2)
    )
    assert one == same != other
    assert len({job.name for job in one}) == 10
    assert [job.submitted for job in one] == sorted(job.submitted for job in one)


def test_more_jobs_than_the_trace_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has 4 jobs, fewer than jobs=5"):
        jobtrace.scaled(jobs(tmp_path), Scaling(jobs=5))


def test_an_absurd_scale_is_refused_with_the_job(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="c of the trace moves"):
        jobtrace.scaled(jobs(tmp_path), Scaling(bytes=1e9))


def test_quantiles_of_a_proportional_replay_are_proportional() -> None:
    many = [TraceJob(f"j{number}", 3.0 * number, number * 1000, 0, 2000) for number in range(101)]
    before = jobtrace.described(many)
    after = jobtrace.described(jobtrace.scaled(many, Scaling(bytes=0.1, time=0.5)))
    assert before["quantiles"]["input"] == [0, 10e3, 25e3, 50e3, 75e3, 90e3, 99e3, 100e3]  # type: ignore[index]
    assert after["quantiles"]["input"] == [0, 1e3, 2.5e3, 5e3, 7.5e3, 9e3, 9.9e3, 10e3]  # type: ignore[index]
    assert after["quantiles"]["gap"] == [1.5] * 8  # type: ignore[index]
    assert (before["jobs"], before["map_only"], before["seconds"], before["output"]) == (
        101,
        101,
        300,
        202_000,
    )


def test_a_single_job_has_no_gaps() -> None:
    assert jobtrace.described([TraceJob("a", 3, 1, 1, 1)])["quantiles"]["gap"] == []  # type: ignore[index]


def test_jobs_that_represent_others_are_spread_over_the_sizes() -> None:
    many = [TraceJob(f"j{number}", number, number * 37 % 100, 0, 0) for number in range(100)]
    assert jobtrace.spread(many, 4) == [1, 26, 51, 76]
    assert sorted(many[number].size for number in jobtrace.spread(many, 4)) == [12, 37, 62, 87]
    assert jobtrace.spread(many, 1000) == list(range(100))
    assert jobtrace.spread(many, 0) == []
