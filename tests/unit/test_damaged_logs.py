"""Real logs and records, damaged at random: each is a record with a report, or one sentence; never another exception."""

import gzip
import json
import random
import shutil
from collections.abc import Callable
from io import BufferedReader, BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit import damage
from tests.unit.test_imports import FLINK, HADOOP, LZ4, PLAIN, ROLLED, SQL, ZSTD
from tests.unit.test_model_tezhistory import history, written
from weft.analysis.summary.gather import summarize
from weft.errors import WeftError
from weft.facts import loglines
from weft.facts.engines.hadoop import jobhistory
from weft.facts.engines.hive import tezhistory
from weft.facts.engines.spark import eventlog
from weft.record import record as records
from weft.report.pages import page
from weft.run.imports import avro, unpack
from weft.run.imports.importing import import_log
from weft.text.entry import Entry, decode

Damage = Callable[[bytes, random.Random], bytes]
SHORT, LONG = 10, 3000
FOUND = (490, 891, 2108, 2866)
"""Seeds that failed: half of a character, which no encoding has, a list as a name, a time after the year 287,000, and 9e15 cores."""
MANY = [pytest.param(SHORT), pytest.param(LONG, marks=pytest.mark.long)]


def whole_history() -> bytes:
    gaps: list[str] = []
    with BufferedReader(BytesIO(gzip.decompress(HADOOP.read_bytes()))) as file:  # type: ignore[arg-type]
        return "".join(f"{line}\n" for line in avro.lines(file, gaps)).encode()


TEXTS: dict[str, tuple[str, Callable[[], bytes], Damage]] = {
    "spark": ("app-1", lambda: gzip.decompress(PLAIN.read_bytes()), damage.lines_of),
    "queries": ("app-1", lambda: gzip.decompress(SQL.read_bytes()), damage.lines_of),
    "history": ("job_1_0001-X.jhist", whole_history, damage.lines_of),
    "flink": ("archive", lambda: gzip.decompress(FLINK.read_bytes()), damage.json_of),
    "bytes-spark": ("app-1", lambda: gzip.decompress(PLAIN.read_bytes()), damage.bytes_of),
    "bytes-flink": ("archive", lambda: gzip.decompress(FLINK.read_bytes()), damage.bytes_of),
    "avro": ("job_1_0001-X.jhist", lambda: gzip.decompress(HADOOP.read_bytes()), damage.bytes_of),
    "avro-schema": ("job_1_0001-X.jhist", lambda: gzip.decompress(HADOOP.read_bytes()), damage.lines_of),
    "gzip": ("app-1.gz", PLAIN.read_bytes, damage.bytes_of),
    "zstd": ("app-1.zstd", ZSTD.read_bytes, damage.bytes_of),
    "rolled": ("events_1_app-1.zstd", next(ROLLED.glob("events_1_*")).read_bytes, damage.bytes_of),
    "lz4": ("app-1.lz4", LZ4.read_bytes, damage.bytes_of),
}


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_damaged_log_is_a_record_or_one_sentence(kind: str, many: int, tmp_path: Path) -> None:
    name, content, changed = TEXTS[kind]
    log, runs, whole = tmp_path / name, tmp_path / "runs", content()
    for seed in range(many):
        log.write_bytes(changed(whole, random.Random(f"{kind}{seed}")))
        unnamed = False
        try:
            summary = summarize(import_log(log, runs))
            if seed % 20 == 0:
                page.text(summary)
        except WeftError as error:
            unnamed = log.name not in error.message
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        assert not unnamed, seed
        shutil.rmtree(runs, ignore_errors=True)


def test_half_of_a_character_is_replaced_and_a_whole_one_is_kept() -> None:
    text = r'{"a\ud83d": ["\ud83d\ude00", "\uDE00", 7]}'
    right = {"a\N{REPLACEMENT CHARACTER}": ["\N{GRINNING FACE}", "\N{REPLACEMENT CHARACTER}", 7]}
    assert decode(text) == decode(text.encode()) == loglines.decode(text) == right


