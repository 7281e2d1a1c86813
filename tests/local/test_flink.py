"""Flink on real processes: a checked sort, what becomes of it when a process is killed, and a jar of one's own."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.local.conftest import Weft, in_phase, kill

SMALL = ("--engine", "flink", "--nodes", "local:2", "--set", "nodes.memory=3G")


def sorting(weft: Weft, *words: str) -> "subprocess.Popen[str]":
    """A run whose job was taken by the JobManager and is at work on both nodes."""
    process = weft.start("run", "terasort", "--size", "400MB", *SMALL, *words, "--json")
    weft.wait_for(process, lambda: in_phase(weft, "run") and deployed(weft) >= 2, 240)
    return process


def deployed(weft: Weft) -> int:
    """Tasks that have begun to work."""
    log = weft.record() / "logs" / "node1" / "jobmanager.log"
    return log.read_text().count("switched from INITIALIZING to RUNNING")


@pytest.mark.long
def test_wefts_sorter_in_little_memory_spills_and_is_valid(weft: Weft) -> None:
    """200 MB in one partition through the managed memory of a TaskManager that holds a part of it."""
    words = ["--size", "200MB", "--set", "partitions=1", "--set", "method=raw"]
    words += ["--set", "engine.taskmanager_memory=900M"]
    result = weft.result("run", "terasort", *SMALL, *words)
    assert result["verdict"] == "VALID"
    assert result["bytes_in"] == result["bytes_out"] == 200_000_000
    assert json.loads((weft.record() / "outcomes" / "run.json").read_text())["disk_bytes_spilled"] > 0
    shown = json.loads(weft("show", "last", "--json").stdout)
    assert {row["name"] for row in shown["flink"]} == {"Source: splits -> scatter", "sort"}
    assert shown["engine_version"].startswith("2.")
    config = (weft.record() / "plan" / "conf" / "config.yaml").read_text()
    assert "@SECRET@" in config


@pytest.mark.long
def test_a_lost_taskmanager_costs_its_work_and_not_the_job(weft: Weft) -> None:
    process = sorting(weft)
    (victim,) = [
        p
        for p in weft.processes("TaskManagerRunner")
        if p.name() == "java" and p.environ()["WEFT_NODE"] == "node2"
    ]
    kill(victim)
    out, err = process.communicate(timeout=400)
    assert json.loads(out)["verdict"] == "VALID", err
    shown = json.loads(weft("show", "last", "--json").stdout)
    assert shown["lost"] == ["taskmanager-node2 on node2 ended (killed by signal 9)"]
    assert any("TaskManager" in words or "failed" in words for words in shown["recoveries"])


def test_a_dead_jobmanager_ends_the_run_at_once(weft: Weft) -> None:
    process = sorting(weft)
    kill(next(p for p in weft.processes("StandaloneSessionClusterEntrypoint") if p.name() == "java"))
    _, err = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "jobmanager on node1 ended (killed by signal 9)" in " ".join(err.split())
    assert weft.head()["verdict"] == "INVALID"


@pytest.mark.long
def test_a_jar_of_ones_own_runs_with_its_arguments(weft: Weft, sum_jar: Path) -> None:
    done = weft("submit", *SMALL, "--", str(sum_jar), "100")
    assert done.returncode == 0, done.stderr
    assert "sum 5050" in done.stdout.splitlines()
    assert weft.head()["verdict"] == "UNCHECKED"
