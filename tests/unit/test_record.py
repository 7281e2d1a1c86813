"""A record: written as the run goes, readable whenever it ends."""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from weft.errors import RecordError, StorageError, UsageError, WeftError
from weft.host import settings, shell
from weft.record import record, samples, sampletable
from weft.record.head import Head
from weft.record.history import before, equal_runs, expected_phases
from weft.record.record import Record, Stored
from weft.record.samples import Sample
from weft.run import run
from weft.run.run import verdict_of
from weft.spec.parse import parse
from weft.text.entry import Entry


def make(name: str = "20260101-terasort", **about: object) -> Record:
    return record.create(settings.runs(), name, "workload = 'terasort'\n", about)


def test_a_new_record_is_running_and_says_who_wrote_it() -> None:
    made = make(engine="spark")
    stored = record.read(made.directory)
    assert (stored.verdict, stored.head.engine, stored.head.pid) == ("RUNNING", "spark", os.getpid())
    assert (made.directory / "spec.toml").read_text() == "workload = 'terasort'\n"


def test_phases_are_timed_and_added_up() -> None:
    made = make()
    for _ in range(2):
        with made.phase("start"):
            pass
    head = record.read(made.directory).head
    assert set(head.phases) == {"start"}
    names = [(event["event"], event["phase"]) for event in record.read(made.directory).events()]
    assert names == [("phase-begin", "start"), ("phase-end", "start")] * 2


def test_an_error_leaves_its_phase_as_the_one_reached() -> None:
    made = make()
    with pytest.raises(WeftError), made.phase("storage"):
        raise WeftError("full")
    head = record.read(made.directory).head
    assert head.phase == "storage"
    assert "storage" in head.phases


@pytest.mark.parametrize(
    "change",
    [{"pid_start": "1"}, {"pid": 0x7FFFFFF0}],
)
def test_a_record_without_verdict_and_writer_was_killed(change: dict[str, object]) -> None:
    made = make()
    made.update(**change)
    assert record.read(made.directory).verdict == "KILLED"


def test_a_verdict_stays_when_the_writer_is_gone() -> None:
    made = make()
    made.update(verdict="VALID", pid=0x7FFFFFF0)
    assert record.read(made.directory).verdict == "VALID"


def test_a_torn_event_is_left_out() -> None:
    made = make()
    made.note("one")
    with (made.directory / "events.jsonl").open("a") as file:
        file.write('{"t": 1, "ev')
    assert [event["event"] for event in record.read(made.directory).events()] == ["one"]


def test_json_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a" / "value.json"
    record.write_json(path, {"x": 1})
    with pytest.raises(ValueError, match="Circular"):
        circular: list[object] = []
        circular.append(circular)
        record.write_json(path, circular)
    assert json.loads(path.read_text()) == {"x": 1}


@pytest.mark.parametrize("content", [None, "", "{", '{"schema": 999}'])
def test_what_is_no_record_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "record.json").write_text(content)
    with pytest.raises(RecordError) as caught:
        record.read(tmp_path)
    assert caught.value.hint


def test_a_record_is_found_by_path_name_part_and_last() -> None:
    one, two = make("20260101-a"), make("20260102-b")
    two.update(created="2999-01-01T00:00:00+0000")
    runs = settings.runs()
    assert record.find(runs, str(one.directory)).directory == one.directory
    assert record.find(runs, "20260101-a").directory == one.directory
    assert record.find(runs, "0102").directory == two.directory
    assert record.find(runs, "last").directory == two.directory


def test_the_last_record_is_the_one_that_began_last_in_whatever_time_zone() -> None:
    """The clock was put back by an hour between the first two; the third was made by a job whose variables have no TZ."""
    begun = ("2026-10-25T02:50:00+0200", "2026-10-25T02:10:00+0100", "2026-10-25T01:20:00+0000")
    names = ("c", "b", "a")
    for name, created in zip(names, begun, strict=True):
        make(name).update(created=created, key="same")
    make("damaged").update(created="yesterday", key="same")
    found = record.all_records(settings.runs())
    assert [stored.directory.name for stored in found] == ["damaged", *names]
    assert record.find(settings.runs(), "last").directory.name == "a"
    earlier = before(found, found[-1])
    assert earlier is not None
    assert earlier.directory.name == "b"


@pytest.mark.parametrize("name", ["2026", "nothing"])
def test_a_name_that_is_not_one_record_is_refused(name: str) -> None:
    make("20260101-a")
    make("20260102-b")
    with pytest.raises(UsageError, match=name):
        record.find(settings.runs(), name)


def test_where_there_are_no_records_the_hint_says_where_they_may_be() -> None:
    with pytest.raises(UsageError) as caught:
        record.find(settings.runs(), "last")
    assert "WEFT_RUNS" in caught.value.hint


def test_a_record_cannot_be_made_twice() -> None:
    make()
    with pytest.raises(UsageError, match="cannot create the record"):
        make()


