"""Bad input and broken machines: one clear sentence, a hint, the exit code, and the record stays."""

import socket
from pathlib import Path

import pytest

from tests.local.conftest import Weft, in_phase
from tests.needs import VIRTUAL, needs


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("run", "terrasort"), "unknown workload 'terrasort'", "'terasort'"),
        (
            ("run", "terasort", "--set", "engine.excutor_memory=1G"),
            "unknown key 'engine.excutor_memory'",
            "'executor_memory'",
        ),
        (("run", "terasort", "--set", "partitons=3"), "unknown key 'workload.partitons'", "'partitions'"),
        (("run", "terasort", "--size", "-1"), "not a size", ""),
        (("run", "terasort", "--size", "12parsec"), "not a size", ""),
        (("run", "terasort", "--nodes", "local:0"), "nodes.count", ""),
        (("run", "terasort", "--nodes", "local:5000"), "254", "at most"),
        (("run", "terasort", "--scratch", "ramdisk"), "'ramdisk'", "memory"),
        (("run", "terasort", "--scratch", "mount"), "scratch.path", ""),
        (("run", "nowhere/study.toml"), "cannot read", ""),
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(
    weft: Weft, words: tuple[str, ...], message: str, hint: str
) -> None:
    done = weft(*words)
    text = " ".join(done.stderr.split())
    assert done.returncode == 2, done.stderr
    assert message in text
    assert hint in text.partition("hint:")[2]
    assert "Traceback" not in done.stderr


def test_a_missing_jdk_is_named(weft: Weft) -> None:
    done = weft("run", "terasort", JAVA_HOME="/nonexistent")
    assert done.returncode == 2
    assert "no java in JAVA_HOME" in done.stderr
    assert "openjdk-17" in done.stderr


def test_a_taken_port_is_named(weft: Weft) -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        done = weft("run", "terasort", "--set", f"engine.port={taken.getsockname()[1]}")
    assert done.returncode == 1
    assert "is taken by process" in " ".join(done.stderr.split())
    assert weft.head()["phase"] == "start"


@needs(*VIRTUAL)
def test_a_full_scratch_fails_with_its_cause(weft: Weft) -> None:
    done = weft("run", "terasort", "--nodes", "virtual:2", "--size", "100MB", "--scratch", "memory:16M")
    assert done.returncode == 1
    assert "No space left on device" in " ".join(done.stderr.split())
    assert weft.head()["verdict"] == "INVALID"


def test_an_input_cut_by_seven_bytes_is_found(weft: Weft) -> None:
    """The input is cut while the run prepares: the engine program refuses it by name and length."""
    process = weft.start(
        "run", "terasort", "--size", "100MB", "--set", "parts=3", "--set", "engine.driver_memory=1G"
    )
    part = weft.home / "work"
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    (victim,) = list(Path(part).glob("*/scratch/input/part-00001"))
    with victim.open("r+b") as file:
        file.truncate(victim.stat().st_size - 7)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "part-00001" in err
    assert weft.head()["verdict"] == "INVALID"


def test_a_dead_master_ends_the_run_at_once(weft: Weft) -> None:
    process = weft.start("run", "terasort", "--size", "200MB")
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    weft.processes("deploy.master.Master")[0].kill()
    _, err = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "master on node1 ended (killed by signal 9)" in " ".join(err.split())
