"""DuckDB: one process that runs SQL, with a memory limit of its own."""

from weft.facts.enginefacts import EngineFacts, Settings, Sql

FACTS = EngineFacts(
    settings=Settings(local_directories="temp_directory"), sql=Sql(itself=True), memory_key="memory"
)
