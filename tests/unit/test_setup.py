"""How ./test prepares a machine: what it installs and says, what it leaves out, and that hints name the same packages."""

import ast
import os
import re
import subprocess
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest
import stages

from tests.fakes import fake_program
from tests.needs import packages
from tests.source import nodes, text
from weft.host.provision import distribution

ROOT = Path(__file__).parents[2]
USED = ("dirname", "readlink", "mktemp", "rm", "tr", "sort", "grep", "sed", "tail", "cat", "sh")
"""What every machine has and tools/install uses."""
HINT = re.compile(r"apt-get install ((?:[a-z0-9.+-]+ ?)+)")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A directory of programs: Debian's, root's, and none of those that ./test needs."""
    programs = tmp_path / "programs"
    for name in USED:
        fake_program(programs, name, f'exec /usr/bin/{name} "$@"')
    fake_program(programs, "id", "echo 0")
    fake_program(
        programs, "apt-cache", 'case $2 in openjdk-17* | cargo-web) ;; *) echo "  Candidate: 1.0" ;; esac'
    )
    fake_program(programs, "apt-get", f'echo "$@" >>{tmp_path}/asked')
    return programs


def install(machine: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    argv = ["/bin/sh", str(ROOT / "tools" / "install"), *words]
    environment = {"PATH": str(machine), "TMPDIR": str(machine.parent)}
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


def asked(machine: Path) -> list[str]:
    """The packages that were asked of apt-get."""
    path = machine.parent / "asked"
    words = path.read_text().splitlines()[-1].split() if path.exists() else []
    return words[words.index("install") + 1 :] if words else []


def test_packages_that_are_installed_are_listed_with_the_reason(machine: Path) -> None:
    fake_program(machine, "mkfs.xfs")
    done = install(machine)
    assert done.returncode == 0, done.stderr
    assert "glusterfs-server (glusterfsd): gluster storage" in done.stderr
    assert "xfsprogs" not in done.stderr
    assert {"python3", "python3-venv", "slurmd", "glusterfs-server"} <= set(asked(machine))
    assert "xfsprogs" not in asked(machine)


def test_a_release_without_the_first_choice_gets_the_second(machine: Path) -> None:
    install(machine)
    assert [package for package in asked(machine) if "openjdk" in package] == ["openjdk-21-jdk-headless"]


@pytest.mark.parametrize(("version", "kept"), [("0.66.0", False), ("1.84.1", False), ("1.85.0", True)])
def test_a_cargo_that_is_too_old_is_replaced(machine: Path, version: str, kept: bool) -> None:
    fake_program(machine, "cargo", f"echo cargo {version}")
    install(machine, "rust")
    assert ("cargo" in asked(machine)) != kept


def test_a_stage_installs_what_it_needs_and_no_more(machine: Path) -> None:
    install(machine, "lint", "unit")
    assert set(asked(machine)) == {"python3", "python3-venv"}
    install(machine, "rust")
    assert {"cargo", "gcc"} <= set(asked(machine))
    assert "slurmd" not in asked(machine)


@pytest.mark.parametrize(
    ("words", "lost", "why"),
    [
        (["--no-install"], "", "--no-install was given"),
        ([], "id", "this is not root"),
        ([], "apt-get", "there is no apt-get"),
    ],
)
def test_nothing_is_installed_against_a_users_will_or_without_his_right(
    machine: Path, words: list[str], lost: str, why: str
) -> None:
    if lost == "id":
        fake_program(machine, "id", "echo 1000")
    elif lost:
        (machine / lost).unlink()
    done = install(machine, *words)
    assert (done.returncode, asked(machine)) == (0, [])
    assert why in done.stderr
    assert "xfsprogs (mkfs.xfs): loopback storage with fs=xfs" in done.stderr


def test_an_installation_that_fails_is_an_error_with_a_way_on(machine: Path) -> None:
    fake_program(machine, "apt-get", "echo E: no network; exit 100")
    done = install(machine)
    assert done.returncode == 1
    assert "E: no network" in done.stderr
    assert "hint: ./test --no-install" in done.stderr


def test_nothing_is_shown_where_nothing_is_missing(machine: Path) -> None:
    for program in packages():
        if ":" not in program:
            fake_program(machine, program, "echo cargo 1.99.0")
    fake_program(machine, "python3")
    done = install(machine, "live")
    assert (done.stderr, asked(machine)) == ("", [])


def test_help_lists_every_stage_with_an_example() -> None:
    done = subprocess.run([ROOT / "test", "--help"], capture_output=True, text=True, check=False)
    listed = re.findall(r"(?m)^  (\w+) ", done.stdout)
    order = (ROOT / "tools" / "stages.py").read_text()
    assert [name for name in listed if f"\ndef {name}() -> None:" not in order] == []
    assert {"lint", "unit", "java", "rust", "contract", "local", "hosts", "live", "long"} == set(listed)
    assert "for example: ./test " in done.stdout
    assert done.returncode == 0


def called(node: ast.Call) -> str:
    """The last name of what is called; empty if it has none."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


@cache
def hinted() -> list[tuple[str, str]]:
    """Program and package of each call of weft's `tool`; the package alone where only a hint names it."""
    found = []
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "tools").glob("*.py")]:
        for node in nodes(path):
            if isinstance(node, ast.Call) and called(node).endswith("tool"):
                given = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
                found += [(str(given[0]), str(given[1]))] if len(given) == 2 else []
        found += [("", package) for match in HINT.findall(text(path)) for package in match.split()]
    return found


def test_hints_of_weft_name_the_packages_that_are_installed() -> None:
    assert len(hinted()) > 15
    known = packages() | {"sh": ["dash"], "salloc": ["slurm-client"]}
    named = {*chain.from_iterable(known.values()), "rustfmt", "rust-clippy"}
    assert [(program, package) for program, package in hinted() if package not in named] == []
    assert [one for one in hinted() if one[0] and one[1] not in known[one[0]]] == []
    assert os.access(ROOT / "tools" / "install", os.X_OK)


def test_each_declared_package_is_imported_and_each_import_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split("[<>=]", text)[0] for text in declared}
    imported = {
        module.partition(".")[0]
        for path in (ROOT / "src" / "weft").rglob("*.py")
        for node in nodes(path)
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    distributions = packages_distributions()
    foreign = {distributions[name][0] for name in imported - {"weft"} if name in distributions}
    assert {re.sub(r"[._]", "-", name.lower()) for name in foreign} == names


def test_javas_tests_download_only_what_a_pom_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    downloaded: list[str] = []

    def homes(names: list[str], say: object) -> dict[str, Path]:
        downloaded.extend(names)
        return {name: tmp_path / name for name in names}

    monkeypatch.setattr(distribution, "homes", homes)
    found = stages.java_homes(ROOT / "java")
    assert set(found) == {"spark", "flink", "hadoop", "hive", "kafka"}
    assert sorted(downloaded) == ["flink", "hadoop", "hive", "spark"]
    assert found["spark"] == tmp_path / "spark"
