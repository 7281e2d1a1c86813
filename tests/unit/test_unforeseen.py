"""Errors that no code expected: what the machine lacks, and where weft is called that no longer exists."""

import errno
import os
import resource
from pathlib import Path

import pytest

from weft.errors import UsageError
from weft.host import settings, unforeseen
from weft.host.programs import openfiles
from weft.run.imports.zipped import unpacked


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.EMFILE, "`ulimit -n 65536`"),
        (errno.ENFILE, "`ulimit -n 65536`"),
        (errno.EAGAIN, "`ulimit -u` shows your limit, and pids.max that of the control group"),
    ],
)
def test_a_limit_of_the_machine_is_named_with_where_it_is_shown(number: int, hint: str) -> None:
    assert hint in unforeseen.explained(OSError(number, os.strerror(number))).hint


def test_an_error_without_a_file_is_in_the_systems_words() -> None:
    assert unforeseen.explained(OSError(errno.EIO, os.strerror(errno.EIO))).message == "Input/output error"


def test_a_file_that_can_be_opened_and_not_read_is_named() -> None:
    with (
        pytest.raises(OSError, match="Input/output error") as caught,
        unpacked(Path("/proc/self/mem"), Path(), 1),
    ):
        pass
    assert unforeseen.explained(caught.value).message == "/proc/self/mem: input/output error"


def test_a_thread_that_cannot_start_is_a_limit_and_no_mistake_of_weft() -> None:
    found = unforeseen.explained(RuntimeError("can't start new thread"))
    assert found.message == "can't start new thread"
    assert "`ulimit -u` shows your limit" in found.hint


def test_an_output_that_takes_nothing_at_the_moment_is_no_limit_of_processes() -> None:
    """As a pipe that its reader made non-blocking."""
    error = BlockingIOError(errno.EAGAIN, "write could not complete without blocking")
    assert "ulimit" not in unforeseen.explained(error).hint


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (1024, 4096, 4096),
        (1024, 524288, 65536),
        (1024, resource.RLIM_INFINITY, 65536),
        (100_000, 524288, None),
        (4096, 4096, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_a_command_has_the_open_files_that_the_machine_allows(
    soft: int, hard: int, raised: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: chosen.append(limits))
    openfiles.allow()
    assert chosen == ([] if raised is None else [(raised, hard)])


def test_a_limit_that_cannot_be_raised_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    monkeypatch.setattr(resource, "setrlimit", refused)
    openfiles.allow()


@pytest.fixture
def removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current directory is one that was removed."""
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.delenv("WEFT_RUNS", raising=False)


def test_directories_elsewhere_are_known_in_one_that_was_removed(removed: None, tmp_path: Path) -> None:
    assert settings.state().is_absolute()
    assert settings.cache().is_absolute()


def test_records_in_a_directory_that_was_removed_are_an_error_with_that_reason(removed: None) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        settings.runs()
    assert unforeseen.explained(caught.value).message == "the current directory no longer exists"


def test_a_user_without_a_home_directory_is_not_in_one_that_was_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unforeseen, "_directories", dict)
    error = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    assert "no longer exists" not in unforeseen.explained(error).message


def test_an_error_that_names_a_file_keeps_it_in_a_directory_that_was_removed(removed: None) -> None:
    error = OSError(errno.EACCES, os.strerror(errno.EACCES), "/somewhere/file")
    assert unforeseen.explained(error).message == "/somewhere/file: permission denied"


def test_a_traceback_that_no_file_takes_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = unforeseen.explained(KeyError("lost"), tmp_path / "no-such-directory")
    assert found.message == "weft itself failed: KeyError: 'lost'"
    assert "with the lines above" in found.hint
    assert "KeyError: 'lost'" in capsys.readouterr().err


def test_a_user_without_a_home_directory_has_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs as a number."""
    for name in ("HOME", "WEFT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    with pytest.raises(UsageError, match="there is no home directory") as caught:
        settings.cache()
    assert caught.value.hint == "set HOME, or WEFT_CACHE"
    monkeypatch.setenv("WEFT_CACHE", "/somewhere")
    assert settings.cache() == Path("/somewhere")
