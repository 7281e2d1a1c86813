"""Observers of a run: one file an adapter."""

from weft.probes.base import Probe
from weft.probes.engine import EngineProbe
from weft.probes.fileops import FileopsProbe
from weft.probes.hdfs import HdfsProbe
from weft.probes.lustre import LustreProbe
from weft.probes.null import NullProbe
from weft.probes.proc import ProcProbe
from weft.probes.threads import ThreadsProbe

KINDS: dict[str, type[Probe]] = {
    probe.name: probe
    for probe in (NullProbe, ProcProbe, ThreadsProbe, EngineProbe, FileopsProbe, LustreProbe, HdfsProbe)
}
