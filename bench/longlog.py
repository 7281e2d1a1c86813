"""Seconds and memory of `weft import` on an event log of Spark as long as those of days of work."""

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from weft.text.units import parse_size, show_size

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BEGIN = 1_795_367_000_000
EXECUTORS, CORES, WAVES = 250, 4, 2
METRICS = {
    "internal.metrics.": "executorDeserializeTime executorDeserializeCpuTime executorRunTime executorCpuTime resultSize"
    " jvmGCTime resultSerializationTime peakExecutionMemory",
    "internal.metrics.shuffle.read.": "remoteBlocksFetched localBlocksFetched remoteBytesRead remoteBytesReadToDisk"
    " localBytesRead recordsRead",
    "internal.metrics.shuffle.write.": "bytesWritten recordsWritten writeTime",
    "internal.metrics.input.": "bytesRead",
    "": "number of output rows~data size~time in aggregation build~spill size~duration~peak memory",
}
"""Names of the values that Spark repeats in each task of a query, which are most of its line."""


MEMORY = (
    "JVMHeapMemory JVMOffHeapMemory OnHeapExecutionMemory OffHeapExecutionMemory OnHeapStorageMemory OffHeapStorageMemory"
    " OnHeapUnifiedMemory OffHeapUnifiedMemory DirectPoolMemory MappedPoolMemory ProcessTreeJVMVMemory"
    " ProcessTreeJVMRSSMemory ProcessTreePythonVMemory ProcessTreePythonRSSMemory ProcessTreeOtherVMemory"
    " ProcessTreeOtherRSSMemory MinorGCCount MinorGCTime MajorGCCount MajorGCTime TotalGCTime"
)


