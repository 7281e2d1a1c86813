"""What a calibration is recognized by: the hosts of nodes, their network, and the storages of directories."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import Nodes, everywhere, one_a_host
from weft.adapters.storage.base import Storage, layers
from weft.analysis.read.calibration import CalibratedHost
from weft.facts import filesystems
from weft.layout.node import Node

_FILES = {
    "name": Path("/proc/sys/kernel/hostname"),
    "kernel": Path("/proc/sys/kernel/osrelease"),
    "boot": Path("/proc/sys/kernel/random/boot_id"),
    "processors": Path("/proc/cpuinfo"),
    "memory": Path("/proc/meminfo"),
}
_MODEL = re.compile(r"^(?:model name|CPU part|cpu)\s*:\s*(.+)$", re.MULTILINE)
"""On x86, Arm and POWER."""
_NETWORK = ("kind", "rate", "fabric")
_PATHS = frozenset({"path", "seed"})
"""Keys of a storage that do not change how fast it is: the same file system can have many directories."""


def hosts(nodes: Sequence[Node]) -> list[CalibratedHost]:
    """The hosts of nodes, in order."""
    return everywhere(one_a_host(nodes), _host)


def _host(node: Node) -> CalibratedHost:
    given = access(node).give(list(_FILES.values()))
    texts = {name: given[path].decode(errors="replace") for name, path in _FILES.items()}
    model = _MODEL.search(texts["processors"])
    memory = re.search(r"MemTotal:\s*(\d+) kB", texts["memory"])
    return CalibratedHost(
        name=node.host or texts["name"].strip(),
        processor=model[1].strip() if model else "unknown",
        cores=max(1, len(re.findall(r"^processor\s*:", texts["processors"], re.MULTILINE))),
        memory=int(memory[1]) * 1024 if memory else 0,
        kernel=texts["kernel"].strip(),
        boot=texts["boot"].strip(),
    )


def network(nodes: Nodes) -> dict[str, str]:
    """What of the nodes' settings decides the network between them."""
    return {key: str(value) for key in _NETWORK if (value := getattr(nodes, key, None)) is not None}


def settings_of(storage: Storage) -> dict[str, Any]:
    """A storage's table without paths, and with what else decides how fast it is."""
    table: dict[str, Any] = json.loads(storage.model_dump_json())
    known = "+".join(filter(None, (layer.figures for layer in layers(storage))))
    return _pathless(table) | ({"figures": known} if known else {})


def _pathless(table: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _pathless(value) if isinstance(value, dict) else value
        for key, value in table.items()
        if key not in _PATHS
    }


def file_system(node: Node, path: str) -> str:
    """Type of the file system of a directory on a node, and its device if that is a name that remains the same."""
    done = access(node).run(["df", "--output=fstype,source", path], check=False)
    lines = done.out.splitlines()
    if done.code or len(lines) < 2:
        return ""
    kind, _, source = lines[1].strip().partition(" ")
    source = source.strip()
    lasting = (":" in source or source.startswith("/")) and not source.startswith("/dev/loop")
    return f"{kind} {source}" if lasting else kind


def backing(node: Node, storage: Storage, path: str) -> str:
    """The file system of a storage's directory, and, if a process serves it (FUSE), the one that keeps its files."""
    found, kept = file_system(node, path), storage.keeps("scratch")
    return f"{found} over {file_system(node, str(kept))}" if found.startswith("fuse") and kept else found


def shared(storage: Storage, on: str) -> bool:
    """Whether all hosts use one service of a storage that is on this file system: then more hosts do not do more."""
    return bool(layers(storage)[0].parallel) or filesystems.of(on.partition(" ")[0]).remote
