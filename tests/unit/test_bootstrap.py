"""How `./weft` and `./test` set themselves up: once, whole or again, and with words when they cannot."""

import hashlib
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import asked
import bootstrap
import lacking
import pytest
from bootstrap import usable
from packaging.requirements import Requirement

from tests.fakes import fake_program
from tests.sourcearchive import source_archive
from weft.adapters.workloads import KINDS
from weft.errors import MissingError
from weft.host.provision import ahead, distribution, jars, jdk

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock file without packages."""
    path = tmp_path / "requirements.lock"
    path.write_text("# nothing\n")
    return path


def start(
    lock: Path, *words: str, path: str = os.environ["PATH"], **more: str
) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": path, "WEFT_CACHE": str(lock.parent / "cache"), "HOME": str(lock.parent), **more}
    argv = ["/bin/sh", str(ROOT / "tools" / "python"), str(lock), *words]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, cwd=lock.parent)


def test_without_a_python_the_package_is_named(lock: Path) -> None:
    tools = lock.parent / "bin"
    for name in ("sha256sum", "cut", "dirname", "readlink", "cat"):
        fake_program(tools, name, f'exec /usr/bin/{name} "$@"')
    fake_program(tools, "python3", "exit 1")
    done = start(lock, path=str(tools))
    assert done.returncode == 2
    assert "apt-get install python3 python3-venv" in done.stderr


def test_a_python_that_can_make_an_environment_is_preferred(lock: Path) -> None:
    tools = lock.parent / "bin"
    fake_program(tools, "python3", 'case $2 in *ensurepip*) exit 1 ;; *) echo "not this" >&2; exit 2 ;; esac')
    fake_program(tools, "python3.12", "case $1 in -c) ;; *) echo /bin/echo ;; esac")
    done = start(lock, "found", path=f"{tools}:{os.environ['PATH']}")
    assert done.stdout == "found\n", done.stderr


def test_an_environment_whose_python_is_gone_is_not_usable(lock: Path) -> None:
    """The next start makes it again."""
    made = lock.parent / "env"
    fake_program(made / "bin", "python")
    assert not usable(made)
    (made / ".complete").touch()
    assert usable(made)
    (made / "bin" / "python").unlink()
    (made / "bin" / "python").symlink_to(lock.parent / "upgraded-since" / "python3")
    assert not usable(made)


def test_a_source_archive_is_refused_before_anything_of_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its build would run code, and install more packages, without any hash."""
    ran, lock = tmp_path / "ran", tmp_path / "requirements.lock"
    content = source_archive(tmp_path, ran)
    lock.write_text(f"odd==1 --hash=sha256:{hashlib.sha256(content).hexdigest()}\n")
    fake_program(tmp_path / "env" / "bin", "python", f'exec {sys.executable} "$@"')
    monkeypatch.setattr(bootstrap.shutil, "rmtree", lambda *_, **__: None)  # the test's own Python remains
    follow = bootstrap.follow
    monkeypatch.setattr(bootstrap, "follow", lambda argv: None if "venv" in argv else follow(argv))
    for name, value in {"NO_INDEX": "1", "FIND_LINKS": str(tmp_path), "DRY_RUN": "1"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(SystemExit):
        bootstrap.make(tmp_path / "env", lock)
    assert not ran.exists()


def test_what_python_compiles_later_can_be_changed_by_nobody_else(tmp_path: Path) -> None:
    (module := tmp_path / "lib" / "site-packages" / "one" / "one.py").parent.mkdir(parents=True)
    (tmp_path / "lib" / "site-packages" / "data").mkdir()
    module.touch()
    (tmp_path / ".lock").touch()
    bootstrap.close(tmp_path)
    before = os.umask(0o002)
    try:
        subprocess.run(
            [sys.executable, "-c", "import one"], env={"PYTHONPATH": str(module.parent)}, check=True
        )
    finally:
        os.umask(before)
    (compiled,) = tmp_path.rglob("*.pyc")
    assert [path.stat().st_mode & 0o022 for path in (compiled, compiled.parent)] == [0, 0]
    assert not list((tmp_path / "lib" / "site-packages" / "data").iterdir())
    assert not (tmp_path / ".lock").exists()


def test_a_cache_that_cannot_be_written_is_named(lock: Path) -> None:
    (lock.parent / "file").touch()
    done = start(lock, "-c", "", WEFT_CACHE=str(lock.parent / "file" / "cache"))
    assert done.returncode == 2
    assert "WEFT_CACHE" in done.stderr


def test_a_user_without_a_home_directory_sees_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "WEFT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    with pytest.raises(SystemExit) as left:
        bootstrap.cache()
    assert left.value.code == 2
    assert capsys.readouterr().err == "error: there is no home directory\n\nhint: set HOME, or WEFT_CACHE\n"


def test_a_group_cannot_change_the_cache_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        with bootstrap.locked(tmp_path / "above" / "cache" / "env"):
            pass
    finally:
        os.umask(before)
    for path in (tmp_path / "above", tmp_path / "above" / "cache"):
        assert path.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", ["weft", "test", "tools/python", ".ci/run"])
def test_the_scripts_are_posix_shell_and_can_be_started(name: str) -> None:
    path = ROOT / name
    assert path.read_text().startswith("#!/bin/sh\n")
    assert os.access(path, os.X_OK)
    assert subprocess.run(["/bin/sh", "-n", str(path)], check=False).returncode == 0


def test_weft_starts_through_a_link_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ROOT / "weft")
    made = (
        tmp_path
        / "cache"
        / f"env-{hashlib.sha256((ROOT / 'requirements.lock').read_bytes()).hexdigest()[:12]}-py3"
    )
    fake_program(made / "bin", "python", 'echo "$PYTHONPATH" "$@"')
    (made / ".complete").touch()
    environment = {"PATH": "/usr/bin:/bin", "WEFT_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [tmp_path / "link", "run", "a b"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.stdout == f"{ROOT}/src -P -m weft run a b\n", done.stderr


def started_with(tmp_path: Path, java: str) -> "subprocess.CompletedProcess[str]":
    """`./weft run terasort` with an empty cache, no programs but those of a shell and Python, and this JAVA_HOME."""
    tools = tmp_path / "bin"
    for name in ("sha256sum", "cut", "dirname", "readlink", "cat"):
        fake_program(tools, name, f'exec /usr/bin/{name} "$@"')
    fake_program(tools, "python3", f'exec {sys.executable} "$@"')
    environment = {"PATH": str(tools), "WEFT_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    argv = ["/bin/sh", str(ROOT / "weft"), "run", "terasort"]
    return subprocess.run(
        argv,
        env={**environment, "JAVA_HOME": java},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )


def test_a_wrong_java_home_is_reported_before_anything_is_made_or_downloaded(tmp_path: Path) -> None:
    fake_program(tmp_path / "old" / "bin", "java", "echo 'java version \"1.8.0_402\"' >&2")
    for home, says in (("none", "error: found no java in JAVA_HOME"), ("old", "is Java 8, and 17 is needed")):
        done = started_with(tmp_path, str(tmp_path / home))
        assert done.returncode == 2
        assert says in done.stderr
        assert "hint: apt-get install openjdk-17-jdk-headless" in done.stderr
        assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        ("run terasort", True),
        ("submit --nodes local:1 a.py -- --dry-run", True),
        ("up --engine flink", True),
        ("run terasort --dry-run", False),
        ("run terasort --engine limit", False),
        ("run --help", False),
        ("plan terasort", False),
        ("doctor", False),
        ("", False),
    ],
)
def test_only_a_command_that_starts_java_needs_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, needs: bool
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert bool(lacking.message(["-P", "-m", "weft", *words.split()])) is needs


