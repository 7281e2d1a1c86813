"""Metrics of HDFS's daemons: operations of the NameNode, blocks and bytes of the DataNodes, from their JMX pages."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from weft.adapters.nodes.access import access
from weft.adapters.probes.base import Probe, Read, Source
from weft.host.web import UNANSWERED, get
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import write_json
from weft.record.samples import Sample

_SETTLED = 1.2
"""Seconds after which a daemon's page contains all counts: it is updated every second."""

_NAMENODE = {
    "FSNamesystem": {
        "FilesTotal": ("files", ""),
        "BlocksTotal": ("blocks", ""),
        "UnderReplicatedBlocks": ("blocks_with_too_few_copies", ""),
        "MissingBlocks": ("blocks_missing", ""),
        "CapacityUsed": ("bytes_stored", "B"),
    },
    "NameNodeActivity": {
        "CreateFileOps": ("create", ""),
        "FilesAppended": ("append", ""),
        "AddBlockOps": ("add_block", ""),
        "GetBlockLocations": ("get_block_locations", ""),
        "FileInfoOps": ("file_info", ""),
        "GetListingOps": ("listing", ""),
        "FilesRenamed": ("rename", ""),
        "DeleteFileOps": ("delete", ""),
        "TotalFileOps": ("operations", ""),
    },
}
_DATANODE = {
    "DataNodeActivity": {
        "BytesWritten": ("bytes_written", "B"),
        "BytesRead": ("bytes_read", "B"),
        "RemoteBytesRead": ("bytes_read_remote", "B"),
        "BlocksWritten": ("blocks_written", ""),
        "BlocksRead": ("blocks_read", ""),
        "BlocksReplicated": ("blocks_copied", ""),
        "ReadBlockOpNumOps": ("read_operations", ""),
        "WriteBlockOpNumOps": ("write_operations", ""),
    }
}
_BLIND = {
    "namenode": "",
    "datanode": "work of a daemon after it was lost; on local nodes, which reads were remote",
}


_SOURCES = {
    f"hdfs.{kind}.{short}": Source(unit, f"{bean} {key}, JMX of the {kind}", _BLIND[kind])
    for kind, beans in (("namenode", _NAMENODE), ("datanode", _DATANODE))
    for bean, keys in beans.items()
    for key, (short, unit) in keys.items()
}


class HdfsProbe(Probe):
    """Requests each daemon's page every second; if a daemon does not answer, its last reading is kept."""

    name: ClassVar[str] = "hdfs"
    sources: ClassVar[Mapping[str, Source]] = _SOURCES

    def missing(self, layout: Layout) -> str | None:
        return None if _pages(layout) else "no storage of this run is HDFS"

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        last: dict[str, dict[str, float]] = {}
        bearers: dict[str, str] = {}
        try:
            with self.polled(layout, lambda: _read(layout, last, bearers), _SETTLED) as read:
                yield read
        finally:
            write_json(layout.record / "hdfs.json", last)


def _pages(layout: Layout) -> dict[str, tuple[str, Path | None]]:
    """By daemon: its page, and the file with the secret for the page's token."""
    return {
        name: (url, service.secret)
        for service in layout.services.values()
        for name, url in service.pages.items()
    }


def _read(layout: Layout, last: dict[str, dict[str, float]], bearers: dict[str, str]) -> list[Sample]:
    """Readings of all daemons that answer; updates `last`, and `bearers`: the token by page, while its daemon answers."""
    found = []
    nodes = {address: node for node in layout.all_nodes for address in node.addresses}
    for name, (url, secret) in _pages(layout).items():
        node = nodes[urlsplit(url).hostname or ""]
        if (counters := _ask(node, url, secret, bearers)) is not None:
            last[name] = counters
            now, kind = time.time(), name.partition("-")[0]
            found += [
                Sample(now, node.name, name, f"hdfs.{kind}.{key}", value) for key, value in counters.items()
            ]
    return found


def _ask(node: Node, url: str, secret: Path | None, bearers: dict[str, str]) -> dict[str, float] | None:
    try:
        if url not in bearers:
            bearers[url] = (
                access(node).bearer(url, secret.read_text(encoding="utf-8").strip()) if secret else ""
            )
        return counters(access(node).call(lambda: get(url, None, bearers[url])).json())
    except UNANSWERED:
        bearers.pop(url, None)  # the daemon may have ended, and somebody else may have its port next
        return None


def counters(answer: Any) -> dict[str, float]:
    """The counters of one daemon's page of beans."""
    wanted: Mapping[str, Mapping[str, tuple[str, str]]] = {**_NAMENODE, **_DATANODE}
    # a DataNode's bean ends with its host and port
    named = [(bean["name"].partition(",name=")[2].partition("-")[0], bean) for bean in answer["beans"]]
    return {
        short: float(bean[key])
        for name, bean in named
        for key, (short, _) in wanted.get(name, {}).items()
        if key in bean
    }
