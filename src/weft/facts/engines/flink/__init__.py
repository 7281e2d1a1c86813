"""Flink: TaskManagers with slots, each of which holds one subtask of every vertex."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts, Settings, Sql, Streaming

FACTS = EngineFacts(
    log=f"{__name__}.jobs",
    rules=Path(__file__).with_name("rules.toml"),
    settings=Settings(
        local_directories="io.tmp.dirs",
        heap="taskmanager.memory.task.heap.size",
        partitions=("parallelism.default",),
    ),
    empty_job={"kind": "pi", "points": 1000},
    pipelined=True,
    command="flink run job.jar",
    sql=Sql("flink-sql", columns=True, casts=True),
    streaming=Streaming("flink-kafka", shortest=0.05, buffers=True),
)