def test_a_machine_for_which_there_is_no_java_to_download_needs_one_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    asked = ["-m", "weft", "run", "terasort"]
    assert lacking.message(asked) == ""
    monkeypatch.setattr(lacking.platform, "machine", lambda: "ppc64le")
    assert "found no java on PATH" in lacking.message(asked)


def test_the_oldest_java_is_the_one_that_weft_accepts() -> None:
    assert lacking.OLDEST == jdk.OLDEST


def test_a_java_is_locked_for_each_machine_that_is_named() -> None:
    for machine in lacking.DOWNLOADED:
        assert any(each.fits(11, machine) for each in distribution.JAVA.locked)


def test_the_downloader_has_the_packages_that_it_needs() -> None:
    """Installed first, with their hashes, without what only other Pythons or systems need."""
    wanted = {"httpx2", "psutil"}
    while more := {name for each in wanted for name in needed_by(each)} - wanted:
        wanted |= more
    assert sorted(wanted) == sorted(bootstrap.DOWNLOADER)
    lock = bootstrap.parts((ROOT / "requirements.lock").read_text(), *bootstrap.DOWNLOADER)
    assert sorted(re.findall(r"^([\w-]+)==", lock, re.MULTILINE)) == sorted(wanted)
    assert lock.count("--hash=sha256:") >= len(wanted)


