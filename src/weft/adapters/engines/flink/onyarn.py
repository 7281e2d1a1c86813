"""A Flink session in YARN containers: its JobManager on any node, a TaskManager on each, started at once."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from weft.adapters.engines.flink.taskmanager import TaskManagerMemory
from weft.adapters.services.hadoop import jars
from weft.adapters.services.yarncluster import GRAIN, OVERHEAD, Containers
from weft.errors import UsageError
from weft.layout.node import Node, fewest_cores
from weft.layout.plan import Layout
from weft.text.units import show_size

CLIENT_HEAP = 128 << 20
"""Bytes of heap of the program that requests the session from YARN, and ends it when it is stopped."""
_JOBMANAGER = {"off-heap.size": 128 << 20, "jvm-metaspace.size": 192 << 20, "jvm-overhead": 192 << 20}
"""Bytes of a JobManager's process besides its heap."""

SESSION = "org.apache.flink.yarn.cli.FlinkYarnSessionCli"


def master(heap: int) -> int:
    """Bytes of the container of a JobManager with this heap."""
    return -(-(heap + sum(_JOBMANAGER.values())) // GRAIN) * GRAIN


def room(layout: Layout, jobmanager_heap: int, client: int) -> int:
    """Bytes on a node for a TaskManager; `client` are the job client's on the head node."""
    head = layout.head.memory - client - CLIENT_HEAP - OVERHEAD
    least = min([head, *(node.memory for node in layout.nodes[1:])]) - master(jobmanager_heap)
    return max(0, least // GRAIN * GRAIN)


def containers(layout: Layout, memory: TaskManagerMemory, jobmanager_heap: int) -> Containers:
    """One container per node for a TaskManager. Raises UsageError if two could be on one node."""
    task, first = -(-memory.process // GRAIN) * GRAIN, master(jobmanager_heap)
    if task <= first:
        raise UsageError(
            f"flink: a TaskManager of {show_size(task)} is no larger than the JobManager's container of"
            f" {show_size(first)}, so that YARN could put two on a node",
            hint="use fewer nodes or cores, give nodes more memory, or lower engine.jobmanager_memory",
        )
    return Containers(task, first, 1, fewest_cores(layout.nodes))


def settings(
    layout: Layout, memory: TaskManagerMemory, jobmanager_heap: int, opened: Sequence[str], slots: int
) -> dict[str, str]:
    """The settings instead of the addresses of a standalone session; `opened` are flags of every JVM, `slots` those of all nodes."""
    directory, login = layout.directory / "yarn", layout.properties("login")
    # it is on every node already
    keytab = {
        "yarn.security.kerberos.ship-local-keytab": "false",
        "yarn.security.kerberos.localized-keytab-path": login.get("keytab", ""),
    }
    jobmanager = {
        "heap.size": jobmanager_heap,
        "off-heap.size": _JOBMANAGER["off-heap.size"],
        "jvm-metaspace.size": _JOBMANAGER["jvm-metaspace.size"],
        "jvm-overhead.min": _JOBMANAGER["jvm-overhead"],
        "jvm-overhead.max": _JOBMANAGER["jvm-overhead"],
    }
    return {
        "rest.bind-port": "0",
        "env.java.opts.all": " ".join(opened),
        **{f"jobmanager.memory.{key}": f"{size >> 20}m" for key, size in jobmanager.items()},
        **memory.options(),
        "taskmanager.numberOfTaskSlots": str(slots // len(layout.nodes)),
        # all TaskManagers from beginning to end, as in a standalone session
        "slotmanager.number-of-slots.min": str(slots),
        "slotmanager.number-of-slots.max": str(slots),
        "yarn.application.name": "weft",
        "yarn.application-attempts": "1",
        "yarn.heartbeat.container-request-interval": "100ms",
        "yarn.properties-file.location": str(directory),
        "yarn.staging-directory": f"file://{layout.staging}",
        # the distribution is on every node already: only weft's own small jar is sent
        "yarn.flink-dist-jar": str(layout.jars["flink"]),
        # otherwise the ResourceManager does not report the JobManager's address to users without a name
        "yarn.view.acls": "dr.who",
        **(keytab if login else {}),
    }


def hadoop_settings(layout: Layout) -> dict[str, str]:
    """YARN's setting for the class path of its containers."""
    return {"yarn.application.classpath": ",".join(classes(layout))}


def classes(layout: Layout) -> list[str]:
    """Class path of every process; in a container, its own directory comes first."""
    return [
        f"{layout.homes['flink']}/lib/*",
        *jars(layout.homes["hadoop"]),
        *layout.service_jars("flink"),
        str(layout.directory / "conf"),
    ]


def applications(layout: Layout, web_port: int) -> str:
    """The ResourceManager's page with the address of the JobManager."""
    return f"http://{layout.head.address}:{web_port}/ws/v1/cluster/apps?states=RUNNING"


def interface(answer: Any, nodes: Sequence[Node]) -> str:
    """Address and port of the JobManager's REST interface, by its node's address. Raises KeyError if it does not run yet."""
    running = [app["amRPCAddress"] for app in (answer["apps"] or {}).get("app", []) if "amRPCAddress" in app]
    if not running:
        raise KeyError("no application runs")
    found = urlsplit(f"//{running[0]}")
    host = found.hostname or ""
    address = next((node.address for node in nodes if host in {node.name, node.address}), host)
    return f"{address}:{found.port}"


def missing(known: Mapping[str, Any], nodes: Sequence[Node]) -> list[str]:
    """NodeManagers without a TaskManager in the JobManager's list."""
    if len(known["taskmanagers"]) >= len(nodes):
        return []
    hosts = {urlsplit(manager["path"]).hostname for manager in known["taskmanagers"]}
    return [f"nodemanager-{node.name}" for node in nodes if not {node.name, node.address} & hosts]
