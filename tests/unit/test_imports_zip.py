"""A zip with a log in it, as the page of Spark's History Server gives it; logs of other names; and damaged archives of Flink."""

import gzip
import json
import random
import zipfile
from pathlib import Path

import pytest

from tests.unit import damage
from tests.unit.test_imports import FLINK, PLAIN, ROLLED, ZSTD
from weft.analysis.summary.gather import summarize
from weft.errors import UsageError
from weft.host import settings
from weft.run.imports.importing import import_log

ID = "app-20261122171827-0000"


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return path


@pytest.mark.parametrize("name", [f"{ID}.json", ".app.json.gz", "job.xml", f"{ID}.snappy"])
def test_a_log_of_spark_may_have_any_name(name: str, tmp_path: Path) -> None:
    data = PLAIN.read_bytes()
    log = tmp_path / name
    log.write_bytes(data if name.endswith(".gz") else gzip.decompress(data))
    stored = import_log(log, settings.runs())
    found = summarize(stored).explanation
    assert found
    assert found.coverage.tasks == 4


@pytest.mark.parametrize(
    "files",
    [
        {ID: gzip.decompress(PLAIN.read_bytes())},
        {f"{ID}.zstd": ZSTD.read_bytes()},
        {f"{ROLLED.name}/{each.name}": each.read_bytes() for each in ROLLED.iterdir()},
    ],
    ids=["plain", "zstd", "rolled"],
)
def test_a_zip_of_the_history_server_is_read(files: dict[str, bytes], tmp_path: Path) -> None:
    log = zipped(tmp_path / f"eventLogs-{ID}.zip", files)
    stored = import_log(log, settings.runs())
    assert summarize(stored).explanation
    assert stored.head.imported
    assert stored.head.imported["log"] == str(log)
    assert list(settings.runs().iterdir()) == [stored.directory], "what was unpacked is gone"


LOG = {ID: gzip.decompress(PLAIN.read_bytes())}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({**LOG, "app-2": LOG[ID]}, rf"eventLogs.zip has 2 logs: app-2, {ID}"),
        ({"notes.txt": b"nothing"}, "no file in .*eventLogs.zip is a log that weft can read"),
        ({"../app-1": LOG[ID]}, "eventLogs.zip cannot be unpacked: '../app-1' leads out of it"),
        ({"/tmp/app-1": LOG[ID]}, "eventLogs.zip cannot be unpacked: '/tmp/app-1' leads out of it"),
    ],
    ids=["two", "none", "above", "absolute"],
)
def test_a_zip_without_one_log_is_one_sentence_and_leaves_nothing(
    files: dict[str, bytes], words: str, tmp_path: Path
) -> None:
    log = zipped(tmp_path / "eventLogs.zip", files)
    with pytest.raises(UsageError, match=words):
        import_log(log, settings.runs())
    assert list(settings.runs().iterdir()) == []


def test_a_damaged_zip_is_a_record_or_one_sentence(tmp_path: Path) -> None:
    whole, chance = zipped(tmp_path / "whole.zip", LOG).read_bytes(), random.Random(1)
    log = tmp_path / "eventLogs.zip"
    log.write_bytes(whole[:5000])
    with pytest.raises(UsageError, match="cannot be unpacked"):
        import_log(log, settings.runs())
    messages = []
    for _ in range(40):
        log.write_bytes(damage.bytes_of(whole, chance))
        try:
            import_log(log, settings.runs())
        except UsageError as error:
            messages.append(error.message)
    assert messages
    assert all(str(log) in message for message in messages)


def test_a_zip_that_lzma_cannot_unpack_is_one_sentence(tmp_path: Path) -> None:
    log = tmp_path / "eventLogs.zip"
    with zipfile.ZipFile(log, "w", zipfile.ZIP_LZMA) as out:
        out.writestr(ID, LOG[ID])
    data = bytearray(log.read_bytes())
    data[30 + len(ID) + 9] = 0xFF  # of its properties, the first byte of what is compressed
    log.write_bytes(data)
    with pytest.raises(UsageError, match=r"eventLogs\.zip cannot be unpacked: "):
        import_log(log, settings.runs())


def test_a_zip_above_the_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has more than 1 kB, decompressed"):
        import_log(zipped(tmp_path / "eventLogs.zip", LOG), settings.runs(), 1000)


@pytest.mark.parametrize(
    "pages",
    [[], [{"path": "/jobs/ab", "json": "{"}], [{"path": "/jobs/ab", "json": json.dumps({"vertices": 3})}]],
)
def test_an_archive_of_flink_without_its_job_is_as_unreadable_as_other_logs(
    pages: list[dict[str, str]], tmp_path: Path
) -> None:
    log = tmp_path / "archive"
    log.write_text(json.dumps({"archive": pages}))
    with pytest.raises(UsageError, match="without the page of a job") as error:
        import_log(log, settings.runs())
    assert error.value.exit_code == 2


def test_an_archive_of_flink_may_have_the_name_of_the_records_own_file(tmp_path: Path) -> None:
    log = tmp_path / "flink.json"
    log.write_bytes(gzip.decompress(FLINK.read_bytes()))
    stored = import_log(log, settings.runs())
    assert summarize(stored).explanation
    assert [path.name for path in (stored.directory / "engine").iterdir()] == ["flink.json"]


def test_an_archive_of_flink_that_is_cut_before_its_job_is_so_too(tmp_path: Path) -> None:
    log = tmp_path / "archive"
    log.write_bytes(gzip.decompress(FLINK.read_bytes())[:500])
    with pytest.raises(UsageError, match="without the page of a job"):
        import_log(log, settings.runs())
