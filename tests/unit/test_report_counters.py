"""A page's two tables of counters come from one: they say the same of a record, by phase and by whose processes they are."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.report_fakes import BEGIN, make_record, measure
from weft.analysis.compare.operations import Operations, operations
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.totals import whole
from weft.record import samples, sampletable
from weft.record.migrations import SCHEMA
from weft.record.record import Stored, write_json
from weft.record.samples import Sample
from weft.report.draw.blocks import Table, Words
from weft.report.sections.counters import counters
from weft.report.sections.probes.fileops import file_operations

SOURCES = {"fileops.count": {"unit": "", "source": "preload library", "blind": "io_uring", "since": "run"}}


def reading(at: float, component: str, **values: float) -> list[Sample]:
    """A reading of node1's counters, `scratch_open_count=3`, so many seconds after the run began."""
    return [
        measure("fileops." + name.replace("_", ".")).at(BEGIN + at, "node1", "", value, component)
        for name, value in {"processes": 1.0, **values}.items()
    ]


def record(directory: Path, found: Sequence[Sample]) -> Stored:
    stored = make_record(directory, head={"schema": SCHEMA}, without=["samples.parquet"])
    samples.append(directory, found)
    sampletable.finish(directory)
    write_json(directory / "sources.json", SOURCES)
    return stored


JUMPS = [
    *(each for at in (2.0, 2.41) for each in reading(at, "engine")),
    *reading(6.0, "engine", scratch_open_count=8000, scratch_open_seconds=4),
    *reading(12.41, "engine", scratch_open_count=9000, scratch_open_seconds=4.5),
    *reading(13.2, "engine", scratch_open_count=9000, scratch_open_seconds=4.5),
]


def test_a_counter_that_jumps_is_the_same_in_both_tables(tmp_path: Path) -> None:
    summary = summarize(record(tmp_path / "run", JUMPS))
    sums = counters(summary).blocks[0]
    assert isinstance(sums, Table)
    rows = {row[0]: dict(zip(sums.columns, row, strict=True)) for row in sums.rows}
    counter = rows["fileops.count scratch open"]
    assert (counter["run"], counter["whole run"], counter["processes of"]) == ("9,000", "9,000", "engine")
    opens = file_operations(summary).blocks[0]
    assert isinstance(opens, Table)
    assert opens.rows == [("scratch", "open", "9,000", "-", "-", "-", "4.50 s", "500.0 us")]


def test_every_counter_has_its_source(tmp_path: Path) -> None:
    summary = summarize(record(tmp_path / "run", JUMPS))
    assert {c.name: c.source for c in summary.counters if c.name.endswith(".count")} == {
        "fileops.count": "preload library"
    }


def test_generators_and_validators_are_no_work_of_the_engine(tmp_path: Path) -> None:
    made = reading(2.41, "generator", input_write_count=50, input_write_bytes=5000)
    ran = reading(12.41, "engine", input_read_count=7, output_write_count=3, output_write_bytes=3000)
    checked = reading(13.01, "validator", output_read_count=99, output_read_bytes=9900)
    nothing = [each for who in ("generator", "engine", "validator") for each in reading(2.0, who)]
    stored = record(tmp_path / "run", [*nothing, *made, *ran, *checked])
    engine, others = (
        block for block in file_operations(summarize(stored)).blocks if isinstance(block, Table)
    )
    assert [row[:3] for row in engine.rows] == [("input", "read", "7"), ("output", "write", "3")]
    assert [row[:4] for row in others.rows] == [
        ("generator", "prepare", "input", "50"),
        ("validator", "check", "output", "99"),
    ]
    assert operations(stored.directory) == Operations(reads=7, writes=3, bytes_written=3000, output_calls=3)


def test_a_distribution_is_that_of_the_measured_phase(tmp_path: Path) -> None:
    sizes = [
        measure("fileops.input.read.size_hist.4096").at(BEGIN + at, "node1", "", value, "engine")
        for at, value in ((2.41, 5), (12.41, 25))
    ]
    ran = reading(12.41, "engine", input_read_count=20)
    summary = summarize(record(tmp_path / "run", [*reading(2.0, "engine"), *sizes, *ran]))
    tables = [block for block in file_operations(summary).blocks if isinstance(block, Table)]
    assert [row for table in tables for row in table.rows if table.columns[0] == "Sizes of reads"] == [
        ("from 4.1 kB", "20", "100 %")
    ]


def test_queries_have_their_bytes_beyond_tables_and_results(tmp_path: Path) -> None:
    ran = reading(
        12.41, "engine", input_read_bytes=900_000, scratch_read_bytes=200_000, scratch_write_bytes=200_000,
        output_write_bytes=3000, input_read_count=7, scratch_read_count=1, scratch_write_count=1, output_write_count=1,
    )  # fmt: skip
    stored = record(tmp_path / "run", [*reading(2.0, "engine"), *ran])
    summary = summarize(stored).model_copy(update={"facts": {"table_bytes": 1_000_000}})
    texts = [block.text for block in file_operations(summary).blocks if isinstance(block, Words)]
    assert (
        "Read: 1.1 MB, 100 kB more than the tables have (1 MB). Written: 3 kB of results and 200 kB beyond them."
        in texts
    )


def test_a_record_without_file_operations_has_none(tmp_path: Path) -> None:
    make_record(tmp_path / "run")
    assert operations(tmp_path / "run") is None
    assert operations(tmp_path / "none") is None


def test_of_processes_that_were_counted_as_one_the_input_is_only_read(tmp_path: Path) -> None:
    """Records of weft before components."""
    old = reading(
        12.41, "", input_read_count=10, input_write_count=99, output_write_count=6, output_read_count=99
    )
    stored = record(tmp_path / "run", old)
    assert operations(stored.directory) == Operations(reads=10, writes=6)


def test_a_machines_own_readings_are_not_added_to_those_of_its_nodes(tmp_path: Path) -> None:
    of = [("host", 50.0), ("node1", 20.0), ("node2", 10.0)]
    found = [Sample(BEGIN + at, node, "", "cpu_user", at * share) for at in (2.0, 12.4) for node, share in of]
    sums = counters(summarize(record(tmp_path / "run", found))).blocks[0]
    assert isinstance(sums, Table)
    assert sums.rows == [("cpu_user", "-", "312", "312", "520", "208", "104")]


def test_what_only_the_machine_of_one_node_knows_is_that_node_s_among_nodes_of_other_hosts(
    tmp_path: Path,
) -> None:
    """As in a job whose first node runs weft: its machine's idle time is a part of the sum of all nodes."""
    growing = {
        ("host", "idle"): 3,
        ("node2", "idle"): 4,
        ("host", "cpu_user"): 9,
        ("node1", "cpu_user"): 1,
        ("node2", "cpu_user"): 2,
    }
    found = [
        measure(counter).at(BEGIN + at, node, "", value * at)
        for at in (2.0, 3.0, 12.41, 13.2)
        for (node, counter), value in growing.items()
    ]
    rows = {row.name: row for row in summarize(record(tmp_path / "run", found)).counters}
    assert whole(rows["idle"]) == pytest.approx(7 * whole(rows["cpu_user"]) / 3)
    assert rows["idle"].totals.keys() == {"node1", "node2"}
    assert rows["cpu_user"].totals.keys() == {"host", "node1", "node2"}