def lines(size: float, seed: int, executors: int = EXECUTORS, tasks: float = math.inf) -> Iterator[bytes]:
    """An application's events until there are so many bytes, or at least so many tasks, the last events aside."""
    chance = random.Random(seed)  # noqa: S311 - no secrets
    slots = CORES * executors
    of_stage = WAVES * slots
    task, finish = _template()
    written = stage = 0
    yield _line("LogStart", {"Spark Version": "3.5.7"})
    start = {"App Name": "long", "App ID": "app-1", "Timestamp": BEGIN, "User": "user"}
    yield _line("ApplicationStart", start)
    yield _line("EnvironmentUpdate", {"Spark Properties": {"spark.executor.cores": str(CORES)}})
    for number in range(executors):
        info = {"Host": f"node{number:04d}.cluster", "Total Cores": CORES}
        yield _line("ExecutorAdded", {"Timestamp": BEGIN, "Executor ID": str(number), "Executor Info": info})
    while written < size and stage * of_stage < tasks:
        at = BEGIN + stage * 20_000
        info = {
            "Stage ID": stage, "Stage Attempt ID": 0, "Stage Name": f"save at Job.scala:{stage % 90}",
            "Number of Tasks": of_stage, "Parent IDs": [stage - 1] if stage else [], "Submission Time": at,
        }  # fmt: skip
        yield _line("JobStart", {"Job ID": stage, "Submission Time": at, "Stage IDs": [stage]})
        yield _line("StageSubmitted", {"Stage Info": info})
        for index in range(of_stage):
            run, executor = int(chance.lognormvariate(8, 0.6)) + 1, index % executors
            launch = at + (index // slots) * 9000
            who = (stage, stage * of_stage + index, index, index, launch, executor, executor)
            found = b"%s%s" % (task % who, finish % tuple(_values(run, launch, chance)))
            written += len(found)
            yield found
        yield _line("StageCompleted", {"Stage Info": {**info, "Completion Time": at + 19_000}})
        yield _line(
            "JobEnd",
            {"Job ID": stage, "Completion Time": at + 19_000, "Job Result": {"Result": "JobSucceeded"}},
        )
        stage += 1
    yield _line("ApplicationEnd", {"Timestamp": BEGIN + stage * 20_000})


def _line(kind: str, event: dict[str, object]) -> bytes:
    return json.dumps({"Event": f"SparkListener{kind}", **event}, separators=(",", ":")).encode() + b"\n"


def _values(run: int, launch: int, chance: random.Random) -> Iterator[int]:
    """Numbers in the order in which the template has them."""
    yield launch + run + 20
    yield from (chance.randrange(10**6) for _ in range(sum(len(_split(words)) for words in METRICS.values())))
    yield from (run, run * 900_000, run // 30, chance.randrange(10**8), chance.randrange(10**7), run * 50_000)


def _split(words: str) -> list[str]:
    return words.split("~" if "~" in words else None)


def _template() -> tuple[bytes, bytes]:
    """The beginning and the end of a task's line, as formats."""
    names = [f"{of}{name}" for of, words in METRICS.items() for name in _split(words)]
    more = {"Internal": True, "Count Failed Values": True}
    values = [
        {"ID": 1000 + number, "Name": name, "Update": "%d", "Value": 10**6, **more}
        for number, name in enumerate(names)
    ]
    shuffle = {
        "Remote Blocks Fetched": 200, "Local Blocks Fetched": 1, "Fetch Wait Time": 35, "Remote Bytes Read": "%d",
        "Remote Bytes Read To Disk": 0, "Local Bytes Read": 4096, "Total Records Read": 100_000, "Remote Requests Duration": 0,
    }  # fmt: skip
    written = {"Shuffle Bytes Written": "%d", "Shuffle Write Time": "%d", "Shuffle Records Written": 100_000}
    metrics = {
        "Executor Deserialize Time": 12, "Executor Deserialize CPU Time": 11_396_862, "Executor Run Time": "%d",
        "Executor CPU Time": "%d", "Peak Execution Memory": 0, "Result Size": 1369, "JVM GC Time": "%d",
        "Result Serialization Time": 2, "Memory Bytes Spilled": 0, "Disk Bytes Spilled": 0, "Shuffle Read Metrics": shuffle,
        "Shuffle Write Metrics": written, "Input Metrics": {"Bytes Read": 0, "Records Read": 0},
        "Output Metrics": {"Bytes Written": 0, "Records Written": 0}, "Updated Blocks": [],
    }  # fmt: skip
    info = {
        "Task ID": "%d", "Index": "%d", "Attempt": 0, "Partition ID": "%d", "Launch Time": "%d", "Executor ID": "<%d>",
        "Host": "node%04d.cluster", "Locality": "NODE_LOCAL", "Speculative": False, "Getting Result Time": 0,
        "Finish Time": "%d", "Failed": False, "Killed": False, "Accumulables": values,
    }  # fmt: skip
    task = {
        "Stage ID": "%d", "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask", "Task End Reason": {"Reason": "Success"},
        "Task Info": info, "Task Executor Metrics": dict.fromkeys(MEMORY.split(), 0), "Task Metrics": metrics,
    }  # fmt: skip
    text = _line("TaskEnd", task).replace(b'"%d"', b"%d").replace(b"<%d>", b"%d")
    begin, finish, end = text.partition(b'"Finish Time"')
    return begin, finish + end


def write(path: Path, events: Iterable[bytes]) -> None:
    """The log, compressed as Spark does."""
    with zstd.open(path, "wb", level=1) as file:
        for line in events:
            file.write(line)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/run longlog")
    parser.add_argument("--size", default="1GB", help="bytes of the log, decompressed (default 1GB)")
    parser.add_argument("--keep", type=Path, help="write the log there and leave it")
    given = parser.parse_args()
    size = parse_size(given.size)
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        log = given.keep or Path(folder) / "app-1.zstd"
        if not log.exists():
            write(log, lines(size, seed=1))
        began = time.monotonic()
        argv = [sys.executable, "-m", "weft", "import", str(log), "--json"]
        done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
        seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    tasks = sum(stage["done"] for stage in json.loads(done.stdout)["stages"])
    print(
        f"{show_size(size)} of events, {tasks:,} tasks of the stages shown: {seconds:.0f} s, at most {show_size(peak)} of memory"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
