"""Dask: worker processes that run functions of Python, in as many threads as they are given."""

from pathlib import Path

from weft.facts.enginefacts import OWN_PACKAGES, EngineFacts, TaskLog

FILE = "dask.jsonl"
"""Of a record's engine folder: a line for each task."""
FACTS = EngineFacts(
    log=f"{__name__}.log",
    rules=Path(__file__).with_name("rules.toml"),
    # a client raises what a task raised where it asks for its result; worker.py logs it on the task's node
    tasks=TaskLog(
        r'/distributed/client\.py", line \d+, in _?(?:gather|result)\b',
        placed=r"distributed\.worker - ERROR - Compute Failed",
    ),
    memory_key="worker_memory",
    modules=OWN_PACKAGES,
    command="python3 job.py",
    persistent=True,
)
