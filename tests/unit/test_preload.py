"""A run in which a program ran without the preload library is INVALID, with the program in the reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from weft.errors import StorageError
from weft.layout.handshake import COMMAND, FILE
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.run import preload


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """One node of this machine, whose processes are to have the library."""
    node = Node("node1", "127.0.0.1", 1, 1 << 30, tmp_path / "node1")
    wanted = {"LD_PRELOAD": str(tmp_path / "lib.so"), "WEFT_COUNT_DIR": str(tmp_path / "count")}
    whole = fake_layout([node])
    places = {role: replace(place, paths={"node1": "/x"}) for role, place in whole.places.items()}
    (tmp_path / "node1").mkdir()
    return replace(
        whole, directory=tmp_path, record=tmp_path / "record", places=places, preload={"node1": wanted}
    )


@pytest.fixture
def record(tmp_path: Path) -> Record:
    (tmp_path / "record").mkdir()
    return Record(tmp_path / "record")


def report(layout: Layout, *lines: str) -> None:
    Path(layout.environment(layout.head)[FILE]).write_text("".join(lines))


def required(layout: Layout, record: Record, *commands: str) -> None:
    preload.require_loaded(layout, [(layout.head, name) for name in commands], record)


def line(event: str, pid: int, program: str) -> str:
    return f"{event}\t{pid}\t1\t1\tc\tworker\t{program}\n"


def test_what_reports_everything_is_counted(layout: Layout, record: Record) -> None:
    lines = [line("started", 7, "sh"), line("executes", 7, "java"), line("started", 7, "java")]
    report(layout, *lines, line("cannot-load", 8, "static"), line("without", 9, "clean"))
    required(layout, record, "worker")
    counted = {"programs": 2, "processes": 1, "cannot_load": ["static"], "without": ["clean"]}
    assert record.head.preload == {"node1": counted}


def test_a_command_that_reports_nothing_is_named(layout: Layout, record: Record) -> None:
    report(layout, line("started", 7, "sh"))
    with pytest.raises(StorageError, match="executor on node1 ran without the preload library"):
        required(layout, record, "worker", "executor")


def test_no_report_at_all_is_one_too(layout: Layout, record: Record) -> None:
    with pytest.raises(StorageError, match="worker on node1"):
        required(layout, record, "worker")
    assert record.head.preload["node1"]["programs"] == 0


def test_a_program_that_was_executed_and_reports_nothing_is_named(layout: Layout, record: Record) -> None:
    report(layout, line("started", 7, "sh"), line("executes", 7, "/opt/java"))
    with pytest.raises(StorageError, match="/opt/java, started by worker on node1, ran without"):
        required(layout, record, "worker")


def test_a_program_that_was_ended_before_it_could_report_is_none(layout: Layout, record: Record) -> None:
    before = [line("started", 7, "sh"), line("executes", 7, "java"), line("started", 7, "java")]
    report(layout, *before, line("executes", 99_999_999, "java"))
    required(layout, record, "worker")


def test_a_job_that_the_library_could_not_do_is_named(layout: Layout, record: Record) -> None:
    report(layout, line("started", 7, "java").replace("\tc\t", "\t\t"))
    with pytest.raises(StorageError, match="counts no file operations in java"):
        required(layout, record, "worker")


def test_engines_that_share_nodes_report_to_one_file(layout: Layout) -> None:
    whole = replace(layout, shares={"spark": 1, "flink": 1})
    files = {one.environment(one.head)[FILE] for one in (whole, *map(whole.of_engine, whole.shares))}
    assert files == {f"{layout.directory}/node1/handshake"}


def test_what_earlier_jobs_of_a_cluster_reported_is_not_of_this_one(layout: Layout, record: Record) -> None:
    report(layout, line("started", 7, "sh"), line("executes", 7, "/opt/java"))
    before = preload.reported(layout)
    assert before == {"node1": 2}
    report(layout, line("started", 7, "sh"), line("executes", 7, "/opt/java"), line("started", 8, "java"))
    preload.require_loaded(layout, [(layout.head, "worker")], record, before)
    assert record.head.preload["node1"]["programs"] == 1
    report(layout, line("started", 7, "sh"), line("executes", 7, "/opt/java"), line("executes", 8, "/job"))
    with pytest.raises(StorageError, match="/job, started by worker"):
        preload.require_loaded(layout, [], record, before)


def test_what_the_loader_printed_is_shown(layout: Layout, record: Record) -> None:
    log = layout.log(layout.head, "worker")
    log.parent.mkdir(parents=True)
    log.write_text(
        "ERROR: ld.so: object 'x' from LD_PRELOAD cannot be preloaded (file too short): ignored.\n"
    )
    with pytest.raises(StorageError) as caught:
        required(layout, record, "worker")
    assert "file too short" in caught.value.tail[0]


def test_before_the_start_a_library_that_cannot_be_loaded_is_refused(layout: Layout, tmp_path: Path) -> None:
    (tmp_path / "lib.so").touch()
    with pytest.raises(StorageError, match=r"the preload library cannot be used: node1: .*lib.so"):
        preload.require_loadable(layout)


def test_a_run_without_the_library_needs_no_proof(layout: Layout, record: Record) -> None:
    plain = replace(layout, preload={})
    preload.require_loadable(plain)
    required(plain, record, "worker")
    assert "preload" not in record.head
    assert COMMAND not in plain.environment(plain.head)
