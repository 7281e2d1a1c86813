"""The settings of Hive and of Tez: where everything of theirs is, and what fits a container."""

from weft.adapters.services.mapreducejobs import MASTER, MASTER_HEAP, heap, mebibytes, sort_buffer
from weft.adapters.services.yarncluster import YarnCluster
from weft.layout.jvm import OPENS
from weft.layout.plan import Layout

_OPENED = "java.util.regex java.text java.time java.math"
FLAGS = (*OPENS, *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED.split()))
"""The packages of Java whose inside Hive reads, when it sends a plan to its tasks."""
_COUNTERS = "10000"
"""Hive counts each operator of a query; the default limit is 120."""


def hive_site(yarn: YarnCluster, engine: str) -> dict[str, str]:
    """hive-site.xml. The metastore is a database in the memory of the client; it listens to nobody."""
    layout, task = yarn.layout, yarn.containers.task
    shared, own = f"file://{layout.staging}/hive", layout.head.directory / "hive"
    return {
        "hive.execution.engine": engine,
        "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        # it is tried before there are tables, and reported as an error
        "hive.metastore.try.direct.sql": "false",
        "hive.metastore.event.db.notification.api.auth": "false",
        "hive.metastore.warehouse.dir": f"{shared}/warehouse",
        "hive.metastore.warehouse.external.dir": f"{shared}/warehouse",
        "hive.exec.scratchdir": f"{shared}/scratch",
        "hive.jar.directory": f"{shared}/jars",
        "hive.user.install.directory": f"{shared}/install",
        "hive.exec.local.scratchdir": f"{own}/scratch",
        "hive.downloaded.resources.dir": f"{own}/resources",
        "hive.querylog.location": f"{own}/log",
        "hive.session.history.enabled": "false",
        "hive.async.log.enabled": "false",
        # nobody else writes these tables
        "hive.support.concurrency": "false",
        "hive.txn.manager": "org.apache.hadoop.hive.ql.lockmgr.DummyTxnManager",
        "hive.stats.autogather": "false",
        # as Spark, Flink and DuckDB's answers have them
        "hive.default.nulls.last": "false",
        "mapreduce.input.fileinputformat.input.dir.recursive": "true",
        # Hive's own advice: the tables of a join in memory take a third of a task's
        "hive.auto.convert.join.noconditionaltask.size": str(heap(task) // 3),
        # there is no bin/hadoop, which would start a JVM for the small table of a join
        "hive.exec.submit.local.task.via.child": "false",
        "hive.tez.container.size": mebibytes(task),
        "hive.tez.java.opts": _java(heap(task)),
        "mapreduce.job.counters.max": _COUNTERS,
    }


def tez_site(yarn: YarnCluster) -> dict[str, str]:
    """tez-site.xml. Its jars are on every node already."""
    layout, task = yarn.layout, yarn.containers.task
    history = {
        "tez.history.logging.service.class": "org.apache.tez.dag.history.logging.impl.SimpleHistoryLoggingService",
        "tez.simple.history.logging.dir": f"file://{layout.record}/engine",
    }
    return {
        "tez.ignore.lib.uris": "true",
        "tez.use.cluster.hadoop-libs": "true",
        "tez.cluster.additional.classpath.prefix": jars(layout),
        "tez.staging-dir": f"file://{layout.staging}/tez",
        "tez.am.resource.memory.mb": mebibytes(MASTER),
        "tez.am.launch.cmd-opts": f"{_java(MASTER_HEAP)} -XX:TieredStopAtLevel=1",
        "tez.task.resource.memory.mb": mebibytes(task),
        "tez.runtime.io.sort.mb": mebibytes(sort_buffer(task)),
        "tez.runtime.unordered.output.buffer.size-mb": mebibytes(heap(task) // 10),
        # it would listen on all addresses
        "tez.am.tez-ui.webservice.enable": "false",
        # the history is complete when the client has ended
        "tez.client.asynchronous-stop": "false",
        "tez.am.sleep.time.before.exit.millis": "0",
        # the default of a second is for large clusters; here every second of waiting is measured
        "tez.am.am-rm.heartbeat.interval-ms.max": "100",
        "tez.counters.max": _COUNTERS,
        "tez.counters.max.groups": _COUNTERS,
        # as MapReduce: for whom a job gets tokens for its containers
        **({"tez.job.fs-servers": ",".join(layout.token_uris)} if layout.token_uris else {}),
        **(history if layout.metrics else {}),
    }


def jars(layout: Layout) -> str:
    """The class path of Hive and Tez, and of weft's own programs for them."""
    return ":".join([str(layout.jars["hive"]), f"{layout.homes['hive']}/lib/*", *layout.service_jars("hive")])


def _java(size: int) -> str:
    """Options of a JVM in a container with so many bytes of heap."""
    return " ".join([f"-Xmx{mebibytes(size)}m", "-XX:+UseSerialGC", *FLAGS])
