"""A checked TeraSort on a real cluster, on every kind of node and scratch."""

import json
from pathlib import Path

import psutil
import pytest

from tests.local.conftest import Weft, in_phase
from tests.needs import LOOPBACK, VIRTUAL, XFS, needs

CHECKSUM = "7a27e2d0d55de"
"""Of a million records of Hadoop's own TeraGen: it depends neither on nodes, nor on the number of files or partitions."""


def test_a_plain_run_is_valid_and_real(weft: Weft) -> None:
    """A Master, two Workers and their executors are processes of their own, on two nodes, and all are gone afterwards."""
    cut = ["--set", "parts=7", "--set", "partitions=3"]
    process = weft.start("run", "terasort", "--size", "100MB", *cut, "--json")
    seen = weft.wait_for(process, lambda: in_phase(weft, "run") and weft.processes("CoarseGrainedExecutorBackend")[1:] and {
        word: {p.environ()["WEFT_NODE"] for p in weft.processes(word)} for word in ("Master", "Worker", "CoarseGrainedExecutor")
    })  # fmt: skip
    # a process has its name before its JVM has mapped anything
    archives = weft.wait_for(
        process, lambda: [one for one in weft.processes("CoarseGrainedExecutorBackend") if archive(one)][1:]
    )
    out, err = process.communicate(timeout=300)
    assert archives, "executors do not use the class-data archive"
    assert seen["Master"] == {"node1"}
    assert seen["Worker"] >= {"node1", "node2"}
    assert seen["CoarseGrainedExecutor"] == {"node1", "node2"}
    result = json.loads(out)
    assert result["verdict"] == "VALID", err
    assert result["bytes_in"] == result["bytes_out"] == 100_000_000
    assert set(result["phases"]) == {"acquire", "storage", "start", "prepare", "run", "check", "stop"}
    assert result["throughput_per_node"] > 0
    assert result["facts"]["checksum"] == CHECKSUM
    assert (weft.record() / "report.html").exists()


def archive(process: psutil.Process) -> bool:
    return any(Path(each.path).name == "classes.jsa" for each in process.memory_maps())


ON_IMAGES = ("loopback:size=2G,fs=xfs", ("--input", "memory", "--output", "loopback"))


@pytest.mark.long
@needs(*VIRTUAL)
@pytest.mark.parametrize(
    ("scratch", "others"),
    [
        pytest.param("memory", (), id="memory"),
        pytest.param(*ON_IMAGES, marks=needs(*LOOPBACK, *XFS), id="loopback"),
    ],
)
def test_virtual_nodes_sort_on_every_scratch(weft: Weft, scratch: str, others: tuple[str, ...]) -> None:
    """One of them with its input and output on memory: a mount for all nodes appears in each of them."""
    words = ["--nodes", "virtual:2", "--size", "100MB", "--scratch", scratch]
    result = weft.result("run", "terasort", *words, *others)
    assert result["verdict"] == "VALID"
    assert result["facts"]["checksum"] == CHECKSUM
    assert result["scratch"] == scratch.split(":", maxsplit=1)[0]


@pytest.mark.long
def test_a_partition_larger_than_the_executor_spills(weft: Weft) -> None:
    """A partition of 250 MB through an executor that has half of that for it (0.6 of the heap without 300 MiB)."""
    words = ["--size", "250MB", "--set", "engine.executor_memory=512M", "--set", "partitions=1"]
    assert weft.result("run", "terasort", *words)["verdict"] == "VALID"
    shown = json.loads(weft("show", "last", "--json").stdout)
    assert sum(stage["disk_spill"] for stage in shown["stages"]) > 0


WRONG = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
records = spark.sparkContext.binaryRecords(sys.argv[1], 100).sortBy(lambda record: bytes(record[:10]), numPartitions=12)
output = Path(sys.argv[2])
output.mkdir(parents=True)

def write(part, records):
    kept = list(records)
    if FAULT == "lose-and-repeat" and part == 5:
        kept[7] = kept[6]
    number = {2: 10, 10: 2}.get(part, part) if FAULT == "exchange" else part
    (output / f"part-{number:05}").write_bytes(b"".join(kept))
    return []

records.mapPartitionsWithIndex(write).count()
"""
"""A sort that is right but for one fault: a record is lost and its neighbour there twice, or two parts have changed names."""


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("lose-and-repeat", "validate on node1: checksum is "),
        pytest.param("exchange", "validate on node1: order is broken between ", marks=pytest.mark.long),
    ],
)
def test_a_wrong_output_of_a_real_engine_is_invalid(weft: Weft, fault: str, reason: str) -> None:
    program = weft.home / "wrong.py"
    program.write_text(f"FAULT = {fault!r}\n{WRONG}")
    words = ["--nodes", "local:1", "--size", "100kB", "--set", f"program={program}"]
    done = weft("run", "terasort", *words)
    assert done.returncode == 1, done.stderr
    head = weft.head()
    assert (head["verdict"], head["phase"]) == ("INVALID", "check"), done.stderr
    assert head["reason"].startswith(reason)
