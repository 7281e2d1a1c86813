"""Records and event logs made by hand: two nodes, two stages, one lost executor, numbers that are easy to check."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.record import samples, sampletable
from weft.record.migrations import with_labels
from weft.record.record import Stored, read, write_json
from weft.record.samples import Measure, Sample

BEGIN = 1_700_000_000.0
"""When the fake run began, in seconds since the epoch."""
APP = "app-20231114221320-0000"


def ms(after: float) -> int:
    return round((BEGIN + after) * 1000)


def event(name: str, **fields: Any) -> dict[str, Any]:
    return {"Event": f"SparkListener{name}", **fields}


def stage(
    name: str,
    number: int,
    *,
    attempt: int = 0,
    tasks: int = 2,
    begin: float = 4,
    end: float | None = None,
    failure: str = "",
) -> dict[str, Any]:
    info = {
        "Stage ID": number,
        "Stage Attempt ID": attempt,
        "Stage Name": f"step {number}",
        "Number of Tasks": tasks,
        "RDD Info": [{"x": 1}],
        "Submission Time": ms(begin),
    }
    if end is not None:
        info["Completion Time"] = ms(end)
    if failure:
        info["Failure Reason"] = failure
    return event(name, **{"Stage Info": info})


def task(
    number: int,
    *,
    stage: int = 0,
    attempt: int = 0,
    index: int = 0,
    executor: str = "0",
    begin: float = 4,
    run_ms: int = 1000,
    reason: Mapping[str, Any] | None = None,
    speculative: bool = False,
    metrics: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    info = {
        "Task ID": number,
        "Index": index,
        "Attempt": 0,
        "Partition ID": index,
        "Launch Time": ms(begin),
        "Executor ID": executor,
        "Host": f"10.0.0.{int(executor) + 1}",
        "Locality": "ANY",
        "Speculative": speculative,
        "Getting Result Time": 0,
        "Finish Time": ms(begin) + run_ms + 30,
        "Failed": reason is not None,
        "Killed": False,
        "Accumulables": [{"ID": 1, "Name": "x", "Update": "1"}],
    }
    found = {
        "Executor Deserialize Time": 10,
        "Executor Deserialize CPU Time": 1,
        "Executor Run Time": run_ms,
        "Executor CPU Time": run_ms * 500_000,
        "Peak Execution Memory": 64,
        "Result Size": 9,
        "JVM GC Time": run_ms // 10,
        "Result Serialization Time": 5,
        "Memory Bytes Spilled": 0,
        "Disk Bytes Spilled": 0,
        "Shuffle Read Metrics": {
            "Remote Blocks Fetched": 1,
            "Local Blocks Fetched": 2,
            "Fetch Wait Time": run_ms // 5,
            "Remote Bytes Read": 30,
            "Local Bytes Read": 70,
            "Total Records Read": 1,
        },
        "Shuffle Write Metrics": {
            "Shuffle Bytes Written": 100,
            "Shuffle Write Time": 7,
            "Shuffle Records Written": 3,
        },
        "Input Metrics": {"Bytes Read": 1000, "Records Read": 10},
        "Output Metrics": {"Bytes Written": 0, "Records Written": 0},
        **(metrics or {}),
    }
    end = {
        "Stage ID": stage,
        "Stage Attempt ID": attempt,
        "Task Type": "ResultTask",
        "Task End Reason": dict(reason or {"Reason": "Success"}),
        "Task Info": info,
        "Task Metrics": found,
    }
    return event("TaskEnd", **end)


def executor(number: int, *, removed: float | None = None, why: str = "") -> list[dict[str, Any]]:
    found = [
        event(
            "ExecutorAdded",
            Timestamp=ms(3),
            **{
                "Executor ID": str(number),
                "Executor Info": {"Host": f"10.0.0.{number + 1}", "Total Cores": 1},
            },
        )
    ]
    if removed is not None:
        found.append(
            event(
                "ExecutorRemoved",
                Timestamp=ms(removed),
                **{"Executor ID": str(number), "Removed Reason": why},
            )
        )
    return found


LOST = {
    "Reason": "ExecutorLostFailure",
    "Executor ID": "1",
    "Exit Caused By App": False,
    "Loss Reason": "worker lost",
}
EVENTS: Sequence[Mapping[str, Any]] = [
    event("LogStart", **{"Spark Version": "4.3.0"}),
    event("ApplicationStart", Timestamp=ms(2.5), User="me", **{"App Name": "terasort", "App ID": APP}),
    *executor(0),
    event("JobStart", **{"Job ID": 0, "Submission Time": ms(4), "Stage IDs": [0, 1]}),
    stage("StageSubmitted", 0, tasks=3),
    task(0, index=0, run_ms=1000),
    *executor(1, removed=6, why="worker lost"),
    task(1, index=1, executor="1", run_ms=0, reason=LOST),
    task(2, index=1, run_ms=2000, begin=6),
    task(3, index=2, run_ms=3000, begin=6),
    stage("StageCompleted", 0, tasks=3, end=9),
    stage("StageSubmitted", 1, tasks=1, begin=9),
    task(
        4,
        stage=1,
        run_ms=2500,
        begin=9,
        metrics={
            "Disk Bytes Spilled": 5_000_000,
            "Output Metrics": {"Bytes Written": 3000, "Records Written": 30},
        },
    ),
    stage("StageCompleted", 1, tasks=1, begin=9, end=12),
    event("JobEnd", **{"Job ID": 0, "Completion Time": ms(12), "Job Result": {"Result": "JobSucceeded"}}),
    event("ApplicationEnd", Timestamp=ms(12.5)),
]


def write_log(
    folder: Path, events: Sequence[Mapping[str, Any]] = EVENTS, name: str = APP, torn: str = ""
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(json.dumps(found) + "\n" for found in events) + torn)
    return path


PHASES = (
    ("acquire", 0, 0.5),
    ("storage", 0.5, 1),
    ("start", 1, 2),
    ("prepare", 2, 2.4),
    ("run", 2.4, 12.4),
    ("check", 12.4, 13),
    ("stop", 13, 13.1),
)
HEAD: Mapping[str, Any] = {
    "schema": 1, "weft": "0.1.0", "created": "2023-11-14T22:13:20+0000", "host": "elsewhere", "pid": 1, "pid_start": "1",
    "workload": "terasort", "engine": "spark", "nodes": "virtual:2", "input": "disk", "output": "disk", "scratch": "delayed",
    "key": "abcd1234", "cell": {}, "phase": "stop", "verdict": "VALID", "checked_by": "an independent program", "reason": "", "measured": 8.0, "bytes_in": 400_000_000,
    "bytes_out": 400_000_000, "throughput_per_node": 25_000_000, "facts": {"rows": 4_000_000}, "lost": ["worker-node2 on node2 ended (killed by signal 9)"],
    "probes": ["proc", "engine"], "probes_missing": {"lustre": "there is no Lustre client"},
    "phases": {name: round(end - begin, 3) for name, begin, end in PHASES},
}  # fmt: skip
RESOLVED: Mapping[str, Any] = {
    "spec": {"workload": {"kind": "terasort", "size": 400_000_000}, "scratch": {"kind": "delayed"}, "nodes": {"kind": "virtual", "count": 2}},
    "nodes": [{"name": f"node{i}", "address": f"10.0.0.{i}", "cores": 2, "memory": 4 << 30} for i in (1, 2)],
    "limits": ["nodes share one kernel"],
    "places": {"scratch": {"storage": "delayed", "description": "latencyfs over /tmp", "emulated": "a Lustre of 2015, by a delay model", "paths": {"node1": "/a", "node2": "/b"}}},
    "derived": {"spark": {"slots": 4}},
}  # fmt: skip


def measure(dotted: str) -> Measure:
    """`fileops.scratch.open.count`: a counter with its labels, in the form of schema 4."""
    return Measure(*with_labels(dotted, 4))


def readings() -> list[Sample]:
    """Ten seconds of two nodes that compute with half a core and send 1 MB/s, and of a host that waits a tenth."""
    found = []
    for second in range(11):
        t = BEGIN + 2.4 + second
        for node in ("node1", "node2"):
            found += [
                Sample(t, node, "", "cpu_user", 100 + second * 0.5),
                Sample(t, node, "", "net_send", 5000 + second * 1e6),
                Sample(t, node, "", "memory", 1e9 + second),
                Sample(t, node, "Worker/12", "cpu_user", second * 0.1),
            ]
        found.append(Sample(t, "host", "", "pressure_io", second * 0.1))
    return found


def make_record(
    directory: Path, *, head: Mapping[str, Any] | None = None, without: Sequence[str] = ()
) -> Stored:
    """A whole record, but for what is left out of record.json's keys and of the files."""
    for folder in ("plan", "outcomes", "engine", "logs/node1"):
        (directory / folder).mkdir(parents=True)
    merged = {**HEAD, "id": directory.name, **(head or {})}
    write_json(directory / "record.json", {key: value for key, value in merged.items() if key not in without})
    (directory / "spec.toml").write_text('workload = "terasort"\n')
    write_json(directory / "resolved.json", RESOLVED)
    (directory / "plan" / "spark-defaults.conf").write_text("spark.ui.enabled false\n")
    lines = [
        (at, f"phase-{edge}", name)
        for name, begin, end in PHASES
        for at, edge in ((begin, "begin"), (end, "end"))
    ]
    (directory / "events.jsonl").write_text(
        "".join(
            json.dumps({"t": BEGIN + at, "event": what, "phase": name}) + "\n" for at, what, name in lines
        )
    )
    samples.append(directory, readings())
    sampletable.finish(directory)
    write_json(
        directory / "sources.json",
        {
            "cpu_user": {"unit": "s", "source": "/proc", "blind": "the dead"},
            "net_send": {"unit": "B", "source": "/proc", "blind": ""},
        },
    )
    write_log(directory / "engine")
    (directory / "logs" / "node1" / "driver.log").write_text("one\ntwo <b>&\nthe last line\n")
    for name in without:
        (directory / name).unlink(missing_ok=True)
    return read(directory)
