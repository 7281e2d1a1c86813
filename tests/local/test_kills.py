"""kill -9 in the middle: of weft, of a Worker, of an executor; and the signals that ask to stop."""

import json
import signal
import subprocess

import pytest

from tests.local.conftest import Weft, in_phase, kill
from tests.needs import LOOPBACK, VIRTUAL, needs

SIZE = ("--size", "300MB")


def sorting(weft: Weft, *words: str) -> "subprocess.Popen[str]":
    """A run that has executors at work."""
    process = weft.start("run", "terasort", *SIZE, *words, "--json")
    weft.wait_for(process, lambda: in_phase(weft, "run") and tasks_ended(weft) >= 2)
    return process


def tasks_ended(weft: Weft) -> int:
    (log,) = (weft.record() / "logs" / "node1").glob("driver.log")
    return log.read_text().count("Finished task")


@pytest.mark.parametrize(
    ("nodes", "scratch"),
    [
        ("local:2", "disk"),
        pytest.param("virtual:2", "loopback", marks=[pytest.mark.long, needs(*VIRTUAL, *LOOPBACK)]),
    ],
)
def test_killing_weft_leaves_a_record_and_gc_cleans_all(weft: Weft, nodes: str, scratch: str) -> None:
    process = sorting(weft, "--nodes", nodes, "--scratch", scratch)
    weft.kill(process.pid)
    process.communicate()
    collected = weft("gc")
    assert collected.returncode == 0, collected.stderr
    assert weft.leftovers() == []
    (run,) = json.loads(weft("runs", "--json").stdout)
    assert run["verdict"] == "KILLED"
    assert weft.head()["phase"] == "run"
    assert weft("show", "last").returncode == 0


@pytest.mark.parametrize(
    "victim", [pytest.param("weft.spark.Worker", marks=pytest.mark.long), "CoarseGrainedExecutorBackend"]
)
def test_spark_recovers_from_a_lost_process_and_the_report_says_so(weft: Weft, victim: str) -> None:
    process = sorting(weft)
    kill(
        next(p for p in weft.processes(victim) if p.environ()["WEFT_NODE"] == "node2" and p.name() == "java")
    )
    out, err = process.communicate(timeout=400)
    result = json.loads(out) if out else weft.head()
    assert (process.returncode, result["verdict"]) == (0, "VALID"), err
    shown = json.loads(weft("show", "last", "--json").stdout)
    assert shown["lost"] or shown["recoveries"], "the loss is reported"


@pytest.mark.parametrize(
    ("number", "phase"),
    [
        (signal.SIGINT, "start"),
        (signal.SIGTERM, "run"),
        pytest.param(signal.SIGTERM, "start", marks=pytest.mark.long),
        pytest.param(signal.SIGINT, "run", marks=pytest.mark.long),
    ],
)
def test_a_signal_leaves_nothing(weft: Weft, number: signal.Signals, phase: str) -> None:
    process = weft.start("run", "terasort", *SIZE)
    weft.wait_for(process, lambda: in_phase(weft, phase))
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else 143)
    assert weft.leftovers() == []
    head = weft.head()
    assert (head["verdict"], head["phase"]) == ("INVALID", phase)
    assert "stopped" in head["reason"]
