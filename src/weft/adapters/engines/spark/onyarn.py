"""Spark's executors in YARN containers: one per node, with space on each node for the ApplicationMaster."""

from weft.adapters.services.yarncluster import GRAIN, Containers
from weft.layout.node import fewest_cores
from weft.layout.plan import Layout

_MASTER_HEAP = 256 << 20
_MASTER_OVERHEAD = 192 << 20
"""Bytes of the container that requests the executors, while the driver is on the head node."""
_MASTER = _MASTER_HEAP + _MASTER_OVERHEAD
_SPARE = 1 << 30
"""Bytes of a node for YARN's daemons and the system."""


def room(layout: Layout, driver: int) -> int:
    """Bytes on a node for the heap of an executor; `driver` are the driver's on the head node."""
    least = _left(layout, driver)
    return min(least - (384 << 20), least * 10 // 11)


def _left(layout: Layout, driver: int) -> int:
    head = layout.head.memory - driver
    return min([head, *(node.memory for node in layout.nodes[1:])]) - _MASTER


def overhead(heap: int) -> int:
    """Bytes that an executor needs besides its heap, as computed by Spark."""
    return max(384 << 20, heap // 10)


def container(layout: Layout, heap: int, driver: int) -> int:
    """Bytes for an executor with such a heap: Python workers may have what is left of a node, as with Spark's own Master.

    YARN ends a container whose processes have more.
    """
    needed = -(-(heap + overhead(heap)) // GRAIN) * GRAIN
    return max(needed, (_left(layout, driver) - _SPARE) // GRAIN * GRAIN)


def containers(layout: Layout, heap: int, driver: int) -> Containers:
    """Such a container on each node."""
    return Containers(container(layout, heap, driver), _MASTER, 1, fewest_cores(layout.nodes))


def settings(layout: Layout, heap: int, driver: int) -> dict[str, str]:
    """The settings instead of those of Spark's own Master."""
    return {
        "spark.master": "yarn",
        "spark.executor.instances": str(len(layout.nodes)),
        "spark.executor.memoryOverhead": f"{(container(layout, heap, driver) - heap) >> 20}m",
        "spark.yarn.am.memory": f"{_MASTER_HEAP >> 20}m",
        "spark.yarn.am.memoryOverhead": f"{_MASTER_OVERHEAD >> 20}m",
        "spark.yarn.jars": f"local:{layout.homes['spark']}/jars/*",
        "spark.yarn.populateHadoopClasspath": "false",
        "spark.yarn.stagingDir": f"file://{layout.staging}",
        "spark.yarn.maxAppAttempts": "1",
        # the driver's login, and the services for which it gets tokens for the containers
        **{f"spark.kerberos.{key}": value for key, value in layout.properties("login").items()},
        "spark.kerberos.access.hadoopFileSystems": ",".join(layout.token_uris),
        "spark.yarn.scheduler.heartbeat.interval-ms": "200",
        "spark.yarn.report.interval": "200ms",
    }
