"""Probes of a run: one file per adapter."""

from typing import Annotated

from pydantic import AfterValidator

from weft.adapters.probes import (
    dvs,
    engine,
    fileops,
    hdfs,
    kafka,
    lustre,
    null,
    pauses,
    proc,
    profile,
    python,
    threads,
)
from weft.adapters.probes.base import Probe
from weft.text.shorthand import INTERNAL

_ALL: tuple[type[Probe], ...] = (
    null.NullProbe,
    proc.ProcProbe,
    threads.ThreadsProbe,
    engine.EngineProbe,
    fileops.FileopsProbe,
    lustre.LustreProbe,
    dvs.DvsProbe,
    hdfs.HdfsProbe,
    kafka.KafkaProbe,
    profile.ProfileProbe,
    pauses.PausesProbe,
    python.PythonProbe,
)
KINDS: dict[str, type[Probe]] = {probe.name: probe for probe in _ALL}


def listed() -> list[str]:
    """The probes that users name."""
    return [name for name in KINDS if name not in INTERNAL]


def _known(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"unknown probe {name!r}; known: {', '.join(listed())}")
    return name


ProbeName = Annotated[str, AfterValidator(_known)]
