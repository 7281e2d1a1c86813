"""Records of older schemas are read as if this weft had written them; those of newer ones, and broken ones, are named."""

import json
import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.analysis.compare.headline import headlines
from weft.analysis.compare.operations import operations
from weft.analysis.predict import projection
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Summary
from weft.api import again
from weft.cli import app
from weft.errors import RecordError, UsageError
from weft.host import settings
from weft.record import record
from weft.record.migrations import SCHEMA, STEPS, migrated, with_labels
from weft.report.pages import page
from weft.report.sections.probes.fileops import file_operations

STORED = Path(__file__).with_name("records")


def kept(name: str) -> Path:
    """A stored record among one's own."""
    there = settings.runs() / name
    shutil.copytree(STORED / name, there)
    return there


def old(name: str) -> Summary:
    return summarize(record.read(kept(name)))


def test_every_older_schema_has_a_step_and_a_stored_record() -> None:
    written = {json.loads(path.read_text())["schema"] for path in STORED.glob("*/record.json")}
    assert written == set(STEPS) == set(range(1, SCHEMA))


@pytest.mark.parametrize("name", [path.name for path in sorted(STORED.iterdir())])
def test_a_stored_record_has_a_whole_page(name: str) -> None:
    where = kept(name)
    text = page.write(record.read(where)).read_text()
    assert "could not be created" not in text
    assert summarize(record.read(where)).gaps == ()


def test_a_valid_run_of_schema_1_was_checked_by_an_independent_program() -> None:
    summary = old("schema-1-terasort")
    assert (summary.verdict, summary.checked_by) == ("VALID", "an independent program")


def test_a_standing_cluster_of_schema_1_is_a_persistent_one() -> None:
    summary = old("schema-1-standing-cluster")
    assert (summary.verdict, summary.workload, summary.checked_by) == ("UNCHECKED", "persistent", "")
    assert headlines([record.find(settings.runs(), "last")])[0].spec["workload.kind"] == "persistent"


def test_file_operations_of_schema_1_are_whole_and_without_what_enters_nodes() -> None:
    summary = old("schema-1-terasort")
    found = operations(Path(summary.directory))
    assert found is not None
    assert found.bytes_read >= 20_000_000
    assert found.bytes_written >= 20_000_000
    programs = [
        process["program"] for node in summary.readings["fileops"].values() for process in node["processes"]
    ]
    assert programs
    assert not [program for program in programs if program.endswith("nsenter")]
    assert file_operations(summary).blocks


@pytest.mark.parametrize("name", [path.name for path in sorted(STORED.iterdir())])
def test_an_older_run_was_secured_and_used_class_archives(name: str) -> None:
    kept(name)
    (line,) = headlines([record.find(settings.runs(), "last")])
    assert (line.spec["security"], line.spec["class_archives"]) == ("full", "True")
    assert summarize(record.find(settings.runs(), "last")).unsecured == ""


def test_scratch_of_schema_3_has_the_name_of_its_flag_and_the_same_figures() -> None:
    summary = old("schema-3-delayed-scratch")
    found, explained = operations(Path(summary.directory)), summary.explanation
    assert found is not None
    assert (found.opens, found.bytes_read, found.bytes_written) == (132, 83_308_896, 163_250_396)
    assert explained is not None
    parts = {part.name: round(part.seconds, 3) for part in explained.parts}
    assert (parts["data: scratch"], parts["metadata: scratch"]) == (2.729, 0.231)
    names = {
        (counter.name, counter.thread) for counter in summary.counters if counter.path_class == "scratch"
    }
    assert {("fileops.count", ""), ("threadops.count", "task"), ("lustre.llite.count", "")} <= names
    assert all(counter.source for counter in summary.counters)
    assert set(summary.readings["lustre"]) == {"scratch"}
    assert summary.emulated[0].startswith("the scratch file system is emulated")
    assert summary.readings["lustre"]["scratch"]["emulated"] == summary.emulated[0]
    assert [place.role for place in summary.places] == ["scratch"]
    written = json.loads(summary.model_dump_json())
    assert not {key for key in _keys(written) if key == "shuffle"}
    assert "shuffle" not in {counter.path_class for counter in summary.counters}


