"""Hadoop MapReduce on YARN: a ResourceManager and a JobHistoryServer on the head node, a NodeManager on every node."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.engines.base import Engine
from weft.errors import UsageError
from weft.layout.jvm import archived
from weft.layout.plan import Client, Command, Daemon, Dependencies, Job, Layout, Page, Plan, Ready
from weft.services.base import Service
from weft.services.yarn import Tenant, Yarn
from weft.services.yarncluster import OVERHEAD, Containers, YarnCluster, cut
from weft.text.fields import LEAST_HEAP, Size
from weft.text.units import show_size

_HISTORY = 192 << 20
"""Bytes of heap of the JobHistoryServer."""
_MASTER = 448 << 20
"""Bytes of the container of a job's ApplicationMaster, of which _MASTER_HEAP are heap."""
_MASTER_HEAP = 256 << 20
_LEAST = 512 << 20
"""Bytes: a smaller task container has no space for a sort buffer besides the JVM."""
_MOST = 2 << 30
"""Bytes: the maximum task container unless a larger one is requested."""

_COMMANDS = {
    "jar": "org.apache.hadoop.util.RunJar",
    "fs": "org.apache.hadoop.fs.FsShell",
    "job": "org.apache.hadoop.mapred.JobClient",
    "application": "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
}
"""Commands of Hadoop's own `hadoop`, `mapred` and `yarn`, and their main classes."""
_HADOOP = """#!/bin/sh
# replaces bin/hadoop, bin/mapred and bin/yarn, which a distribution of jars does not contain
case $1 in
{cases}*) echo "usage: ${{0##*/}} COMMAND, one of: {known}" >&2; exit 2 ;;
esac
shift
exec {java} "$main" "$@"
"""


