"""Hadoop MapReduce: each map or reduce task is a container of YARN, with a JVM of its own."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts, Held, Settings, TaskLog

SLOTS = "weft.slots"
"""Setting of a run's jobs: task containers of a node, one for each of its cores."""

FACTS = EngineFacts(
    log=f"{__name__}.jobhistory",
    live=f"{__name__}.live",
    rules=Path(__file__).with_name("rules.toml"),
    settings=Settings(
        local_directories="yarn.nodemanager.local-dirs",
        driver_key="client_memory",
        partitions=("mapreduce.job.reduces",),
        begin_late="mapreduce.job.reduce.slowstart.completedmaps=1.0",
    ),
    empty_job={"kind": "pi", "points": 1000, "tasks": 16},
    # Job.monitorAndPrintJob prints the diagnostics of failed attempts
    tasks=TaskLog(
        r"Task Id : (?P<attempt>attempt_\d+_\d+_(?P<stage>[mr])_0*(?P<task>\d+)_\d+), Status : FAILED",
        block=True,
    ),
    memory_key="task_memory",
    # MapTask.java: a map task spills when so much of its buffer is full
    held=Held(
        part="sort buffer",
        of="task",
        share=0.8,
        setting="mapreduce.map.sort.spill.percent",
        elsewhere=("mapreduce.task.io.sort.mb",),
    ),
    jvm_a_task=True,
    command="yarn jar job.jar",
    persistent=True,
)
