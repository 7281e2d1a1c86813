"""A file arrives whole and as it was locked, whatever happens on the way, or there is an error that names the reason."""

import errno
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.mirror import Registry, refusing_proxy, serving, sha256
from weft.errors import MissingError, Stopped, StorageError
from weft.host import signals
from weft.host.provision.download import several, transfer
from weft.host.provision.download.route import DownloadAddress, Route
from weft.host.provision.download.session import Wanted
from weft.host.provision.download.several import fetch_all

CONTENT = random.Random(1).randbytes(3_000_000)
FILE = "/files/engine.tar.gz"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with serving(Registry({FILE: CONTENT})) as running:
        yield running


def wanted(
    folder: Path, sources: Sequence[DownloadAddress], content: bytes = CONTENT, name: str = "engine 1.0"
) -> Wanted:
    return Wanted(name, len(content), sha256(content), folder, lambda _: sources, "set ENGINE_HOME")


def fetch(folder: Path, *sources: DownloadAddress, content: bytes = CONTENT) -> bytes:
    one = wanted(folder, sources, content)
    fetch_all([one], lambda _: None, patience=0.0)
    assert not one.part.exists()
    return one.done.read_bytes()


def test_a_file_arrives_in_one_request(registry: Registry, tmp_path: Path) -> None:
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT
    assert registry.asked == [(FILE, "")]


