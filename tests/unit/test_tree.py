"""Directories in the cache: made once, whole or not at all."""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from weft.errors import StorageError
from weft.host import settings
from weft.host.provision import distribution, tree
from weft.host.provision.tree import building, cached, digest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    return settings.cache()


def test_a_directory_is_there_once_its_block_has_ended() -> None:
    with building("thing", 1) as target:
        assert target is not None
        (target / "file").touch()
        assert cached("thing") is None
    found = cached("thing")
    assert found is not None
    assert (found / "file").exists()


def test_a_block_that_fails_leaves_nothing(cache: Path) -> None:
    with pytest.raises(ValueError, match="no"), building("thing", 1) as target:
        assert target is not None
        (target / "file").touch()
        raise ValueError("no")
    assert cached("thing") is None
    assert [path.name for path in cache.iterdir()] == [".thing.lock"]


def test_what_a_killed_builder_left_is_thrown_away(cache: Path) -> None:
    (cache / ".thing.partial").mkdir(parents=True)
    (cache / ".thing.partial" / "old").touch()
    with building("thing", 1) as target:
        assert target is not None
        assert list(target.iterdir()) == []


def _build(results: "Queue[str]", ready: Barrier) -> None:
    ready.wait(60)
    with building("thing", 1) as target:
        if target is None:
            results.put("found")
        else:
            time.sleep(0.2)
            (target / "file").touch()
            results.put("built")


def test_of_many_at_once_one_builds_and_the_others_find() -> None:
    # a copy of this process would have copies of its locks, whose holders are threads that it does not have
    own_processes = multiprocessing.get_context("spawn")
    results, ready = own_processes.Queue(), own_processes.Barrier(4)
    processes = [own_processes.Process(target=_build, args=(results, ready)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(results.get() for _ in processes) == ["built", "found", "found", "found"]


def test_the_cache_can_be_changed_by_nobody_else_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "above" / "cache"))
    before = os.umask(0o002)
    try:
        with building("thing", 1) as partial:
            assert partial is not None
            assert partial.stat().st_mode & 0o777 == 0o700
            (partial / "jars").mkdir()
            (partial / "jars" / "a.jar").touch()
            (partial / "link").symlink_to("/tmp")
    finally:
        os.umask(before)
    thing = tmp_path / "above" / "cache" / "thing"
    folders = [tmp_path / "above", tmp_path / "above" / "cache", thing, thing / "jars"]
    assert [path.stat().st_mode & 0o777 for path in folders] == [0o755] * 4
    assert (thing / "jars" / "a.jar").stat().st_mode & 0o777 == 0o644


def test_who_waits_for_another_weft_sees_that(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_PATIENCE", 0)
    lines: list[str] = []
    waiting = threading.Event()

    def say(text: str) -> None:
        lines.append(text)
        waiting.set()

    def build() -> None:
        with building("thing", 1, say):
            pass

    other = threading.Thread(target=build)
    with building("thing", 1, say):
        other.start()
        assert waiting.wait(60)
    other.join()
    assert lines == [f"waiting for another weft, which has locked {cache}/.thing.lock"]


def test_distributions_are_locked_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise two commands that need the same ones could each wait for the other."""
    keys: list[str] = []

    @contextmanager
    def noted(key: str, *_: object) -> Iterator[None]:
        keys.append(key)
        yield

    monkeypatch.setattr(distribution, "building", noted)
    wanted = {each.name: each for each in (distribution.SPARK, distribution.KAFKA, distribution.FLINK)}
    distribution.provided(wanted, print)
    distribution.provided(dict(reversed(wanted.items())), print)
    assert keys[:3] == keys[3:] == sorted(keys[:3])


def test_too_little_space_is_refused_at_once() -> None:
    with pytest.raises(StorageError, match="MiB free") as caught, building("thing", 1 << 60):
        pass
    assert "WEFT_CACHE" in caught.value.hint


def test_a_digest_is_of_contents_names_and_words(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "target").mkdir(parents=True)
    (root / "a").write_text("1")
    first = digest([root], "x")
    (root / "target" / "built").touch()
    assert digest([root], "x") == first
    assert digest([root], "y") != first
    (root / "a").rename(root / "b")
    second = digest([root], "x")
    (root / "b").write_text("2")
    assert len({first, second, digest([root], "x")}) == 3