def stored(verdict: str, key: str, **phases: float) -> Stored:
    return Stored(Path("x"), Head(verdict=verdict, key=key, phases=phases))


def test_history_takes_medians_of_valid_runs_of_the_same_spec() -> None:
    records = [
        stored("VALID", "k", start=1, run=10),
        stored("VALID", "k", start=2, run=30),
        stored("VALID", "k", run=20),
        stored("INVALID", "k", run=999),
        stored("VALID", "other", run=999),
    ]
    assert expected_phases(records, "k") == {"start": 1.5, "run": 20}
    assert expected_phases(records, "none") == {}


def test_equal_runs_are_valid_ones_of_one_spec_on_one_host() -> None:
    rows = [("k", "here", "VALID", 4.0), ("k", "here", "VALID", 5.0), ("k", "there", "VALID", 6.0)]
    rows += [("k", "here", "INVALID", 9.0), ("once", "here", "VALID", 7.0)]
    records = [
        Stored(Path("x"), Head(key=key, host=host, verdict=verdict, measured=seconds))
        for key, host, verdict, seconds in rows
    ]
    assert equal_runs(records, "here") == [[4.0, 5.0]]
    assert equal_runs(records, "nowhere") == []


@pytest.mark.parametrize("name", ["samples.csv", "samples.n1.proc.csv"])
def test_a_writer_on_another_host_is_known_by_what_it_writes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make()
    made.update(host="elsewhere")
    assert record.read(made.directory).verdict == "KILLED"
    made.note("phase-begin", phase="run")
    assert record.read(made.directory).verdict == "RUNNING"
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 600)
    assert record.read(made.directory).verdict == "KILLED"
    with (made.directory / name).open("a") as file:
        file.write(f"{now + 590},n1,,cpu_user,1.0\n{now + 591},n1")
    assert record.read(made.directory).verdict == "RUNNING"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts a file system of its own")
def test_a_full_disk_ends_a_run_with_that_reason_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    monkeypatch.setenv("WEFT_RUNS", str(disk))
    shell.run(["mount", "-t", "tmpfs", "-o", "size=1m", "weft-test", str(disk)])
    try:
        made = make()
        samples.append(made.directory, [Sample(1.0, "node1", "", "cpu_user", 1.0)])
        with pytest.raises(StorageError) as caught, verdict_of(made), made.phase("run"):
            with suppress(OSError), (disk / "other").open("wb", buffering=0) as file:
                while file.write(b"x" * 4096):
                    pass
            for number in range(10_000):
                made.note("growing", number=number)
        head = record.read(made.directory).head
        assert (head.verdict, head.phase) == ("INVALID", "run")
        assert head.reason == caught.value.message
        assert "No space left on device" in head.reason
        assert sampletable.load(Entry(made.directory))["value"].to_list() == [1.0]
        assert [path for path in disk.rglob("*") if path.name.endswith(".partial")] == []
        assert not (made.directory / ".reserve").exists()
    finally:
        shell.run(["umount", str(disk)])


def test_a_line_that_a_full_disk_cut_short_costs_no_other(tmp_path: Path) -> None:
    first, other = (samples.lines([Sample(t, "n", "", "cpu_user", t)]) for t in (1.0, 2.0))
    (tmp_path / "samples.csv").write_text(f"{first}{first[:12]}{other}{other}")
    sampletable.finish(tmp_path)
    assert not (tmp_path / "samples.csv").exists()
    assert sampletable.load(Entry(tmp_path))["value"].to_list() == [1.0, 2.0]


def test_samples_that_are_not_readable_end_no_run(tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("no,number,,cpu_user,none,,,,,\n")
    sampletable.finish(tmp_path)
    assert (tmp_path / "samples.csv").exists()
    assert not (tmp_path / "samples.parquet").exists()


def test_a_process_may_have_any_name(tmp_path: Path) -> None:
    named = ["ray::Reduce(key=('a',), parts=2)/7", 'a "b"/8', "two\nlines/9"]
    samples.append(tmp_path, [Sample(1.0, "n", name, "cpu_user", 2.0) for name in named])
    sampletable.finish(tmp_path)
    found = sampletable.load(Entry(tmp_path))
    assert found["process"].to_list() == ["ray::Reduce(key=('a';); parts=2)/7", "a 'b'/8", "two lines/9"]
    assert found["value"].to_list() == [2.0, 2.0, 2.0]


def test_two_runs_that_draw_one_name_have_two_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """As jobs of one array, which begin in the same second."""
    drawn = iter([b"\1\2", b"\1\2", b"\3\4"])
    monkeypatch.setattr(run.random, "randbytes", lambda _: next(drawn))
    monkeypatch.setattr(run.time, "strftime", lambda _: "now")
    spec = parse({"workload": "terasort", "engine": "spark"})
    names = [run._new(spec, "", {}).name for _ in range(2)]
    assert names == ["now-terasort-spark-0102", "now-terasort-spark-0304"]
