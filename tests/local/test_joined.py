"""Measured runs on a persistent cluster of Spark: each counts its own job only, and leaves the cluster as it was."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.local.conftest import Weft, in_phase
from tests.needs import VIRTUAL, needs, require
from weft.analysis.read.sources import Sources
from weft.record import record, sampletable

pytestmark = needs(*VIRTUAL)
SORT = ("run", "terasort", "--to", "mine", "--size", "10MB")
LONG = ("run", "pi", "--to", "mine", "--set", "points=100000000000")
HOLD = """\
import pathlib, time
from pyspark.sql import SparkSession
context = SparkSession.builder.getOrCreate().sparkContext
context.range(1).count()
pathlib.Path(__file__).with_name("holds").touch()
time.sleep(300)
"""
"""A job that has executors, and does nothing with them."""
SLEEPS = """\
import time
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()

def slept(rows):
    time.sleep(1)
    return rows

print(spark.sparkContext.range(0, 4, 1, 4).mapPartitions(slept).count())
spark.stop()
"""
"""A job whose tasks wait a second each."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    """A cluster for all these tests."""
    require(*VIRTUAL)
    weft = Weft(tmp_path_factory.mktemp("joined"))
    done = weft("up", "--name", "mine", "--engine", "spark", "--nodes", "virtual:2", "--probe", "fileops")
    assert done.returncode == 0, done.stderr
    yield weft
    weft("down", "--all")
    weft.end()
    assert weft.leftovers() == []


def tasks(of: dict) -> int:
    return Sources(record.read(Path(of["record"]))).metrics().every.collect().height


def written(of: dict, node: str) -> int:
    """Bytes that a run's executors and driver wrote to its output on a node."""
    found = json.loads((Path(of["record"]) / "fileops" / f"{node}.json").read_text())["processes"]
    own = [process["classes"].get("output", {}) for process in found if process["component"] == "engine"]
    return sum(operations.get("write", {}).get("bytes", 0) for operations in own)


def processes(of: dict) -> set[str]:
    stored = record.read(Path(of["record"]))
    return set(sampletable.load(stored.folder, stored.schema)["process"]) - {""}


def outputs(weft: Weft) -> list[Path]:
    """What is left of runs, apart from the input that is kept."""
    return [path for path in (weft.home / "work").glob("*/scratch/output/*") if path.name != "kept-input"]


def test_each_run_has_a_checked_record_of_its_own_tasks_and_processes(running: Weft) -> None:
    one, other = json.loads(running(*SORT, "--repeat", "2", "--json").stdout)
    assert [one["verdict"], other["verdict"]] == ["VALID", "VALID"]
    # whichever test ran before, the second has the input of the first
    assert other["input_of"] == (one["input_of"] or one["id"])
    assert f"was made by the run {other['input_of']}" in (Path(other["record"]) / "report.html").read_text()
    assert [one["cluster"], list(one["phases"])] == ["mine", ["start", "prepare", "run", "check", "stop"]]
    assert tasks(one) == tasks(other) > 0
    own = processes(one), processes(other)
    assert all(any("CoarseGrainedExecutorBackend" in name for name in names) for names in own)
    assert not [name for names in own for name in names if "Worker" in name or "Master" in name]
    assert own[0] & own[1] == set()
    assert outputs(running) == []
    head = json.loads((Path(one["record"]) / "record.json").read_text())
    assert (head["probes"], head["probes_missing"]) == (["proc", "threads", "engine", "python"], {})
    assert len(list(Path(one["record"]).glob("logs/*/executors/*/*/stderr"))) == 2
    assert "mine" in (Path(one["record"]) / "report.html").read_text()
    explained = running("explain", one["record"])
    assert explained.returncode == 0, explained.stderr


