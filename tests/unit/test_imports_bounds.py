"""What the author of a log can make its reader spend: memory, disk and time have limits, and each ends with a sentence."""

import gzip
import json
import os
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import cast

import pytest

from tests.unit.test_imports import HADOOP, LZ4, PLAIN, ROLLED
from tests.unit.test_model_tezhistory import history
from weft.errors import UsageError
from weft.facts import kept
from weft.facts.engines.hive import tezhistory
from weft.facts.engines.spark import eventlog, tasks
from weft.facts.jobmetrics import JobMetrics
from weft.run.imports import avro, unpack
from weft.run.imports.importing import import_log, import_read
from weft.text.entry import Entry

START = b'{"Event":"SparkListenerLogStart","Spark Version":"3"}\n'
MEMORY = """
import resource, sys
from pathlib import Path
from weft.run.imports import unpack
from weft.errors import UsageError
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = used()
unpack.head(Path(sys.argv[1]))
try:
    unpack.unpack(Path(sys.argv[1]), Path(sys.argv[2]))
except UsageError as error:
    print(error.message)
assert used() - before < 100_000, used() - before
"""


def zstd_bomb(blocks: int) -> bytes:
    """A frame of blocks of 128 KiB, each in four bytes."""
    last = blocks - 1
    body = (((131072 << 3) | 2 | (number == last)).to_bytes(3, "little") + b"a" for number in range(blocks))
    return b"\x28\xb5\x2f\xfd\x00\x38" + b"".join(body)


def gzip_bomb(size: int) -> bytes:
    packed = zlib.compressobj(9, wbits=31)
    return packed.compress(START) + packed.compress(b" " * size) + packed.flush()


