"""Sail: a server that runs Spark's SQL with DataFusion, in one process."""

from weft.facts.enginefacts import EngineFacts, Settings, Sql

FACTS = EngineFacts(
    settings=Settings(local_directories="runtime.temporary_files.paths"),
    sql=Sql(),
    memory_key="memory",
    command="python3 job.py",
)
