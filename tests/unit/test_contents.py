"""Damaged files of the cache: found before they are used, named, and made again."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from weft.doctor import owndirectories
from weft.host import settings
from weft.host.provision import contents, environment, native
from weft.host.provision.tree import building, cached


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    return settings.cache()


def make() -> Path:
    with building("thing", 1) as target:
        assert target is not None
        (target / "lib").mkdir()
        (target / "lib" / "some.jar").write_text("content")
        (target / "link").symlink_to("lib/some.jar")
    return settings.cache() / "thing"


def truncate(path: Path) -> None:
    path.write_text("")


def alter(path: Path) -> None:
    path.write_text("CONTENT")


DAMAGES = pytest.mark.parametrize(
    ("harm", "words"),
    [(truncate, "has 0 bytes instead of 7"), (alter, "SHA-256"), (Path.unlink, "is missing")],
)


@DAMAGES
def test_damage_is_found_named_and_repaired(harm: Callable[[Path], None], words: str) -> None:
    made = make()
    harm(made / "lib" / "some.jar")
    assert cached("thing") is None
    messages: list[str] = []
    with building("thing", 1, messages.append) as target:
        assert target is not None
        (target / "whole").touch()
    assert cached("thing") == made
    assert [path.name for path in made.iterdir() if not path.name.startswith(".")] == ["whole"]
    assert str(made / "lib" / "some.jar") in messages[0]
    assert words in messages[0]
    assert [path.name for path in made.parent.iterdir() if "damaged" in path.name] == []


@DAMAGES
def test_doctor_names_it(harm: Callable[[Path], None], words: str) -> None:
    made = make()
    assert owndirectories.cached_files().status == "ok"
    harm(made / "lib" / "some.jar")
    finding = owndirectories.cached_files()
    assert finding.status == "limits"
    assert words in finding.found


def test_a_file_is_read_again_only_if_its_inode_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make()
    before = (made / "lib" / "some.jar").stat()
    monkeypatch.setattr(contents, "_checksum", lambda path: pytest.fail(f"{path} was read again"))
    assert cached("thing") == made
    monkeypatch.undo()
    alter(made / "lib" / "some.jar")
    os.utime(made / "lib" / "some.jar", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cached("thing") is None


def test_what_cannot_be_noted_is_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make()
    (made / contents._COMPARED).unlink()
    monkeypatch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError("read-only")))
    assert cached("thing") == made
    assert {path.name for path in made.iterdir()} == {"lib", "link", contents.FILE}
    alter(made / "lib" / "some.jar")
    assert cached("thing") is None


def test_a_directory_of_an_older_weft_is_recorded_as_it_is() -> None:
    made = make()
    (made / contents.FILE).unlink()
    assert cached("thing") == made
    truncate(made / "lib" / "some.jar")
    assert cached("thing") is None


def test_a_damaged_record_of_contents_is_damage() -> None:
    made = make()
    (made / contents.FILE).write_text("nonsense\n")
    assert cached("thing") is None


def test_native_programs_are_built_again_if_one_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_(cargo: str, source: Path, target: Path, packages: Sequence[str]) -> None:
        for product in native.PRODUCTS:
            (target / product).write_text(product)

    monkeypatch.setattr(native, "_compile", compile_)
    monkeypatch.setattr(native, "cargo", lambda packages: ("cargo", "1.0"))
    library = native.build(print) / native.PRELOAD
    truncate(library)
    messages: list[str] = []
    assert native.build(messages.append) / native.PRELOAD == library
    assert library.read_text() == native.PRELOAD
    assert str(library) in messages[0]


def test_a_damaged_environment_is_named_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prefix = tmp_path / "env"
    (prefix / "lib").mkdir(parents=True)
    for name in ("core.so", "module.py"):
        (prefix / "lib" / name).write_text("content")
    (prefix / ".complete").touch()
    contents.record(prefix)
    started: list[list[str]] = []
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(os, "execv", lambda _, argv: started.append(argv))
    environment.require_whole()
    truncate(prefix / "lib" / "module.py")
    environment.require_whole(libraries=True)
    assert started == []
    environment.require_whole()
    assert len(started) == 1
    assert not (prefix / ".complete").exists()
    truncate(prefix / "lib" / "core.so")
    environment.require_whole(libraries=True)
    assert len(started) == 2
    assert f"{prefix}/lib/module.py has 0 bytes instead of 7" in capsys.readouterr().err


def test_contents_are_recorded_without_any_package(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    subprocess.run([sys.executable, "-I", "-S", contents.__file__, str(tmp_path)], check=True)
    assert contents.damage(tmp_path) == ""
    assert "file" in (tmp_path / contents.FILE).read_text()
