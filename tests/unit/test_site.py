"""The site profile: what is found, what is written, what is read again."""

import os
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.fakes import fake_program
from weft.cli import app
from weft.errors import NodeError, UsageError
from weft.host import settings
from weft.host.schedulers.slurm.commands import Partition
from weft.host.site.profile import Profile, load
from weft.host.site.survey import Interface, MountedFileSystem, Survey, file_systems, java_modules, shared
from weft.host.site.writing import text

MOUNTS = b"""\
/dev/sda1 / ext4 rw 0 0
10.0.0.1@o2ib:/fs /lustre lustre rw,flock 0 0
server:/home /home nfs4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
"""
FOUND = Survey(
    "login1",
    [
        Partition("main", True, True, "1-00:00:00", 100, 64, 256 << 30),
        Partition("old", False, False, "infinite", 2, 8, 8 << 30),
    ],
    [Interface("ib0", "10.1.0.1", 100_000, True), Interface("eth0", "10.0.0.1", 0, False)],
    [MountedFileSystem(Path("/lustre"), "lustre")],
    Path("/lustre/me"),
    Path("/local"),
    ["java/17"],
    "datawarp",
    ["apptainer"],
)


def test_shared_file_systems_are_distinguished_from_a_nodes_own() -> None:
    found = file_systems(MOUNTS)
    assert [(str(one.path), one.kind) for one in found] == [("/lustre", "lustre"), ("/home", "nfs4")]
    assert shared(Path("/lustre/me"), found)
    assert not shared(Path("/lustre2"), found)