@pytest.mark.parametrize("many", MANY)
def test_a_damaged_history_of_tez_is_read_up_to_its_damage(many: int, tmp_path: Path) -> None:
    path = next(written(tmp_path, history()).glob("history.txt.*"))
    whole = path.read_bytes()
    for seed in [*range(many), *FOUND]:
        path.write_bytes(damage.lines_of(whole, random.Random(seed), b"\x01\n"))
        try:
            tezhistory.read(Entry(tmp_path))
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("log", [PLAIN, HADOOP, FLINK], ids=["spark", "history", "flink"])
def test_a_damaged_record_has_a_report_or_one_sentence(log: Path, many: int, tmp_path: Path) -> None:
    first = import_log(log, tmp_path / "first").directory
    (first / "samples.csv").write_text("1700000000.5,n,,cpu_user,5,\n1700000001.5,n,1,memory,7,engine\n")
    files = [path for path in first.rglob("*") if path.is_file() and path.suffix != ".html"]
    for seed in range(many):
        chance = random.Random(f"{log}{seed}")
        copy = shutil.copytree(first, tmp_path / "runs" / "record")
        for path in chance.sample(files, chance.randint(1, 2)):
            how = chance.choice((damage.bytes_of, damage.lines_of, damage.json_of))
            (copy / path.relative_to(first)).write_bytes(how(path.read_bytes(), chance))
        try:
            records.all_records(tmp_path / "runs")
            summary = summarize(records.read(copy))
            if seed % 20 == 0:
                page.text(summary)
        except WeftError:
            pass
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        shutil.rmtree(copy)


MAGIC = st.sampled_from(
    [b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"LZ4Block", b"Avro-Binary\n", b"Avro-Json\n", b""]
)


@given(MAGIC, st.lists(st.one_of(MAGIC, st.binary(max_size=300)), max_size=8))
@example(b"LZ4Block", [b"\x25" + b"\xff" * 12])
def test_any_bytes_are_unpacked_or_named(
    tmp_path_factory: pytest.TempPathFactory, magic: bytes, more: list[bytes]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    log = folder / "log"
    log.write_bytes(magic + b"".join(more))
    try:
        unpack.head(log)
        unpack.unpack(log, folder / "plain")
    except WeftError:
        pass


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["SparkListenerTaskEnd", "SparkListenerJobStart", "SparkListenerJobEnd", "SparkListenerStageCompleted",
     "SparkListenerExecutorAdded", "SparkListenerExecutorRemoved", "SparkListenerLogStart", "SparkListenerApplicationStart"]
)  # fmt: skip


@settings(max_examples=settings().max_examples // 3)
@given(KEYS, st.dictionaries(st.sampled_from(["Stage ID", "Task Info", "Stage Info", "Timestamp", "Job ID", "Executor ID",
    "Executor Info", "Job Result", "Submission Time", "Completion Time", "Spark Version", "App Name"]), JSON))  # fmt: skip
def test_any_event_is_read_or_counted(
    tmp_path_factory: pytest.TempPathFactory, kind: str, values: dict[str, object]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "event"
    folder.mkdir(exist_ok=True)
    (folder / "app-1").write_text(json.dumps({"Event": kind, **values}) + "\n")
    eventlog.read(Entry(folder))


@given(JSON)
def test_any_history_is_read_or_counted(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    folder = tmp_path_factory.getbasetemp() / "history"
    folder.mkdir(exist_ok=True)
    kinds = (
        "JOB_SUBMITTED",
        "JOB_INITED",
        "JOB_FINISHED",
        "AM_STARTED",
        "MAP_ATTEMPT_STARTED",
        "MAP_ATTEMPT_FINISHED",
    )
    lines = (json.dumps({"type": kind, "event": {"x": value}}) for kind in kinds)
    (folder / "job_1_1-x.jhist").write_text("".join(f"{line}\n" for line in lines))
    jobhistory.read(Entry(folder))


def test_what_no_engine_writes_is_named_by_its_line(tmp_path: Path) -> None:
    text = gzip.decompress(PLAIN.read_bytes()).decode().splitlines(keepends=True)
    added = next(at for at, line in enumerate(text) if "ExecutorAdded" in line)
    for wrong in ('"many"', "1e999", damage.DEEP):
        text[added] = '{"Event":"SparkListenerExecutorAdded","Timestamp":1,"Executor ID":"1","Executor Info":{"Host":"h","Total Cores":' + wrong + "}}\n"  # fmt: skip
        (tmp_path / "app-1").write_text("".join(text))
        stored = import_log(tmp_path / "app-1", tmp_path / "runs")
        assert any(f"the first is line {added + 1}" in gap for gap in summarize(stored).gaps)
