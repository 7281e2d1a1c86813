"""In directories where every user can create files, only this user's own are used."""

import os
from pathlib import Path

import pytest

from weft.errors import UsageError, WeftError
from weft.host import lease, own
from weft.host.programs import cleanup, files
from weft.host.provision import tree
from weft.host.work import open_work
from weft.run import preview
from weft.spec.parse import parse


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """As /tmp is."""
    path = tmp_path / "public"
    path.mkdir()
    path.chmod(0o1777)
    return path


@pytest.fixture
def another(monkeypatch: pytest.MonkeyPatch) -> int:
    """From now on, what exists belongs to somebody else."""
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    return user


def test_what_this_user_made_is_trusted_wherever_it_is(public: Path) -> None:
    made = own.make_own(public / "below" / "mine")
    assert made.stat().st_mode & 0o777 == 0o700
    assert own.trouble(public / "below") == own.trouble(public / "none") == ""


@pytest.mark.usefixtures("another")
def test_what_another_user_made_where_all_can_is_refused(public: Path) -> None:
    (public / "theirs").mkdir()
    assert own.trouble(public / "theirs") == f"{public / 'theirs'} belongs to another user"
    assert own.trouble(Path("/usr")) == "", "nobody but root could create it there"


def test_a_link_where_all_can_create_one_is_refused_even_if_it_leads_to_this_user_s_directory(
    public: Path, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (public / "link").symlink_to(tmp_path / "home")
    assert "is a symbolic link" in own.trouble(public / "link")


def test_a_link_on_the_way_leads_only_who_made_it(public: Path, tmp_path: Path, another: int) -> None:
    (tmp_path / "home" / "work").mkdir(parents=True)
    (public / "link").symlink_to(tmp_path / "home")
    (tmp_path / "second").symlink_to(public / "link")
    assert own.trouble(public / "link" / "work") == "", "the owner of the directory made it"
    os.chown(public, another + 1, -1) if os.getuid() == 0 else pytest.skip(
        "needs root: gives a directory away"
    )
    for way in (public / "link" / "work", tmp_path / "second" / "work"):
        assert own.trouble(way) == f"{public / 'link'} is a symbolic link of another user"


def test_a_directory_that_every_user_can_change_is_refused(public: Path) -> None:
    (public / "open").mkdir()
    (public / "open").chmod(0o777)
    assert "can be changed by every user" in own.trouble(public / "open")


@pytest.mark.parametrize("variable", ["WEFT_CACHE", "WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"])
@pytest.mark.parametrize("how", ["link", "another user"])
def test_none_of_weft_s_directories_may_be_another_user_s(
    variable: str, how: str, public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in {"WEFT_CACHE", "WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"} - {variable}:
        monkeypatch.delenv(other, raising=False)
    if how == "link":
        (public / "there").symlink_to(tmp_path)
    else:
        (public / "there").mkdir()
        user = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv(variable, str(public / "there"))
    with pytest.raises(UsageError, match=f"{variable}: ") as caught:
        preview.preview(parse({"workload": "terasort", "nodes": "local:2"}))
    assert variable in caught.value.hint


def test_a_link_in_place_of_the_work_directory_leads_nowhere(
    public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (public / "weft-me").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("WEFT_WORK", str(public / "weft-me"))
    with (
        lease.hold("run", "a test") as held,
        pytest.raises(WeftError, match="symbolic link"),
        open_work("run", held),
    ):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_leases_of_another_user_are_not_believed(
    public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_STATE", str(public / "state"))
    leases = public / "state" / "leases"
    leases.mkdir(parents=True)
    (leases / "x.jsonl").write_text(f'{{"kind": "directory", "path": "{tmp_path}/mine"}}\n')
    (tmp_path / "mine").mkdir()
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.raises(WeftError, match="another user"):
        list(lease.dead_leases())
    assert (tmp_path / "mine").exists()


@pytest.mark.usefixtures("another")
def test_a_cached_directory_of_another_user_is_not_used(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(public))
    (public / "native-1").mkdir()
    with pytest.raises(WeftError, match="another user"):
        tree.cached("native-1")


def test_a_lock_is_no_link(public: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("content")
    (public / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(WeftError, match="symbolic link"), tree.locked(public / ".lock"):
        pass
    assert (tmp_path / "precious").read_text() == "content"


def test_names_outside_the_run_s_directory_cannot_be_guessed() -> None:
    with lease.hold("run", "a test") as held, open_work("run", held) as one, open_work("run2", held) as two:
        assert len(one.token) == 32
        assert one.token != two.token
        assert one.token in one.in_memory("pool").name


def test_what_another_user_put_there_first_is_neither_used_nor_removed(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (public / "taken").mkdir()
    with lease.hold("run", "a test") as held, open_work("run", held) as work:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        with pytest.raises(WeftError, match="cannot create the directory"):
            work.claim(public / "taken")
        assert held.release() == []
    assert (public / "taken").exists()


@pytest.mark.usefixtures("another")
def test_other_hosts_examine_as_closely(public: Path) -> None:
    (public / "taken").mkdir()
    with pytest.raises(PermissionError, match="belongs to another user"):
        files.answer(claimed=[str(public / "taken")])
    assert not cleanup.exists("directory", str(public / "taken"))


def test_a_directory_and_those_above_it_are_this_users_alone_whatever_the_umask(tmp_path: Path) -> None:
    """With 002 and a group of colleagues, weft refused on the next day what it had made itself."""
    before = os.umask(0o002)
    try:
        own.make_own(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o700] * 3
    assert own.make_own(made[-1]) == made[-1]
