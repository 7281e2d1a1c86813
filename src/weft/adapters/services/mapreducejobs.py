"""MapReduce jobs on YARN, by whichever engine: their settings, the sizes of their containers, the JobHistoryServer."""

from collections.abc import Mapping

from weft.adapters.services.yarncluster import YarnCluster
from weft.facts.engines.hadoop import SLOTS
from weft.layout.plan import Daemon, Page, Ready

SHUFFLE: Mapping[str, str] = {"mapreduce_shuffle": "org.apache.hadoop.mapred.ShuffleHandler"}
"""The auxiliary service that serves map output."""
HISTORY = 192 << 20
"""Bytes of heap of the JobHistoryServer."""
MASTER = 448 << 20
"""Bytes of the container of a job's ApplicationMaster, of which MASTER_HEAP are heap."""
MASTER_HEAP = 256 << 20
LEAST = 512 << 20
"""Bytes: a smaller task container has no space for a sort buffer besides the JVM."""
MOST = 2 << 30
"""Bytes: the maximum task container unless a larger one is requested."""


SIZES = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
"""Settings of the containers of tasks."""


def history(yarn: YarnCluster) -> Daemon:
    """The JobHistoryServer, on the head node."""
    first, web = yarn.ports.first, yarn.ports.web
    main = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"
    ports = (first + 20, first + 21, web + 2)
    return yarn.daemon(_name(yarn), yarn.layout.head, main, HISTORY, ports, essential=True)


def ready(yarn: YarnCluster) -> Ready:
    """When the JobHistoryServer is ready."""
    head, name = yarn.layout.head, _name(yarn)
    page = Page(head, f"http://{head.address}:{yarn.ports.web + 2}/ws/v1/history/info", signed=yarn.closed)
    return Ready(page, lambda answer: [] if answer["historyInfo"] else [name], of=name)


def _name(yarn: YarnCluster) -> str:
    return yarn.layout.named("jobhistory")


def settings(yarn: YarnCluster, *, flags: str = "", encrypt: bool = False) -> dict[str, str]:
    """mapred-site.xml. `flags`: of the JVMs of tasks and ApplicationMasters, besides their sizes."""
    layout, task = yarn.layout, yarn.containers.task
    head, engine = layout.head.address, f"file://{layout.record}/engine"
    first, web = yarn.ports.first, yarn.ports.web
    own = f" {flags}" if flags else ""
    tasks = {
        f"mapreduce.{kind}.{key}": value
        for kind in ("map", "reduce")
        for key, value in {
            "memory.mb": mebibytes(task),
            "java.opts": f"-Xmx{mebibytes(heap(task))}m -XX:+UseSerialGC{own}",
            "speculative": "false",
        }.items()
    }
    return {
        "mapreduce.framework.name": "yarn",
        **layout.properties("mapred-site"),
        # for whom a job gets tokens for its containers
        "mapreduce.job.hdfs-servers": ",".join(layout.token_uris),
        "mapreduce.application.classpath": yarn.classes,
        "mapreduce.cluster.acls.enabled": str(layout.secured).lower(),
        "mapreduce.job.encrypted-intermediate-data": str(encrypt).lower(),
        "mapreduce.jobhistory.address": f"{head}:{first + 20}",
        "mapreduce.jobhistory.admin.address": f"{head}:{first + 21}",
        "mapreduce.jobhistory.webapp.address": f"{head}:{web + 2}",
        "mapreduce.jobhistory.intermediate-done-dir": f"{engine}/new",
        "mapreduce.jobhistory.jhist.format": "json",
        "mapreduce.jobhistory.done-dir": f"{engine}/done",
        # the record keeps it; the server would remove what is older than a week
        "mapreduce.jobhistory.cleaner.enable": "false",
        # the service that serves map output binds all addresses; a free port separates nodes of one machine
        "mapreduce.shuffle.port": "0",
        "mapreduce.task.io.sort.mb": mebibytes(sort_buffer(task)),
        "mapreduce.job.ubertask.enable": "false",
        "mapreduce.job.reduce.slowstart.completedmaps": "0.9",
        "mapreduce.client.completion.pollinterval": "100",
        "mapreduce.client.progressmonitor.pollinterval": "100",
        "yarn.app.mapreduce.am.staging-dir": f"file://{layout.staging}",
        "yarn.app.mapreduce.am.resource.mb": mebibytes(MASTER),
        "yarn.app.mapreduce.am.command-opts": f"-Xmx{mebibytes(MASTER_HEAP)}m -XX:+UseSerialGC -XX:TieredStopAtLevel=1{own}",
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "100",
        # for who reads the history: a job may ask for larger containers itself
        SLOTS: str(yarn.containers.each),
        **tasks,
    }


def heap(container: int) -> int:
    """Bytes of heap in a task container: the JVM uses the rest."""
    return container - max(160 << 20, container // 5)


def sort_buffer(container: int) -> int:
    """Bytes of the sort buffer of a map task."""
    return min(1 << 30, heap(container) * 4 // 10)


def mebibytes(size: int) -> str:
    """Whole MiB, as Hadoop's settings have them."""
    return str(size >> 20)