@pytest.mark.parametrize(
    "content",
    [zstd_bomb(3000), gzip_bomb(200 << 20), zstd_bomb(8)[:-1] * 400],
    ids=["zstd", "gzip", "frames"],
)
def test_a_few_bytes_that_expand_to_much_take_no_memory(content: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(content)
    argv = [sys.executable, "-P", "-c", MEMORY, str(log), str(tmp_path / "out")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").stat().st_size < unpack._RATIO * len(content) + unpack._SMALL
    assert len(content) > 100_000 or "more than 1,000 times its size" in done.stdout


LENGTH = """
import resource, sys
from pathlib import Path
from weft.run.imports import unpack
from weft.facts.engines.spark import eventlog
from weft.text.entry import Entry
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = used()
unpack.unpack(Path(sys.argv[1]), Path(sys.argv[2]))
assert eventlog.read(Entry(Path(sys.argv[2]).parent)).applications["version"].to_list() == ["3"]
assert used() - before < 40_000, used() - before
"""


def test_a_log_takes_no_memory_for_its_length(tmp_path: Path) -> None:
    """50 MB of events that no table has: the tasks alone are kept."""
    chance, packed = random.Random(1), zlib.compressobj(1, wbits=31)
    line = b'{"Event":"SparkListenerTaskStart","Stage ID":%d,"Task Info":{"Task ID":%d}}\n'
    part = b"".join(line % (number, chance.randrange(10**9)) for number in range(20_000))
    log = tmp_path / "log"
    with log.open("wb") as file:
        file.write(packed.compress(START))
        for _ in range(30):
            file.write(packed.compress(part))
        file.write(packed.flush())
    (tmp_path / "engine").mkdir()
    argv = [sys.executable, "-P", "-c", LENGTH, str(log), str(tmp_path / "engine" / "app-1")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "engine" / "app-1").stat().st_size > 45_000_000


def test_a_log_above_the_limit_is_one_error_and_leaves_nothing(tmp_path: Path) -> None:
    for log in (PLAIN, ROLLED, LZ4):
        with pytest.raises(UsageError, match=r"more than 4.1 kB(.|\n)*--limit"):
            import_log(log, tmp_path / "runs", 4096)
    assert not list(tmp_path.glob("runs/*"))


@pytest.mark.parametrize("seed", range(3))
def test_search_for_whole_frames_ends(seed: int, tmp_path: Path) -> None:
    """A file that is nothing but beginnings of frames, and one whose frames hold each other."""
    chance = random.Random(seed)
    log = tmp_path / "log"
    for magic in (b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08", b"LZ4Block"):
        log.write_bytes(b"".join(magic + chance.randbytes(chance.randrange(40)) for _ in range(3000)))
        gaps = unpack.unpack(log, tmp_path / "out")
        assert len(gaps) == 1


def test_frames_behind_a_damaged_one_are_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for name, whole in (("gz", gzip.compress(START * 2) * 3), ("lz4", LZ4.read_bytes())):
        half = bytearray(whole)
        half[20:25] = b"\xff" * 5
        log.write_bytes(half + whole)
        gaps = unpack.unpack(log, tmp_path / "out")
        assert "1 of its" in gaps[0], name
        log.write_bytes(whole)
        assert unpack.unpack(log, tmp_path / "whole") == []
        assert (tmp_path / "out").read_bytes().endswith((tmp_path / "whole").read_bytes())


def events(schema: object, body: bytes) -> tuple[list[str], list[str]]:
    gaps: list[str] = []
    data = avro.MAGIC + json.dumps(schema).encode() + b"\n" + body
    return list(avro.lines(cast("BufferedReader", BufferedReader(BytesIO(data))), gaps)), gaps


def record(*fields: object, name: str = "E") -> dict[str, object]:
    named = [{"name": f"f{number}", "type": each} for number, each in enumerate(fields)]
    return {"type": "record", "name": name, "fields": named}


@pytest.mark.parametrize(
    "schema",
    [
        record(),
        record("null"),
        record(record(name="F")),
        record({"type": "array", "items": "null"}),
        record({"type": "array", "items": {"type": "null"}}),
        record({"type": "array", "items": {"type": "fixed", "name": "F", "size": 0}}),
        record("E"),
        record(["null", {"type": "array", "items": "E"}]),
        {"type": "error", "name": "E", "fields": []},
        record({"type": "bytes", "logicalType": "decimal", "precision": 9**9, "scale": 2}),
        {"type": "record", "name": "E" * 5000, "fields": [{"name": "f", "type": "int"}]},
    ],
    ids=str,
)
def test_a_schema_whose_values_take_no_bytes_is_refused(schema: object) -> None:
    assert events(schema, b"\x02" * 40) == ([], ["its schema is damaged, and nothing of it could be read"])


def test_a_schema_nested_too_deeply_is_refused() -> None:
    schema: object = "int"
    for _ in range(400):
        schema = {"type": "array", "items": schema}
    assert events(record(schema), b"\x02" * 40)[0] == []
    assert events("[" * 100_000, b"\x02")[0] == []


@pytest.mark.parametrize("length", [b"\xfe\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\xff" * 200, b"\x01"])
def test_a_length_of_anything_is_no_reason_to_take_memory(length: bytes) -> None:
    for kind in ("string", {"type": "array", "items": "int"}, {"type": "map", "values": "long"}):
        found, gaps = events(record(kind), length + bytes(10))
        assert found == []
        assert "damaged or cut off at byte" in gaps[0]


def test_settings_next_to_a_history_are_copied_without_passwords_and_never_through_a_link(
    tmp_path: Path,
) -> None:
    log, settings = tmp_path / "job_1_0001-X.jhist", tmp_path / "job_1_0001_conf.xml"
    log.write_bytes(gzip.decompress(HADOOP.read_bytes()))
    property_ = "<property><name>{}</name><value>{}</value></property>"
    pairs = {"mapreduce.map.memory.mb": "512", "fs.s3a.secret.key": "hidden", "a.password": "hidden"}
    content = "".join(property_.format(*pair) for pair in pairs.items())
    settings.write_text(f"<configuration>{content}</configuration>")
    copied = import_log(log, tmp_path / "runs").directory / "engine" / settings.name
    assert copied.stat().st_mode & 0o777 == 0o600
    assert "512" in copied.read_text()
    assert "hidden" not in copied.read_text()
    secret = settings.rename(tmp_path / "elsewhere.xml")

    def left_out() -> None:
        stored = import_log(log, tmp_path / "runs")
        assert not (stored.directory / "engine" / settings.name).exists()
        assert any("were left out" in gap for gap in stored.head.gaps)

    settings.symlink_to(secret)
    left_out()
    settings.unlink()
    os.mkfifo(settings)
    left_out()
    settings.unlink()
    for text in ("<a>" * 100_000, "not xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&d;</a>'):
        settings.write_text(text)
        left_out()


def test_a_history_without_time_and_user_in_its_name_has_settings_next_to_it_too(tmp_path: Path) -> None:
    """So it is called while its job runs, and if its ApplicationMaster was killed."""
    log = tmp_path / "job_1_0001.jhist"
    log.write_bytes(gzip.decompress(HADOOP.read_bytes()))
    settings = tmp_path / "job_1_0001_conf.xml"
    settings.write_text("<configuration/>")
    stored = import_log(log, tmp_path / "runs")
    assert (stored.directory / "engine" / settings.name).is_file()
    assert stored.head.facts["application"] == "job_1_0001"


FLINK = Path(__file__).parent / "logs" / "flink-2.3-archive.gz"


def tez(folder: Path) -> JobMetrics:
    (folder / "history.txt.appattempt_1").write_text("\x01".join(json.dumps(each) for each in history()))
    return tezhistory.read(Entry(folder))


def of(log: Path) -> Callable[[Path], JobMetrics]:
    return lambda folder: import_read(log, folder)[1]


READERS = [of(ROLLED), of(HADOOP), of(FLINK), tez]


@pytest.mark.parametrize("read", READERS, ids=["spark", "mapreduce", "flink", "tez"])
def test_rows_beyond_the_limit_are_left_out_and_counted(
    read: Callable[[Path], JobMetrics], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(tmp_path)
    assert not any("left out" in gap for gap in whole.gaps)
    monkeypatch.setattr(kept, "MOST_TASKS", 1)
    cut = read(tmp_path)
    assert cut.count == 1
    (gap,) = (gap for gap in cut.gaps if "left out" in gap)
    assert gap.startswith(f"{whole.count - 1:,} task(s) were left out")
    assert cut.stages.equals(whole.stages)
    monkeypatch.undo()
    monkeypatch.setattr(kept, "_ROW", 1 << 28)
    with suppress(UsageError):  # without stages and attempts, a history may have no task at all
        fewer = read(tmp_path)
        assert fewer.stages.height < whole.stages.height
        assert any("row(s) of applications" in gap for gap in fewer.gaps)


@pytest.mark.parametrize("read", READERS, ids=["spark", "mapreduce", "flink", "tez"])
def test_tasks_in_files_are_the_same_as_those_in_memory(
    read: Callable[[Path], JobMetrics], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(tmp_path)
    monkeypatch.setattr(kept, "_PART", 1)
    monkeypatch.setattr(kept, "_BATCH", 1)
    assert read(tmp_path).tasks.equals(whole.tasks)
    monkeypatch.setattr(kept, "IN_MEMORY", 0)
    filed = read(tmp_path)
    assert (filed.tasks.height, filed.count) == (0, whole.count)
    assert filed.every.collect().equals(whole.tasks)
    assert filed.every.collect_schema() == whole.tasks.schema


def test_texts_of_tasks_have_a_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each task fails with another message."""
    line = (
        '{{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{{"Reason":"ExceptionFailure",'
        '"Description":"{number} {text}"}},"Task Info":{{"Task ID":{number},"Launch Time":1,"Finish Time":2}}}}\n'
    )
    log = tmp_path / "app-1"
    log.write_text("".join(line.format(number=number, text="x" * 1000) for number in range(100)))
    monkeypatch.setattr(eventlog, "_BATCH", 10)
    monkeypatch.setattr(kept, "MOST", 102_500)
    found = eventlog.read(Entry(tmp_path))
    assert found.count == 50
    assert [gap[:26] for gap in found.gaps] == ["50 task(s) were left out: "]


def test_a_task_is_read_without_the_values_that_its_metrics_repeat() -> None:
    line = gzip.decompress((Path(__file__).parent / "logs" / "spark-3.5-plain.gz").read_bytes()).decode()
    whole = [each for each in line.splitlines() if each.startswith('{"Event":"SparkListenerTaskEnd"')]
    short = [tasks.needed(each) for each in whole]
    assert all(len(each) < len(long) - 900 for each, long in zip(short, whole, strict=True))
    assert tasks.parse("app", short, []).equals(tasks.parse("app", whole, []))
    for odd in (
        "",
        '"Accumulables":[',
        '"Task Metrics":{"Accumulables":[',
        '{"Event":"SparkListenerTaskEnd"}',
    ):
        assert tasks.needed(odd) == odd
