"""Brook: a JVM for each task."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts, Settings, Sql

FACTS = EngineFacts(
    log=f"{__name__}.log",
    rules=Path(__file__).with_name("rules.toml"),
    settings=Settings(local_directories="brook.directories", partitions=("brook.partitions",)),
    empty_job={"kind": "pi", "points": 1000},
    jvm_a_task=True,
    command="brook run job.jar",
    sql=Sql(),
)