@pytest.mark.parametrize("seed", range(8))
def test_a_download_cut_at_random_bytes_continues_from_there(
    registry: Registry, tmp_path: Path, seed: int
) -> None:
    at = random.Random(seed)
    registry.cuts[FILE] = [at.randrange(len(CONTENT) // 4) for _ in range(3)]
    begins = [sum(registry.cuts[FILE][:i]) for i in range(4)]
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT
    assert [wanted for _, wanted in registry.asked] == [f"bytes={have}-" if have else "" for have in begins]


def test_a_download_that_a_killed_weft_left_is_continued(registry: Registry, tmp_path: Path) -> None:
    wanted(tmp_path, []).part.write_bytes(CONTENT[:1_234_567])
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT
    assert registry.asked == [(FILE, "bytes=1234567-")]


def test_a_server_that_ignores_ranges_sends_it_from_the_beginning(registry: Registry, tmp_path: Path) -> None:
    registry.ranges = False
    registry.cuts[FILE] = [1_000_000]
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT


@pytest.mark.parametrize("left", [b"x" * 1_000_000, b"x" * len(CONTENT), b"x" * (len(CONTENT) + 1)])
def test_a_part_of_something_else_is_thrown_away(registry: Registry, tmp_path: Path, left: bytes) -> None:
    wanted(tmp_path, []).part.write_bytes(left)
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT


def test_a_whole_file_that_is_another_is_thrown_away(registry: Registry, tmp_path: Path) -> None:
    wanted(tmp_path, []).done.write_bytes(CONTENT[:-1] + b"x")
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT


def test_a_directory_that_others_can_change_is_refused(registry: Registry, tmp_path: Path) -> None:
    (folder := tmp_path / "downloads").mkdir()
    folder.chmod(0o777)
    with pytest.raises(StorageError, match=re.escape(str(tmp_path))):
        fetch(folder, DownloadAddress(registry.url + FILE))
    assert registry.asked == []


def test_a_wrong_file_is_named_with_both_checksums_and_leaves_nothing(
    registry: Registry, tmp_path: Path
) -> None:
    registry.files[FILE] = b"x" * len(CONTENT)
    with pytest.raises(MissingError, match="is locked: a proxy or mirror may have changed it") as caught:
        fetch(tmp_path, DownloadAddress(registry.url + FILE))
    assert sha256(registry.files[FILE]) in caught.value.message
    assert sha256(CONTENT) in caught.value.message
    assert caught.value.hint == "set ENGINE_HOME"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_size_is_refused_before_it_is_received(
    registry: Registry, tmp_path: Path, change: int
) -> None:
    registry.files[FILE] = (CONTENT + b"x")[: len(CONTENT) + change]
    with pytest.raises(
        MissingError, match=f"has {len(CONTENT) + change} bytes, but {len(CONTENT)} are locked"
    ):
        fetch(tmp_path, DownloadAddress(registry.url + FILE))
    assert len(registry.asked) == 1


def test_the_next_source_has_it(registry: Registry, tmp_path: Path) -> None:
    registry.files["/old"] = b"x" * len(CONTENT)
    sources = [DownloadAddress(f"{registry.url}{path}") for path in ("/gone", "/old", FILE)]
    assert fetch(tmp_path, DownloadAddress((tmp_path / "nowhere").as_uri()), *sources) == CONTENT


def test_a_file_of_this_machine_is_copied(registry: Registry, tmp_path: Path) -> None:
    own = tmp_path / "own.jar"
    own.write_bytes(CONTENT)
    assert fetch(tmp_path / "downloads", DownloadAddress(own.as_uri())) == CONTENT
    assert own.exists()
    assert registry.asked == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(registry: Registry, tmp_path: Path, status: int) -> None:
    registry.statuses[FILE] = [status] * 5
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT


def test_a_server_that_stays_busy_is_given_up(registry: Registry, tmp_path: Path) -> None:
    registry.statuses[FILE] = [503] * 100
    with pytest.raises(MissingError, match="answered 503"):
        fetch(tmp_path, DownloadAddress(registry.url + FILE, Route(retries=2)))
    assert len(registry.asked) == 3


def test_a_file_that_is_not_there_is_asked_for_once(registry: Registry, tmp_path: Path) -> None:
    with pytest.raises(
        MissingError, match=r"engine 1\.0 could not be downloaded: 127.* answered 404 .*/gone"
    ):
        fetch(tmp_path, DownloadAddress(registry.url + "/gone"))
    assert len(registry.asked) == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_is_named_without_its_password(tmp_path: Path, scheme: str) -> None:
    with refusing_proxy() as proxy:
        route = Route(proxy=proxy.replace("//", "//me:secret@"))
        with pytest.raises(MissingError, match=f"the proxy {proxy} refused registry.invalid") as caught:
            fetch(tmp_path, DownloadAddress(f"{scheme}://registry.invalid/file", route))
    assert "secret" not in str(caught.value)


def test_a_proxy_that_is_not_there_is_named(tmp_path: Path) -> None:
    with refusing_proxy() as proxy:
        pass
    route = Route(proxy=proxy, retries=1)
    with pytest.raises(
        MissingError, match=f"registry.invalid could not be reached through the proxy {proxy}"
    ):
        fetch(tmp_path, DownloadAddress("http://registry.invalid/file", route))


def test_a_proxy_of_the_environment_is_used(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", registry.url)
    registry.files[f"http://registry.invalid{FILE}"] = CONTENT
    assert fetch(tmp_path, DownloadAddress(f"http://registry.invalid{FILE}")) == CONTENT


@pytest.mark.parametrize(
    ("proxy", "what"),
    [("socks5h://me:secret@127.0.0.1:1080", "is a SOCKS proxy"), ("ftp://me:secret@p:1", "is not http"),
     ("http://p:secret", "is not http")],
)  # fmt: skip
def test_a_proxy_of_another_kind_is_refused_without_its_password(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str, what: str
) -> None:
    """Also where the file would not go through it, as that of ALL_PROXY beside an HTTP proxy."""
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(MissingError, match=f"a proxy of the environment {what}") as caught:
        fetch(tmp_path, DownloadAddress(registry.url + FILE))
    assert "secret" not in str(caught.value)


def test_certificates_of_the_environment_that_are_not_there_are_named(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    with pytest.raises(MissingError, match="SSL_CERT_FILE or SSL_CERT_DIR names are not readable"):
        fetch(tmp_path, DownloadAddress(registry.url + FILE))


def test_a_full_disk_is_reported_and_the_part_is_used_next_time(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = transfer.os.fsync

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(transfer.os, "fsync", full)
    with pytest.raises(StorageError, match=f"{tmp_path} is full: 2 of 2 MiB of engine") as caught:
        fetch(tmp_path, DownloadAddress(registry.url + FILE))
    assert "WEFT_CACHE" in caught.value.hint
    monkeypatch.setattr(transfer.os, "fsync", sync)
    registry.asked.clear()
    assert fetch(tmp_path, DownloadAddress(registry.url + FILE)) == CONTENT
    assert registry.asked == []


def test_many_files_arrive_and_the_first_failure_ends_all(registry: Registry, tmp_path: Path) -> None:
    contents = {f"/jars/{i}": random.Random(i).randbytes(50_000) for i in range(40)}
    registry.files |= contents
    files = [
        wanted(tmp_path, [DownloadAddress(registry.url + path)], content, path)
        for path, content in contents.items()
    ]
    fetch_all(files, lambda _: None)
    assert [file.done.read_bytes() for file in files] == list(contents.values())
    missing = wanted(tmp_path, [DownloadAddress(registry.url + "/gone")], b"other", "other.jar")
    with pytest.raises(MissingError, match=r"other\.jar"):
        fetch_all([*files, missing], lambda _: None)


def test_a_signal_ends_the_download_and_keeps_the_part(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = wanted(tmp_path, [DownloadAddress(registry.url + FILE)])
    registry.statuses[FILE] = [503] * 1000
    one.part.write_bytes(CONTENT[:10])

    def stopped(_: float) -> Any:
        raise Stopped(130)

    monkeypatch.setattr(signals, "sleep", stopped)
    with pytest.raises(Stopped):
        fetch_all([one], lambda _: None, patience=60.0)
    assert one.part.read_bytes() == CONTENT[:10]
    assert not one.done.exists()


def test_progress_shows_bytes_files_and_time_left(tmp_path: Path) -> None:
    files = [wanted(tmp_path, [])]
    assert several.progress(files, 0, 0.0) == "  0 B of 3 MB"
    assert (
        several.progress([*files, *files], 1_000_000, 500_000)
        == "  1 MB of 6 MB of 2 files, about 10.0 s left"
    )
