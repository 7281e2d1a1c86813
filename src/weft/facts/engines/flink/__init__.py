"""Flink: TaskManagers with slots, each of which holds one subtask of every vertex."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts, Held, Paying, Settings, Sql, Streaming, TaskLog

FACTS = EngineFacts(
    log=f"{__name__}.jobs",
    live=f"{__name__}.live",
    rules=Path(__file__).with_name("rules.toml"),
    settings=Settings(
        local_directories="io.tmp.dirs",
        heap="taskmanager.memory.task.heap.size",
        driver_key="driver_memory",
        partitions=("parallelism.default",),
    ),
    empty_job={"kind": "pi", "points": 1000},
    # ExecutionGraph and ExecutionFailureHandler: the exception of a task is the cause of the job's
    tasks=TaskLog(
        "Job execution failed|Recovery is suppressed by",
        placed=r"switched from \w+ to FAILED on taskmanager-(?P<host>\S+) @",
    ),
    memory_key="taskmanager_memory",
    held=Held(
        part="TaskManager managed memory",
        of="slot",
        reported=False,
        elsewhere=("taskmanager.memory.managed.size", "taskmanager.memory.managed.fraction"),
    ),
    paying=(
        Paying(
            "taskmanager.memory.segment-size",
            "128kb",
            "SortPartition",
            "larger segments of memory to sort in, with which a TeraSort took less time (bench/run tuned)",
        ),
    ),
    pipelined=True,
    most_tasks=32_768,  # its upper bound of a maximum parallelism
    command="flink run job.jar",
    persistent=True,
    sql=Sql("flink-sql", columns=True, casts=True),
    streaming=Streaming("flink-kafka", shortest=0.05, buffers=True),
)