def test_modules_with_a_java(tmp_path: Path) -> None:
    for name in ("java/17", "java/21.0.2.lua", "openjdk/11", "gcc/13", "java/.version"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert java_modules([tmp_path, tmp_path / "absent"]) == ["java/17", "java/21.0.2", "openjdk/11"]


def test_what_is_written_is_read_again() -> None:
    profile = Profile.model_validate(tomllib.loads(text(FOUND)))
    assert profile.slurm.partition == "main"
    assert profile.shared == Path("/lustre/me")
    assert (profile.fabric, profile.slurm.account, profile.slurm.time) == ("auto", None, None)


def test_what_was_found_is_listed_with_what_can_be_chosen() -> None:
    written = text(FOUND)
    for words in (
        "ib0",
        "InfiniBand",
        "java/17",
        "datawarp",
        "1-00:00:00",
        "old",
        "DOWN",
        "lustre",
        "by=apptainer",
        '# nodes = "slurm:4"',
    ):
        assert words in written
    assert "--mem" not in written


def test_a_machine_with_nothing_has_a_profile_too() -> None:
    nothing = Survey("laptop", [], [], [], None, None, [], "")
    assert "nodes =" not in text(nothing)
    assert Profile.model_validate(tomllib.loads(text(nothing))) == Profile()


def test_no_profile_asks_for_nothing_but_whole_nodes(tmp_path: Path) -> None:
    assert load(tmp_path / "absent.toml") == Profile()


@pytest.mark.parametrize(
    ("written", "words"),
    [("slurm = ", "is not readable"), ("[slurm]\npartion = 'x'", "slurm.partion"), ("fabric = 3", "fabric")],
)
def test_a_wrong_profile_is_reported_by_its_key(written: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(written)
    with pytest.raises(UsageError) as caught:
        load(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_init_writes_once_and_show_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_SITE", str(tmp_path / "deep" / "site.toml"))
    monkeypatch.setattr("weft.cli.site.survey", lambda: FOUND)
    run = CliRunner().invoke
    assert "does not exist" in run(app, ["site", "show"]).stdout
    assert run(app, ["site", "init"]).exit_code == 0
    again = run(app, ["site", "init"])
    assert isinstance(again.exception, UsageError)
    assert run(app, ["site", "init", "--force"]).exit_code == 0
    assert "main" in run(app, ["site", "show", "--json"]).stdout


@pytest.fixture
def shared_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The profile of all users of a shared installation; the user has one of his own."""
    package = tmp_path / "prefix" / "lib" / "python3" / "weft"
    for folder in (package, tmp_path / "prefix/share/weft", tmp_path / "prefix/etc/weft"):
        folder.mkdir(parents=True)
    (tmp_path / "prefix/share/weft/prefix.json").write_text("{}")
    monkeypatch.setattr(settings, "PACKAGE", package)
    monkeypatch.setenv("WEFT_SITE", str(tmp_path / "site.toml"))
    return tmp_path / "prefix/etc/weft/site.toml"


def test_a_users_profile_is_over_that_of_all_users(shared_installation: Path) -> None:
    shared_installation.write_text(
        'fabric = "ib0"\n[slurm]\npartition = "main"\naccount = "all"\n[limits]\nnodes = 4\n'
    )
    settings.site().write_text('[slurm]\naccount = "me"\n')
    found = load()
    assert (found.fabric, found.slurm.partition, found.slurm.account, found.limits.nodes) == (
        "ib0",
        "main",
        "me",
        4,
    )


def test_a_user_cannot_set_limits_in_a_shared_installation(shared_installation: Path) -> None:
    settings.site().write_text("[limits]\nnodes = 400\n")
    with pytest.raises(UsageError, match="limits are set for all users in") as caught:
        load()
    assert str(shared_installation) in caught.value.message


def test_an_invalid_profile_of_all_users_is_named(shared_installation: Path) -> None:
    shared_installation.write_text("[limits]\nnods = 4\n")
    with pytest.raises(UsageError, match=r"etc/weft/site\.toml: unknown key 'limits\.nods'"):
        load()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--nodes", "local:5"], "the run needs 5 nodes, and this site allows 4"),
        (["--scratch", "pool"], "this site does not allow the storage 'pool', only disk, memory"),
        (["--nodes", "local:4", "--scratch", "memory"], ""),
    ],
)
def test_a_run_beyond_the_limits_is_refused_before_anything_starts(
    shared_installation: Path, words: list[str], why: str
) -> None:
    shared_installation.write_text('[limits]\nnodes = 4\nstorages = ["disk", "memory"]\n')
    done = CliRunner().invoke(app, ["plan", "terasort", "--size", "1MB", *words])
    assert done.exit_code == (1 if why else 0)
    assert why in str(done.exception)


def test_the_profile_of_all_users_can_be_written(
    shared_installation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.cli.site.survey", lambda: FOUND)
    done = CliRunner().invoke(app, ["site", "init", "--site"])
    assert done.exit_code == 0
    assert "fabric" in shared_installation.read_text()
    assert load(shared_installation).shared is None  # what was found is a directory of one user


def test_a_profile_of_all_users_that_is_read_only_has_the_remedy(
    shared_installation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.cli.site.survey", lambda: FOUND)
    shared_installation.mkdir()
    done = CliRunner().invoke(app, ["site", "init", "--site", "--force"])
    assert isinstance(done.exception, UsageError)
    assert done.exception.hint == f"`chmod u+w {shared_installation}` as its owner"


def test_the_home_directory_is_written_as_in_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    (tmp_path / "site.toml").write_text('shared = "~/data"\nlocal = "/local/me"\n')
    found = load(tmp_path / "site.toml")
    assert (found.shared, found.local) == (Path("/home/me/data"), Path("/local/me"))


def test_a_slurm_that_does_not_answer_is_named_and_leaves_no_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sbatch", "scontrol", "sinfo", "srun"):
        fake_program(tmp_path, name, "echo 'Unable to contact slurm controller' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("WEFT_SITE", str(tmp_path / "site.toml"))
    done = CliRunner().invoke(app, ["site", "init"])
    assert isinstance(done.exception, NodeError)
    assert done.exception.message.startswith("Slurm does not describe its partitions: ")
    assert "Unable to contact slurm controller" in done.exception.tail
    assert "`sinfo`" in done.exception.hint
    assert not (tmp_path / "site.toml").exists()
