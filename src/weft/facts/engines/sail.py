"""Sail: a server that runs Spark's SQL with DataFusion, in one process."""

from weft.facts.enginefacts import EngineFacts, Settings, Sql

FACTS = EngineFacts(
    settings=Settings(local_directories="runtime.temporary_files.paths"),
    sql=Sql(),
    memory_key="memory",
    modules="Sail has the locked packages of weft's Python and no others; --engine spark runs the Python of your own",
    command="python3 job.py",
)
