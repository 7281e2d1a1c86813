"""Directories whose contents run as this user can be changed by nobody else; records in a group's directory are a warning."""

import grp
import os
import pwd
from pathlib import Path

import pytest

from tests.needs import ROOT, needs
from weft.doctor import owndirectories as directories
from weft.errors import UsageError, WeftError
from weft.host import lease, own
from weft.host.exposed import exposed
from weft.host.provision import tree

USER = pwd.getpwuid(os.geteuid()).pw_name
SEVERAL = grp.struct_group(("project", "x", os.getegid(), [USER, "colleague"]))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of a group with several members, as a centre makes it, and this user's in it."""
    monkeypatch.setattr(grp, "getgrgid", lambda _: SEVERAL)
    path = tmp_path / "project"
    (path / "mine").mkdir(parents=True)
    path.chmod(0o2775)
    return path


@pytest.mark.parametrize("variable", ["WEFT_CACHE", "WEFT_STATE", "WEFT_WORK"])
@pytest.mark.parametrize("place", ["", "mine", "mine/not-made-yet"])
def test_what_runs_is_not_in_a_directory_of_a_group(
    variable: str, place: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(project / place))
    with pytest.raises(UsageError, match=f"{variable}: {project} can be changed by group project") as caught:
        own.require_named(variable)
    assert "chmod go-w" in caught.value.hint
    assert "WEFT_TRUST=project" in caught.value.hint


def test_records_can_be_and_it_is_reported(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_RUNS", str(project / "mine"))
    own.require_named("WEFT_RUNS")
    assert own.shared_records() == f"{project} can be changed by group project"


def test_a_group_that_the_user_trusts_can_share_a_cache(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(project / "mine"))
    monkeypatch.setenv("WEFT_TRUST", "others, project")
    own.require_named("WEFT_CACHE")


def test_neither_engines_nor_leases_are_read_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(project / "mine"))
    monkeypatch.setenv("WEFT_STATE", str(project / "mine"))
    with pytest.raises(WeftError, match="group project"):
        tree.cached("native-1")
    with pytest.raises(WeftError, match="group project"):
        list(lease.dead_leases())


@pytest.mark.parametrize(
    ("name", "members", "private"),
    [(USER, [], True), (USER, [USER], True), (USER, ["colleague"], False), ("users", [], False)],
)
def test_a_group_of_this_user_alone_is_nobody_else(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, members: list[str], private: bool
) -> None:
    """As on systems with a group for each user, where umask 002 is usual; members by their first group are in no list."""
    monkeypatch.setattr(grp, "getgrgid", lambda _: grp.struct_group((name, "x", 1, members)))
    assert (exposed(project) is None) == private


def test_a_link_is_as_safe_as_the_directory_that_has_it(project: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (project / "link").symlink_to(tmp_path / "home")
    assert exposed(tmp_path / "home") is None
    assert "group project" in str(exposed(project / "link"))


def test_doctor_names_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("WEFT_CACHE", "WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"):
        monkeypatch.setenv(variable, str(project / "mine"))
    found = [check() for check in (directories.cache, directories.state, directories.work, directories.runs)]
    assert [each.status for each in found] == ["missing", "missing", "missing", "limits"]
    assert {each.found for each in found} == {f"{project} can be changed by group project"}


@needs(ROOT)
@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_the_owner_of_a_parent_can_replace_what_is_below(project: Path, mode: int) -> None:
    project.chmod(mode)
    assert exposed(project / "mine") is None
    os.chown(project, 12345, -1)
    assert str(exposed(project / "mine")) == f"{project} can be changed by user 12345"
