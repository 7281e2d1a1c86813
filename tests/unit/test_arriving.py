"""An archive is unpacked while it arrives, and what was unpacked is what is locked, or is not kept."""

import io
import os
import tarfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.mirror import Registry, python_page, serving, sha256
from weft.errors import MissingError, StorageError
from weft.host import settings
from weft.host.provision import distribution, pythonarchive
from weft.host.provision.arriving import Arriving
from weft.host.provision.download.session import Wanted
from weft.host.provision.pythonarchive import PythonArchive

FILES = {
    "a-1/deps/jars/one.jar": os.urandom(3_000_000),
    "a-1/deps/jars/two.jar": b"two",
    "a-1/setup.py": b"odd",
}
PATH = "/files/a-1.tar.gz"


def archive(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return content.getvalue()


WHOLE = archive(FILES)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    for variable in list(settings.pip()):
        monkeypatch.delenv("PIP_" + variable.upper().replace("-", "_"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    page = python_page("a-1.tar.gz", f"../..{PATH}")
    with serving(Registry({"/simple/a/": page, PATH: WHOLE})) as running:
        monkeypatch.setenv("PIP_INDEX_URL", f"{running.url}/simple")
        yield running


def engine(content: bytes = WHOLE) -> PythonArchive:
    return PythonArchive(
        "a", "1", "a", "a-1.tar.gz", len(content), sha256(content), {"a-1/deps/": ""}, 5_000_000
    )


def unpacked(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in home.rglob("*.jar")}


EXPECTED = {"one.jar": FILES["a-1/deps/jars/one.jar"], "two.jar": b"two"}


@pytest.mark.parametrize("cuts", [[], [1_000_000, 100]])
@pytest.mark.parametrize("ranges", [True, False])
def test_it_is_unpacked_once_whatever_breaks_meanwhile(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, cuts: list[int], ranges: bool
) -> None:
    registry.cuts[PATH], registry.ranges = list(cuts), ranges
    later: list[str] = []
    monkeypatch.setattr(PythonArchive, "_untar", lambda self, archive, target: later.append(self.name))
    (home,) = distribution.provided({"a": engine()}, print).values()
    assert unpacked(home) == EXPECTED
    assert later == []
    assert not (settings.cache() / "downloads" / engine().key).exists()


def test_what_was_unpacked_of_another_file_is_not_kept(registry: Registry) -> None:
    """A proxy sent something else at first: what is verified is not what was read."""
    other = archive({"a-1/deps/jars/evil.jar": os.urandom(1_000_000)})
    (folder := settings.cache() / "downloads" / engine().key).mkdir(parents=True)
    registry.ranges = False
    (part := folder / f"{engine().sha256}.part").write_bytes(other)
    ended, results = threading.Event(), []
    (target := settings.cache() / "target").mkdir()
    reader = threading.Thread(
        target=lambda: results.append(engine().unpack_arriving(folder, target, ended, threading.Event()))
    )
    reader.start()
    while not unpacked(target):
        pass
    part.write_bytes(WHOLE)
    part.rename(folder / engine().sha256)
    ended.set()
    reader.join()
    assert results == [False]
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("kind", ["above", "root", "link"])
@pytest.mark.parametrize("filters", [True, False])
def test_nothing_is_written_elsewhere_before_it_is_verified(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, filters: bool
) -> None:
    if not filters:  # as Python 3.11.2, which Debian 12 has
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    outside = tmp_path / "outside.jar"
    names = {
        "above": f"a-1/deps/../../../{outside.name}",
        "root": f"a-1/deps/{outside}",
        "link": "a-1/deps/in/x.jar",
    }
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        if kind == "link":
            link = tarfile.TarInfo("a-1/deps/in")
            link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
            tar.addfile(link)
        member = tarfile.TarInfo(names[kind])
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    (folder := settings.cache() / "downloads" / engine().key).mkdir(parents=True)
    (folder / engine().sha256).write_bytes(content.getvalue())
    (target := tmp_path / "1" / "2" / "3").mkdir(parents=True)
    ended = threading.Event()
    ended.set()
    assert not engine().unpack_arriving(folder, target, ended, threading.Event())
    assert list(tmp_path.rglob("*.jar")) == []
    assert list(target.iterdir()) == []


def test_one_that_is_not_what_is_locked_leaves_nothing(registry: Registry) -> None:
    registry.files[PATH] = archive({**FILES, "a-1/deps/jars/two.jar": b"TWO"})
    wanted = engine(registry.files[PATH][:-1] + b"x")
    with pytest.raises(MissingError):
        distribution.provided({"a": wanted}, print)
    assert not list(settings.cache().glob("*a-1*/jars"))


def test_an_archive_that_is_no_tar_is_as_before(registry: Registry) -> None:
    registry.files[PATH] = b"nothing of the kind" * 1000
    with pytest.raises(tarfile.ReadError):
        distribution.provided({"a": engine(registry.files[PATH])}, print)


@pytest.fixture
def wanted(tmp_path: Path) -> Callable[[bytes], Wanted]:
    def of(content: bytes) -> Wanted:
        return Wanted("a", len(content), sha256(content), tmp_path, lambda to: [], "")

    return of


def test_it_ends_when_no_more_comes(wanted: Callable[[bytes], Wanted]) -> None:
    each, ended = wanted(b"whole"), threading.Event()
    ended.set()
    with Arriving(each, ended, threading.Event()) as none:
        assert none.read() == b""
    each.part.write_bytes(b"who")
    with Arriving(each, ended, threading.Event()) as some:
        assert some.read() == b"who"
        assert not some.whole()
    each.done.write_bytes(b"whole")
    with Arriving(each, ended, threading.Event()) as every:
        assert every.read(2) == b"wh"
        assert every.whole()


def test_it_ends_at_once_when_nobody_wants_it(wanted: Callable[[bytes], Wanted]) -> None:
    each, unwanted = wanted(b"whole"), threading.Event()
    each.part.write_bytes(b"who")
    unwanted.set()
    with Arriving(each, threading.Event(), unwanted) as none, pytest.raises(OSError, match="nobody wants it"):
        none.read()


def test_one_that_unpacks_to_more_than_its_bytes_is_ended(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes of an archive can be the zeros of a whole disk."""
    zeros = archive({f"a-1/deps/{number}": bytes(1_000_000) for number in range(20)})
    (folder := settings.cache() / "downloads" / engine().key).mkdir(parents=True)
    (folder / f"{engine().sha256}.part").write_bytes(zeros)
    (target := tmp_path / "target").mkdir()
    seen: list[int] = []
    remove = pythonarchive.remove_tree
    monkeypatch.setattr(
        pythonarchive, "remove_tree", lambda path: (seen.append(Path(path).stat().st_size), remove(path))
    )
    (ended := threading.Event()).set()
    assert not engine().unpack_arriving(folder, target, ended, threading.Event())
    assert seen == [1_000_000] * 5
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("filters", [True, False])
def test_a_directory_of_another_archive_can_be_emptied(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: bool
) -> None:
    """What is left would become a part of the engine; root may read every directory, so only its mode shows that others could."""
    if not filters:  # as Python 3.11.2, which Debian 12 has
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        folder = tarfile.TarInfo("a-1/deps/jars")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o333
        tar.addfile(folder)
        jar = tarfile.TarInfo("a-1/deps/jars/x.jar")
        jar.size, jar.mode = 1, 0o4177
        tar.addfile(jar, io.BytesIO(b"x"))
    (home := tmp_path / "target").mkdir()
    with tarfile.open(fileobj=io.BytesIO(content.getvalue())) as tar:
        engine()._extract(tar, home, verified=False)
    assert (home / "jars").stat().st_mode & 0o777 == 0o755
    assert (home / "jars" / "x.jar").stat().st_mode & 0o7777 == 0o755


def test_what_cannot_be_removed_ends_the_set_up(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.host.provision.pythonarchive.remove_tree", lambda path: None)
    (folder := settings.cache() / "downloads" / engine().key).mkdir(parents=True)
    (folder / engine().sha256).write_bytes(archive({"a-1/deps/evil.jar": b"x"}))
    (target := tmp_path / "target").mkdir()
    ended = threading.Event()
    ended.set()
    with pytest.raises(StorageError, match="cannot be emptied"):
        engine().unpack_arriving(folder, target, ended, threading.Event())
