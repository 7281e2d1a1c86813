"""Ray: worker processes that run functions of Python, one for each CPU, beside an object store in memory."""

from pathlib import Path

from weft.facts.enginefacts import OWN_PACKAGES, EngineFacts, TaskLog

FILE = "ray.jsonl"
"""Of a record's engine folder: a line for each task."""
FACTS = EngineFacts(
    log=f"{__name__}.log",
    rules=Path(__file__).with_name("rules.toml"),
    # a program raises what a task raised where it asks for its result; the text of the exception says where the task ran
    tasks=TaskLog(r"ray\.exceptions\.RayTaskError.*\(pid=\d+, ip=(?P<host>[\d.]+)"),
    memory_key="object_store",
    modules=OWN_PACKAGES,
    command="python3 job.py",
    persistent=True,
)