def test_labels_of_schema_4_are_columns_and_the_figures_are_the_same() -> None:
    summary = old("schema-4-delayed-scratch")
    found, explained = operations(Path(summary.directory)), summary.explanation
    assert found is not None
    assert (found.opens, found.bytes_read, found.bytes_written) == (130, 83_308_896, 163_250_396)
    assert explained is not None
    parts = {part.name: round(part.seconds, 3) for part in explained.parts}
    assert (parts["data: scratch"], parts["metadata: scratch"], parts["CPU"]) == (5.748, 0.515, 2.434)
    assert (len(summary.counters), len(summary.series)) == (729, 38)
    assert {counter.name.count(".") for counter in summary.counters} == {0, 1, 2}
    assert all(counter.source for counter in summary.counters)


def test_the_lustre_of_schema_5_is_that_of_2014() -> None:
    stored = record.read(kept("schema-5-delayed-scratch"))
    text = json.loads((stored.directory / "record.json").read_text())
    assert (text["scratch"], stored.head.scratch) == ("delayed:lustre", "delayed:lustre-2014")
    assert stored.head.key == f"{text['key']}-2014"
    (line,) = headlines([stored])
    assert line.spec["scratch.profile"] == "lustre-2014"
    summary = summarize(stored)
    assert summary.emulated == (
        "the scratch file system is emulated (latencyfs, profile lustre-2014); no real lustre was used",
    )
    with pytest.raises(UsageError, match="an older delayed:lustre, which is delayed:lustre-2014 now"):
        again.study(str(stored.directory), ())


def test_counters_of_schema_5_are_as_they_were_written() -> None:
    summary = old("schema-5-delayed-scratch")
    assert {(c.name, c.thread, c.path_class) for c in summary.counters} >= {
        ("threadops.count", "task", "scratch"),
        ("lustre.llite.count", "", "scratch"),
    }
    assert all(counter.source for counter in summary.counters)
    read = projection.read(record.find(settings.runs(), "last"))
    assert list(read.work.missing) == []
    assert read.work.storages["scratch"] == "delayed:lustre-2014"


def test_other_storages_of_schema_5_and_their_keys_are_the_same() -> None:
    for scratch in ("memory", "delayed:datawarp", "pool+mount", "delayed:lustre-mine"):
        head = migrated("record.json", {"schema": 5, "scratch": scratch, "key": "1a"}, 5)
        assert (head["scratch"], head["key"]) == (scratch, "1a")
    nested = {"spec": {"scratch": {"kind": "pool", "on": {"kind": "delayed", "profile": "lustre"}}}}
    found = migrated("resolved.json", nested, 5)
    assert found["spec"]["scratch"]["on"]["profile"] == "lustre-2014"
    cell = {"cell": {"coordinates": {"scratch": "pool+delayed:lustre"}}, "scratch": "x"}
    assert migrated("record.json", cell, 5)["cell"]["coordinates"]["scratch"] == "pool+delayed:lustre-2014"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("memory", ("memory", "", "", "", "")),
        ("fileops.processes", ("fileops.processes", "", "", "", "")),
        ("fileops.other.read.size_hist.64", ("fileops.size_hist", "", "other", "read", "64")),
        ("threadops.task.shuffle.open.count", ("threadops.count", "task", "scratch", "open", "")),
        ("threads.server.in.open", ("threads.in", "server", "", "open", "")),
        ("threads.task.cpu", ("threads.cpu", "task", "", "", "")),
        ("lustre.host.mdc.intent_lock.count", ("lustre.mdc.count", "", "host", "intent_lock", "")),
        ("dvs./a.b/c.RQ_OPEN.errors", ("dvs.errors", "", "/a.b/c", "RQ_OPEN", "")),
        ("hdfs.namenode.create", ("hdfs.namenode.create", "", "", "", "")),
    ],
)
def test_a_dotted_counter_is_split_into_its_labels(name: str, expected: tuple[str, ...]) -> None:
    assert with_labels(name, 3) == expected


