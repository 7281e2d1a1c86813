"""Spark's executors in YARN containers: one per node, with space on each node for the ApplicationMaster."""

from weft.adapters.services.yarncluster import GRAIN, Containers
from weft.layout.node import fewest_cores
from weft.layout.plan import Layout

_MASTER_HEAP = 256 << 20
_MASTER_OVERHEAD = 192 << 20
"""Bytes of the container that requests the executors, while the driver is on the head node."""
_MASTER = _MASTER_HEAP + _MASTER_OVERHEAD


def room(layout: Layout, driver: int) -> int:
    """Bytes on a node for the heap of an executor; `driver` are the driver's on the head node."""
    head = layout.head.memory - driver
    least = min([head, *(node.memory for node in layout.nodes[1:])]) - _MASTER
    return min(least - (384 << 20), least * 10 // 11)


def overhead(heap: int) -> int:
    """Bytes of an executor's container besides its heap, as computed by Spark."""
    return max(384 << 20, heap // 10)


def containers(layout: Layout, heap: int) -> Containers:
    """A container of this heap on each node."""
    task = -(-(heap + overhead(heap)) // GRAIN) * GRAIN
    return Containers(task, _MASTER, 1, fewest_cores(layout.nodes))


def settings(layout: Layout, heap: int) -> dict[str, str]:
    """The settings instead of those of Spark's own Master."""
    return {
        "spark.master": "yarn",
        "spark.executor.instances": str(len(layout.nodes)),
        "spark.executor.memoryOverhead": f"{overhead(heap) >> 20}m",
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
