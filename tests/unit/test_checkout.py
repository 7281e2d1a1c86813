"""The commit that a record names."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from weft.errors import MissingError, WeftError
from weft.host import checkout, settings, shell


@pytest.mark.parametrize(
    ("status", "commit"),
    [
        (shell.Completed(0, "", ""), "abc123"),
        (shell.Completed(0, " M src/weft/errors.py\n", ""), "abc123+"),
        (shell.Completed(128, "", "fatal"), "abc123+"),
        (WeftError("`git` did not end within 60 s"), "abc123+"),
    ],
)
def test_a_commit_is_that_of_the_files_only_if_git_says_so(
    status: shell.Completed | WeftError, commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a parallel file system under load, git can take longer than a program may: no run fails of it."""

    def run(argv: Sequence[str], **_: object) -> shell.Completed:
        if "rev-parse" in argv:
            return shell.Completed(0, "abc123\n", "")
        if isinstance(status, WeftError):
            raise status
        return status

    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(settings, "SOURCE", tmp_path)
    monkeypatch.setattr(settings, "shipped", lambda: None)
    monkeypatch.setattr(shell, "run", run)
    assert checkout.commit() == commit


def test_without_git_no_commit_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(argv: Sequence[str], **_: object) -> shell.Completed:
        raise MissingError("the program `git` is not installed")

    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(settings, "SOURCE", tmp_path)
    monkeypatch.setattr(settings, "shipped", lambda: None)
    monkeypatch.setattr(shell, "run", run)
    assert checkout.commit() == ""