class HadoopEngine(Engine, Tenant):
    """A Hadoop cluster that runs MapReduce jobs."""

    kind: Literal["hadoop"] = "hadoop"
    programs: ClassVar[tuple[str, ...]] = (".jar",)
    distributions: ClassVar[tuple[str, ...]] = ("hadoop",)
    auxiliary: ClassVar[Mapping[str, str]] = {"mapreduce_shuffle": "org.apache.hadoop.mapred.ShuffleHandler"}

    home: Path | None = Field(
        default=None, description="a site's own Hadoop; default: the cached distribution"
    )
    task_memory: Size | None = Field(
        default=None,
        description="container of a map or reduce task; default: 60 % of the node's remaining memory, divided by cores",
    )
    client_memory: Size = Field(
        default=384 << 20, ge=LEAST_HEAP, description="heap of the program that submits the job"
    )
    encrypt: bool = Field(default=False, description="encrypt network traffic, and the map output on disk")
    port: int = Field(default=6030, ge=1024, le=65500, description="first of the ports of the daemons")
    web_port: int = Field(
        default=6088, ge=1024, le=65500, description="first of the ports of their status pages"
    )
    pages: Literal["closed", "open"] = Field(
        default="closed",
        description="closed: status pages require a token signed with the secret; open: everybody who can reach them can read them",
    )
    conf: dict[str, str] = Field(
        default_factory=dict, description="any property of Hadoop's site files; overrides weft"
    )

    def recognize(self, home: Path) -> None:
        found = [
            *home.glob("share/hadoop/common/hadoop-common-3.*.jar"),
            *home.glob("lib/hadoop-common-3.*.jar"),
        ]
        if not found:
            raise UsageError(
                f"{home} is not a Hadoop 3 installation: it has no share/hadoop/common/hadoop-common-3.*.jar",
                hint="set engine.home or HADOOP_HOME to the directory with bin/ and share/, or unset it",
            )

    def containers(self, layout: Layout) -> Containers:
        """The containers of each node. Raises UsageError if a task does not fit."""
        beside = _HISTORY + self.client_memory + 2 * OVERHEAD
        return cut(layout, beside, self.task_memory, master=_MASTER, least=_LEAST, most=_MOST)

    @property
    def encrypted(self) -> bool:
        return self.encrypt

    def plan(self, layout: Layout) -> Plan:
        yarn, history = self._yarn(layout), self._history(layout)
        info = f"http://{layout.head.address}:{self.web_port + 2}/ws/v1/history/info"
        summary = {
            "nodemanagers": f"{len(layout.nodes)}, one per node",
            "slots": str(len(layout.nodes) * yarn.containers.each),
            "task container": show_size(yarn.containers.task),
            "task heap": show_size(_heap(yarn.containers.task)),
            "sort buffer": show_size(_sort_buffer(yarn.containers.task)),
            "job master's container": show_size(_MASTER),
            "client heap": show_size(self.client_memory),
        }
        page = Page(layout.head, info, signed=yarn.closed)
        ready = (Ready(page, lambda answer: [] if answer["historyInfo"] else [history.name]),)
        path, settings = yarn.conf / "mapred-site.xml", self._mapred_site(yarn)
        files = {
            path: yarn.site("mapred-site", settings, self.conf),
            _own(yarn) / path.name: yarn.site("mapred-site", {**settings, **_fixed(yarn)}, self.conf),
        }
        return Plan(files, [history], ready, summary, applications=(yarn.applications(),))

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind, "main_class", "jars", "files", "conf")
        yarn = self._yarn(layout)
        own = "" if job.program.endswith(".jar") else f"{_own(yarn)}:{yarn.conf}"
        java = yarn.java(self.client_memory, "-XX:+UseSerialGC", settings=own)
        if job.program.endswith(".jar"):
            arguments = [
                "org.apache.hadoop.util.RunJar",
                job.program,
                *_words(job.dependencies),
                *job.options,
            ]
        else:
            arguments = [f"io.weft.hadoop.{job.program}", *job.options]
        environment = yarn.environment(layout.head)
        return Command(
            "client",
            layout.head,
            [*java, *arguments, *job.arguments],
            environment,
            job.outcome,
            job.directory,
            job.output,
        )

    def client(self, layout: Layout) -> Client:
        yarn, programs = self._yarn(layout), layout.directory / "bin"
        java = shlex.join(yarn.java(self.client_memory, "-XX:+UseSerialGC"))
        cases = "".join(f"{word}) main={main} ;;\n" for word, main in _COMMANDS.items())
        program = _HADOOP.format(cases=cases, known=" ".join(_COMMANDS), java=java)
        return Client(
            environment=yarn.environment(layout.head),
            search={"PATH": [str(programs), str(layout.java.parent)]},
            programs=dict.fromkeys([programs / name for name in ("hadoop", "mapred", "yarn")], program),
            address=f"{layout.head.address}:{self.port}",
            page=f"http://{layout.head.address}:{self.web_port}",
            settings=yarn.conf / "core-site.xml",
        )

    def services(self) -> Sequence[Service]:
        return [self._service()]

    def _service(self) -> Yarn:
        return Yarn(tenant=self, port=self.port, web_port=self.web_port, pages=self.pages)

    def _yarn(self, layout: Layout) -> YarnCluster:
        return self._service().cluster(layout, self.containers(layout))

    def _history(self, layout: Layout) -> Daemon:
        ports = (self.port + 20, self.port + 21, self.web_port + 2)
        main = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"
        return self._yarn(layout).daemon("jobhistory", layout.head, main, _HISTORY, ports, essential=True)

    def site_settings(self, layout: Layout) -> Mapping[str, str]:  # noqa: ARG002
        return self.conf

    def _mapred_site(self, yarn: YarnCluster) -> dict[str, str]:
        layout, task = yarn.layout, yarn.containers.task
        head, engine = layout.head.address, f"file://{layout.record}/engine"
        tasks = {
            f"mapreduce.{kind}.{key}": value
            for kind in ("map", "reduce")
            for key, value in {
                "memory.mb": _mebibytes(task),
                "java.opts": f"-Xmx{_mebibytes(_heap(task))}m -XX:+UseSerialGC",
                "speculative": "false",
            }.items()
        }
        return {
            "mapreduce.framework.name": "yarn",
            **layout.properties("mapred-site"),
            # for whom a job gets tokens for its containers
            "mapreduce.job.hdfs-servers": ",".join(layout.uris),
            "mapreduce.application.classpath": yarn.classes,
            "mapreduce.cluster.acls.enabled": str(layout.secured).lower(),
            "mapreduce.job.encrypted-intermediate-data": str(self.encrypt).lower(),
            "mapreduce.jobhistory.address": f"{head}:{self.port + 20}",
            "mapreduce.jobhistory.admin.address": f"{head}:{self.port + 21}",
            "mapreduce.jobhistory.webapp.address": f"{head}:{self.web_port + 2}",
            "mapreduce.jobhistory.intermediate-done-dir": f"{engine}/new",
            "mapreduce.jobhistory.jhist.format": "json",
            "mapreduce.jobhistory.done-dir": f"{engine}/done",
            # the service that serves map output binds all addresses; a free port separates nodes of one machine
            "mapreduce.shuffle.port": "0",
            "mapreduce.task.io.sort.mb": _mebibytes(_sort_buffer(task)),
            "mapreduce.job.ubertask.enable": "false",
            "mapreduce.job.reduce.slowstart.completedmaps": "0.9",
            "mapreduce.client.completion.pollinterval": "100",
            "mapreduce.client.progressmonitor.pollinterval": "100",
            "yarn.app.mapreduce.am.staging-dir": f"file://{layout.staging}",
            "yarn.app.mapreduce.am.resource.mb": _mebibytes(_MASTER),
            "yarn.app.mapreduce.am.command-opts": f"-Xmx{_mebibytes(_MASTER_HEAP)}m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "100",
            **tasks,
        }


def _own(yarn: YarnCluster) -> Path:
    """The folder of settings that only weft's own programs read."""
    return yarn.conf / "own"


def _fixed(yarn: YarnCluster) -> dict[str, str]:
    """Settings for jobs whose containers need no other classes, so that they match the archive.

    Options after Hadoop's own, which equal its defaults here; the class path overrides the one in CLASSPATH.
    """
    arguments = " ".join([*archived(yarn.layout.classes.get("hadoop")), "-cp", yarn.classes])
    tasks = f"-Djava.net.preferIPv4Stack=true -Dhadoop.metrics.log.level=WARN {arguments}"
    return {
        "yarn.app.mapreduce.am.admin-command-opts": arguments,
        "mapreduce.admin.map.child.java.opts": tasks,
        "mapreduce.admin.reduce.child.java.opts": tasks,
    }


def _words(dependencies: Dependencies) -> list[str]:
    """The dependencies of a job, as generic options of Hadoop's Tool."""
    arguments = [dependencies.main_class] if dependencies.main_class else []
    arguments += [word for key, value in dependencies.conf.items() for word in ("-D", f"{key}={value}")]
    listed = {"-libjars": dependencies.jars, "-files": dependencies.files}
    return arguments + [word for flag, paths in listed.items() if paths for word in (flag, ",".join(paths))]


def _heap(container: int) -> int:
    """Bytes of heap in a task container: the JVM uses the rest."""
    return container - max(160 << 20, container // 5)


def _sort_buffer(container: int) -> int:
    """Bytes of the sort buffer of a map task."""
    return min(1 << 30, _heap(container) * 4 // 10)


def _mebibytes(size: int) -> str:
    return str(size >> 20)
