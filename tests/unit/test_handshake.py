"""Which programs have the preload library, from what they report."""

import pytest

from weft.layout import handshake
from weft.layout.handshake import ProcessId


def text(*lines: str) -> list[handshake.Event]:
    """Lines of `event pid program`."""
    split = [line.split(" ") for line in lines]
    return handshake.events(
        "".join(f"{event}\t{pid}\t100\t1\tcs\tworker\t{program}\n" for event, pid, program in split)
    )


def silent(*lines: str) -> list[tuple[int, str, int]]:
    return [(one.process.pid, one.program, one.others) for one in handshake.silent(text(*lines))]


def test_a_process_that_reports_each_program_lacks_nothing() -> None:
    assert (
        silent("started 7 sh", "executes 7 env", "started 7 env", "executes 7 java", "started 7 java") == []
    )


def test_a_program_that_reports_nothing_is_found_also_as_the_last_of_several() -> None:
    assert silent("started 7 sh", "executes 7 env", "started 7 env", "executes 7 java") == [(7, "java", 0)]
    assert silent("executes 7 sh", "executes 7 java", "started 7 java") == [(7, "sh", 0)]


def test_a_call_that_failed_is_none() -> None:
    assert (
        silent("started 7 sh", "executes 7 a/java", "failed 7 a/java", "executes 7 java", "started 7 java")
        == []
    )
    assert silent("started 7 sh", "executes 7 a/java", "failed 7 a/java") == []


@pytest.mark.parametrize("lines", [("spawned 8 cat", "started 8 cat"), ("started 8 cat", "spawned 8 cat")])
def test_a_child_reports_before_or_after_its_parent(lines: tuple[str, str]) -> None:
    assert silent("started 7 java", *lines) == []
    assert silent("started 7 java", lines[0].replace("started", "spawned")) == [(8, "cat", 0)]


def test_a_child_whose_start_its_parent_could_not_read_is_known_by_its_pid() -> None:
    lines = "spawned\t8\t0\t1\t\tworker\tcat\nstarted\t8\t100\t1\tcs\tworker\tcat\n"
    assert handshake.silent(handshake.events(lines)) == []


def test_how_often_others_ran_the_same_program_with_it_is_counted() -> None:
    assert silent("executes 7 java", "started 7 java", "executes 8 java") == [(8, "java", 1)]


def test_a_line_that_is_still_being_written_is_not_read() -> None:
    assert handshake.events("started\t7\t100\t1\tcs\tworker\tjava\nstarted\t8\t10") == [
        handshake.Event("started", ProcessId(7, 100, 1), "cs", "worker", "java")
    ]


def test_a_job_that_the_library_does_not_do_is_named() -> None:
    (line,) = handshake.events("started\t7\t100\t1\tc\tworker\tjava\n")
    assert handshake.idle(line, {"WEFT_COUNT_DIR": "/c"}) == ""
    assert handshake.idle(line, {"WEFT_SCRATCH_PREFIX": "/p"}) == "does not serve the pool"
    assert (
        handshake.idle(line, {"WEFT_SCRATCH_PREFIX": "", "WEFT_POOL_PREFIXES": "/i"})
        == "does not pool input files"
    )