def _keys(value: object) -> set[str]:
    if isinstance(value, list):
        return {key for one in value for key in _keys(one)}
    if isinstance(value, dict):
        return set(value) | {key for one in value.values() for key in _keys(one)}
    return set()


@pytest.mark.parametrize("kind", ["teracount", "file-open", "count", "sort-by-key"])
def test_some_jobs_of_schema_1_checked_themselves(kind: str) -> None:
    head = migrated("record.json", {"schema": 1, "workload": kind, "verdict": "VALID"}, 1)
    assert (head["checked_by"], head["schema"]) == ("the job against the generator's formula", SCHEMA)


@pytest.mark.parametrize("file", ["record.json", "resolved.json", "sources.json", "fileops/node1.json"])
@pytest.mark.parametrize(
    "table", [{}, {"spec": 7}, {"spec": {"workload": [1]}}, {"processes": None}, {"fileops.x": 3}]
)
def test_a_damaged_file_of_an_older_schema_is_migrated_as_far_as_it_can_be(
    file: str, table: dict[str, object]
) -> None:
    assert isinstance(migrated(file, table, 1), dict)


def test_what_this_weft_wrote_stays_as_it_is() -> None:
    assert migrated("record.json", {"workload": "standing"}, SCHEMA) == {"workload": "standing"}


def broken(name: str, content: bytes) -> Path:
    directory = settings.runs() / name
    directory.mkdir(parents=True)
    (directory / "record.json").write_bytes(content)
    return directory


BROKEN = [
    b"",
    b"{",
    b"[1, 2]",
    b"null",
    b"7",
    b'"x"',
    b"{}",
    b'{"schema": "1"}',
    b'{"schema": true}',
    b"\xff\xfe\x00",
    b'{"schema": 0}',
]


def runs(*words: str) -> str:
    """The list of records."""
    return CliRunner().invoke(app, ["runs", *words]).stdout


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_record_stops_no_other_and_is_listed(content: bytes) -> None:
    kept("schema-1-terasort")
    broken("20260101-broken", content)
    assert record.find(settings.runs(), "last").directory.name == "schema-1-terasort"
    listed = {line["id"]: line for line in json.loads(runs("--json"))}
    assert listed["schema-1-terasort"]["verdict"] == "VALID"
    assert listed["20260101-broken"]["verdict"] == "BROKEN"
    assert "is not a record" in listed["20260101-broken"]["reason"]
    assert "BROKEN" in runs()
    with pytest.raises(RecordError, match="is not a record"):
        record.find(settings.runs(), "20260101")


@pytest.mark.parametrize(
    "head",
    [
        {},
        {
            "verdict": 7,
            "created": None,
            "cell": [1],
            "phases": "x",
            "host": 3,
            "workload": {"a": 1},
            "pid": "x",
        },
        {"verdict": "RUNNING", "host": os.uname().nodename, "pid": "x"},
    ],
)
def test_a_foreign_record_is_listed_and_shown(head: dict[str, object]) -> None:
    where = broken("20260101-foreign", json.dumps({"schema": SCHEMA, **head}).encode())
    assert "20260101-foreign" in runs()
    assert page.write(record.read(where)).exists()


def test_a_record_of_a_newer_weft_is_named_as_such() -> None:
    where = broken("20990101-future", json.dumps({"schema": SCHEMA + 1, "weft": "9.1"}).encode())
    with pytest.raises(RecordError, match=r"was written by weft 9\.1, which is newer") as caught:
        record.read(where)
    assert caught.value.hint


def test_figures_that_were_text_are_numbers_of_their_engine() -> None:
    texts = {
        "spark: slots": "4",
        "spark: executor heap": "1.5 GB",
        "flink: slots": "none",
        "driver heap": "2 GB",
    }
    found = migrated("resolved.json", {"derived": texts}, 3)["derived"]
    assert found["spark"] == {"slots": 4, "executor_heap": 1_500_000_000, "notes": {}}
    assert (found["flink"]["notes"], found["engine"]["notes"]) == ({"slots": "none"}, {"driver heap": "2 GB"})
