"""Lustre's layout of the directories that weft makes, with a stand-in for its program lfs (tests/standin_lfs.py): not on a Lustre."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.contract.conftest import live, storage_of
from weft.adapters.storage import mount
from weft.errors import StorageError, UsageError
from weft.facts import filesystems
from weft.host.lfs import DirectoryLayout, servers

STANDIN = Path(__file__).parents[1] / "standin_lfs.py"


@pytest.fixture
def lfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory on PATH with the stand-in, and a file system that passes for Lustre."""
    programs = tmp_path / "bin"
    programs.mkdir()
    shutil.copy(STANDIN, programs)
    program = programs / "lfs"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -I {programs / STANDIN.name} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(mount, "file_system", lambda _: filesystems.TYPES["lustre"])
    return programs


def asked(programs: Path) -> list[list[str]]:
    return [json.loads(line) for line in (programs / "asked").read_text().splitlines()]


def test_a_layout_is_set_on_the_runs_directory_before_those_of_nodes(lfs: Path, tmp_path: Path) -> None:
    storage = storage_of("mount:DIR,mdt=1M,stripes=2", tmp_path)
    with live("local:2") as (work, on), storage.place("scratch", on, work) as place:
        assert place == storage.sketch("scratch", on, work)
        base = Path(place.paths["node1"]).parent
        assert asked(lfs) == [["setstripe", "-E", "1048576", "-L", "mdt", "-E", "-1", "-c", "2", str(base)]]
        assert f"lfs setstripe -E 1048576 -L mdt -E -1 -c 2 {base}" in place.description
        assert all(Path(path).is_dir() for path in place.paths.values())


def test_directories_of_nodes_are_on_active_servers_in_turn(lfs: Path, tmp_path: Path) -> None:
    storage = storage_of("mount:DIR,spread=true", tmp_path)
    with live("local:3") as (work, on), storage.place("scratch", on, work) as place:
        made = [words for words in asked(lfs) if words[0] == "mkdir"]
        assert [words[words.index("-i") + 1] for words in made] == ["0", "1", "0"]
        assert [words[-1] for words in made] == [place.paths[node.name] for node in on]
        assert {Path(path).stat().st_mode & 0o777 for path in place.paths.values()} == {0o700}


def test_one_directory_for_all_is_not_spread(lfs: Path, tmp_path: Path) -> None:
    storage = storage_of("mount:DIR,spread=true,progressive=true", tmp_path)
    with live("local:2") as (work, on), storage.place("input", on, work):
        (words,) = asked(lfs)
        assert words[:-1] == [
            "setstripe",
            "-E",
            "64M",
            "-c",
            "1",
            "-E",
            "1G",
            "-c",
            "4",
            "-E",
            "-1",
            "-c",
            "-1",
        ]


def test_without_options_lfs_is_not_asked(lfs: Path, tmp_path: Path) -> None:
    with live("local:2") as (work, on), storage_of("mount:DIR", tmp_path).place("scratch", on, work):
        assert not (lfs / "asked").exists()


@pytest.mark.parametrize("verb", ["setstripe", "mdts", "mkdir"])
def test_a_refusal_of_lfs_is_an_error_that_names_the_command(lfs: Path, tmp_path: Path, verb: str) -> None:
    (lfs / "refuse").write_text(verb)
    storage = storage_of("mount:DIR,stripes=4,spread=true", tmp_path)
    with (
        pytest.raises(StorageError, match=f"scratch: lfs {verb} .* failed on node1") as caught,
        live("local:2") as (work, on),
        storage.place("scratch", on, work),
    ):
        pass
    assert "enable_remote_dir_gid" in caught.value.hint
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("weft-")] == []


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("mount:DIR,stripes=0", "stripes is 0"),
        ("mount:DIR,stripes=4,progressive=true", "stripes is 4, and progressive too"),
    ],
)
@pytest.mark.usefixtures("lfs")
def test_what_makes_no_layout_is_refused(form: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        storage_of(form, tmp_path).require("scratch")


def test_only_lustre_has_a_layout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="mdt, stripes, progressive and spread are of Lustre"):
        storage_of("mount:DIR,mdt=1M", tmp_path).require("scratch")


def test_a_layout_is_a_command_and_a_sentence() -> None:
    small = DirectoryLayout(mdt=1 << 20, progressive=True)
    assert small.arguments()[:6] == ["lfs", "setstripe", "-E", "1048576", "-L", "mdt"]
    assert small.arguments()[-4:] == ["-E", "-1", "-c", "-1"]
    assert small.words() == "the first 1.05 MB of a file on the metadata server, large files over more OSTs"
    assert DirectoryLayout(stripes=-1).words() == "files over all OSTs"
    assert not DirectoryLayout()
    assert servers("MDTS:\n0: a-MDT0000_UUID ACTIVE\n3: a-MDT0003_UUID INACTIVE\n") == [0]
    assert servers("") == []