def test_file_operations_of_a_run_are_those_of_its_own_processes(running: Weft) -> None:
    wanted = ("--probe", "fileops", "--probe", "profile")
    one, other = json.loads(running(*SORT, *wanted, "--repeat", "2", "--json").stdout)
    for result in (one, other):
        head = json.loads((Path(result["record"]) / "record.json").read_text())
        assert (result["verdict"], "fileops" in head["probes"]) == ("VALID", True)
        assert list(head["probes_missing"]) == ["profile"]
        assert all(found["programs"] for found in head["preload"].values())
        by_node = [written(result, node) for node in ("node1", "node2")]
        # an executor on each node; Hadoop's checksums are small files beside the data
        assert min(by_node) > 0
        assert result["bytes_out"] <= sum(by_node) < 1.02 * result["bytes_out"]
    # what is left is the cluster's own
    (cluster,) = (running.home / "runs").glob("*-persistent-spark-*")
    assert {path.name for path in (running.home / "work").glob("*/*/fileops/*")} == {cluster.name}


def test_workers_of_python_are_measured_for_the_job_that_they_belong_to(running: Weft) -> None:
    (running.home / "job.py").write_text(SLEEPS)
    (running.home / "job.toml").write_text('[workload]\nkind = "own-job"\nprogram = "job.py"\n')
    result = running.result("run", str(running.home / "job.toml"), "--to", "mine")
    folder = Path(result["record"]) / "python"
    lines = {node: [*(folder / node / "engine").glob("*.jsonl")] for node in ("node1", "node2")}
    assert all(lines.values()), result
    parts = {part["name"]: part["seconds"] for part in running.result("explain", result["record"])["parts"]}
    assert parts["Python: user code waiting"] > 2


def test_a_comparison_with_a_run_on_a_new_cluster_says_which_was_which(running: Weft) -> None:
    old, new = (running.result(*words) for words in (SORT, (*SORT[:2], "--nodes", "virtual:2", *SORT[4:])))
    done = running("compare", old["record"], new["record"])
    assert (new["cluster"], new["verdict"]) == ("", "VALID")
    assert {"persistent", "new"} <= set(done.stdout.replace("=", " ").replace("]", " ").split()), done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*SORT, "--nodes", "virtual:3"), "has nodes.count 2, and this command asks for 3"),
        ((*SORT, "--engine", "flink"), "mine does not run flink"),
        ((*SORT[:2], "--to", "other"), "no cluster named 'other'"),
        ((*SORT, "--dry-run"), "planned already"),
    ],
)
def test_what_cannot_be_is_refused_at_once(running: Weft, words: Sequence[str], says: str) -> None:
    before, began = running.names, time.monotonic()
    done = running(*words)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert running.names == before
    assert time.monotonic() - began < 20


def test_a_second_run_is_refused_and_ctrl_c_ends_the_job_only(running: Weft) -> None:
    process = started(running)
    second = running(*SORT)
    assert (second.returncode, "is being measured on the cluster 'mine'" in second.stderr) == (2, True)
    name = running.record().name
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert running.head()["reason"] == "stopped by the user in phase run"
    assert not running.processes("")
    assert name == running.record().name
    assert running.result(*SORT)["verdict"] == "VALID"


def test_cores_that_another_application_holds_are_not_waited_for(running: Weft) -> None:
    script = running.home / "hold.py"
    script.write_text(HOLD)
    process = running.start("submit", "--to", "mine", "--conf", "spark.cores.max=1", str(script))
    running.wait_for(process, (running.home / "holds").exists)
    began = time.monotonic()
    done = running(*SORT)
    assert done.returncode == 1
    assert re.search(r"hold the cores of the cluster 'mine': node\d has \d of \d cores free", done.stderr), (
        done.stderr
    )
    assert time.monotonic() - began < 30
    process.terminate()
    process.communicate(timeout=60)
    assert running.result(*SORT)["verdict"] == "VALID"


def test_the_end_of_the_cluster_ends_the_run(running: Weft) -> None:
    process = started(running)
    assert running("down", "mine").returncode == 0
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "pi failed" in errors or "has ended" in errors


def started(weft: Weft) -> "subprocess.Popen[str]":
    """A run that never ends by itself, with tasks on its executors."""
    before = set(weft.names)
    process = weft.start(*LONG)
    weft.wait_for(process, lambda: set(weft.names) - before and in_phase(weft, "run"))
    weft.wait_for(process, lambda: weft.processes("CoarseGrainedExecutorBackend"))
    return process
