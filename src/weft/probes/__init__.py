"""Observers of a run: one file an adapter."""

from weft.probes.base import Probe
from weft.probes.engine import EngineProbe
from weft.probes.fileops import FileopsProbe
from weft.probes.hdfs import HdfsProbe
from weft.probes.lustre import LustreProbe
from weft.probes.null import NullProbe
from weft.probes.proc import ProcProbe

KINDS: dict[str, type[Probe]] = {
    probe.name: probe for probe in (NullProbe, ProcProbe, EngineProbe, FileopsProbe, LustreProbe, HdfsProbe)
}