def needed_by(name: str) -> list[str]:
    """What is installed because of it here."""
    found = [Requirement(each) for each in metadata.requires(name) or []]
    return [
        each.name.replace("_", "-")
        for each in found
        if not each.marker or each.marker.evaluate({"extra": ""})
    ]


@pytest.mark.parametrize(
    ("command", "engine"),
    [
        ("run terasort", "spark"),
        ("run terasort --engine flink --size 1GB", "flink"),
        ("submit job.py --engine=spark,executor_memory=4G -- --engine dask", "spark"),
        ("run mine.toml", ""),
        ("run terasort --dry-run", ""),
        ("run terasort --engine spark,home=/opt/spark", ""),
        ("run terasort --site theirs.toml", ""),
        ("plan terasort", ""),
    ],
)
def test_an_engine_is_downloaded_ahead_where_it_is_surely_needed(
    command: str, engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("WEFT_SITE", raising=False)
    for name in ("SPARK_HOME", "FLINK_HOME"):
        monkeypatch.delenv(name, raising=False)
    words = ["-P", "-m", "weft", *command.split()]
    assert asked.downloaded(words) == engine
    monkeypatch.setenv(f"{engine.upper()}_HOME", "/opt/theirs")
    assert asked.downloaded(words) == ""


def test_the_engine_of_a_workload_that_names_none_is_that_of_weft() -> None:
    assert all(KINDS[workload].engines[0] == engine for workload, engine in asked._DEFAULTS.items())


def test_an_engine_and_its_jars_are_made_ahead(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    got: list[object] = []
    libraries = {"core-libraries": distribution.PROFILER, "spark-libraries": distribution.SPARK_KAFKA}
    monkeypatch.setattr(ahead, "_end", lambda: None)
    monkeypatch.setattr(sys, "argv", ["ahead", "spark", "0"])
    monkeypatch.setattr(
        jars, "needs", lambda names: libraries if names else {"core-libraries": distribution.PROFILER}
    )
    monkeypatch.setattr(distribution, "provided", lambda wanted, say: got.append(sorted(wanted)))
    monkeypatch.setattr(jars, "build", lambda names, more, say: got.append(list(names)))
    assert ahead.main() == 0
    assert sorted(map(str, got[:2])) == ["['spark', 'spark-libraries']", "[]"], (
        "core's jar does not wait for the engine"
    )
    assert got[2:] == [["spark"]]

    def fails(names: list[str], more: object, say: object) -> None:
        raise MissingError("no network")

    monkeypatch.setattr(jars, "build", fails)
    assert ahead.main() == 1
    assert "not yet: no network" in capsys.readouterr().err


def test_a_download_ahead_ends_with_what_started_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "src" / "weft" / "host" / "provision"
    for folder in (slow, slow.parent, slow.parent.parent):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    (slow / "ahead.py").write_text("import sys; sys.stdin.read()")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    with pytest.raises(KeyboardInterrupt), bootstrap.engine_ahead("spark", sys.executable):
        raise KeyboardInterrupt


def test_a_download_ahead_ends_when_its_standard_input_closes() -> None:
    """The bootstrap holds it open, and it closes however that ends."""
    program = """
import sys
from weft.host import signals
from weft.host.provision import ahead, distribution, jars

def download(*_):
    try:
        signals.sleep(60)
    finally:
        print("removed what was half there")

distribution.provided, jars.needs, jars.build = download, lambda _: {}, lambda *_: None
sys.argv = ["ahead", "spark", "0"]
sys.exit(ahead.main())
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    argv = [sys.executable, "-c", program]
    done = subprocess.run(
        argv,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (143, "removed what was half there\n")


def test_a_user_without_a_home_directory_can_start_with_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "WEFT_SITE", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    assert asked.downloaded(["weft", "run", "terasort"]) == "spark"
