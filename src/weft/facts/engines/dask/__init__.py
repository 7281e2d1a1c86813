"""Dask: worker processes that run functions of Python, in as many threads as they are given."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts

FILE = "dask.jsonl"
"""Of a record's engine folder: a line for each task."""
FACTS = EngineFacts(
    log=f"{__name__}.log",
    rules=Path(__file__).with_name("rules.toml"),
    memory_key="worker_memory",
)
