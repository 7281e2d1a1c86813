"""A cluster of one's own on other hosts: its commands run there, and nothing of them stays."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.conftest import SiteWeft
from tests.hosts.sshd import Hosts, running
from tests.local.conftest import Weft
from tests.local.test_joined import processes
from tests.needs import SSH, needs


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    with running(tmp_path / "hosts", 2) as found:
        yield found


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Weft]:
    """The command line on this machine; what a failed test leaves is ended."""
    command = Weft(tmp_path)
    yield command
    command.end()


def using(weft: Weft, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "weft", "exec", "--", "sh", "-c", *words],
        env=weft.environment, cwd=weft.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@needs(*SSH)
def test_a_command_runs_on_the_head_with_its_users_streams_and_exit_code(
    hosts: Hosts, here: Weft, tmp_path: Path
) -> None:
    here.result("up", "--engine", "null", "--nodes", hosts.nodes(cores="1"))
    command = 'cat; pwd; echo "$WEFT_NODE" "$0" "$1"; exit 7'
    done = using(here, command, "two words", "$HOME")
    out, _ = done.communicate("typed\n", timeout=60)
    assert (done.returncode, out) == (7, f"typed\n{tmp_path}\nhost1 two words $HOME\n")
    waiting = using(here, "echo there; sleep 1000")
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "there\n"
    assert here("down").returncode == 0
    waiting.communicate(timeout=60)
    assert waiting.returncode != 0
    assert [words for words in hosts.processes() if "sleep 1000" in words] == []
    assert here.leftovers() == []


@needs(*SSH)
def test_a_measured_run_has_the_application_that_is_ready_on_other_hosts(hosts: Hosts, here: Weft) -> None:
    here.result("up", "--ready", "--engine", "spark", "--nodes", hosts.nodes(cores="1"))
    for _ in range(2):
        of = here.result("run", "terasort", "--to", "spark", "--size", "1MB")
        assert (of["verdict"], of["application"]) == ("VALID", "ready")
        assert any("CoarseGrainedExecutorBackend" in name for name in processes(of))
    assert here("down").returncode == 0
    assert here.leftovers() == []
    assert [words for words in hosts.processes() if "io.weft.spark" in words] == []


def test_on_slurm_it_runs_in_an_allocation(weft: SiteWeft) -> None:
    up = ("up", "--engine", "null", "--nodes", "slurm:2")
    command = weft.words("exec", "--", "sh", "-c", "echo on $WEFT_NODE; exit 7")
    down = shlex.join(weft.words("down"))
    script = f"{shlex.join(weft.words(*up))} && {shlex.join(command)}; echo code $?; {down} >&2"
    done = subprocess.run(
        ["salloc", "--nodes=2", "--exclusive", "--quiet", "sh", "-c", script],
        env=weft.environment, cwd=weft.home, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[-2:] == ["on n1", "code 7"], done.stderr
    assert weft.head()["verdict"] == "UNCHECKED"
