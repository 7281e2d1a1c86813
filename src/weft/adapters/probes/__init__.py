"""Probes of a run: one file per adapter."""

from typing import Annotated

from pydantic import AfterValidator

from weft.adapters.probes.base import Probe
from weft.text.byname import ByName
from weft.text.shorthand import INTERNAL

KINDS: ByName[Probe] = ByName()
KINDS.declare(
    __name__,
    {
        "null": "null:NullProbe",
        "proc": "proc:ProcProbe",
        "threads": "threads:ThreadsProbe",
        "engine": "engine:EngineProbe",
        "fileops": "fileops:FileopsProbe",
        "lustre": "lustre:LustreProbe",
        "dvs": "dvs:DvsProbe",
        "hdfs": "hdfs:HdfsProbe",
        "kafka": "kafka:KafkaProbe",
        "profile": "profile:ProfileProbe",
        "pauses": "pauses:PausesProbe",
        "python": "python:PythonProbe",
    },
)


def listed() -> list[str]:
    """The probes that users name."""
    return [name for name in KINDS if name not in INTERNAL]


def _known(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"unknown probe {name!r}; known: {', '.join(listed())}")
    return name


ProbeName = Annotated[str, AfterValidator(_known)]
