"""Hadoop MapReduce on YARN: a ResourceManager and a JobHistoryServer on the head node, a NodeManager on every node."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.adapters.services import mapreducejobs as jobs
from weft.adapters.services.hadoop import configuration
from weft.adapters.services.yarn import OnYarnAlone
from weft.adapters.services.yarncluster import OVERHEAD, Containers, YarnCluster, divide
from weft.errors import UsageError
from weft.host import mainclass
from weft.layout.client import Client
from weft.layout.job import Dependencies, Job
from weft.layout.jvm import archived
from weft.layout.plan import Command, Layout, Plan
from weft.record.derived import Derived
from weft.text.arguments import assign, repeat
from weft.text.executes import Home, Settings
from weft.text.fields import LEAST_HEAP, Size

_COMMANDS = {
    "jar": "org.apache.hadoop.util.RunJar",
    "fs": "org.apache.hadoop.fs.FsShell",
    "job": "org.apache.hadoop.mapred.JobClient",
    "application": "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
    # programs that call hadoop, such as mrjob, ask it for its version first
    "version": "org.apache.hadoop.util.VersionInfo",
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


class HadoopEngine(OnYarnAlone, Engine):
    """A Hadoop cluster that runs MapReduce jobs."""

    kind: Literal["hadoop"] = "hadoop"
    programs: ClassVar[tuple[str, ...]] = (".jar",)
    instead: ClassVar[Mapping[str, str]] = {
        ".py": "the jar of Hadoop streaming runs mappers and reducers in Python: submit that jar"
    }
    distributions: ClassVar[tuple[str, ...]] = ("hadoop",)
    login_name: ClassVar[bool] = True
    auxiliary: ClassVar[Mapping[str, str]] = jobs.SHUFFLE

    home: Home = Field(default=None, description="a site's own Hadoop; default: the cached distribution")
    task_memory: Size | None = Field(
        default=None,
        description="container of a map or reduce task; default: 60 % of the node's remaining memory, divided by cores, at most 2 GiB",
    )
    client_memory: Size = Field(
        default=384 << 20, ge=LEAST_HEAP, description="heap of the program that submits the job"
    )
    encrypt: bool = Field(default=False, description="encrypt network traffic, and the map output on disk")
    conf: Settings = Field(
        default_factory=dict, description="any property of Hadoop's site files; overrides weft"
    )

    def recognize(self, home: Path) -> None:
        if not any(list(home.glob(f"{lib}/hadoop-common-3.*.jar")) for lib in ("share/hadoop/common", "lib")):
            raise UsageError(
                f"{home} is not a Hadoop 3 installation: it has no share/hadoop/common/hadoop-common-3.*.jar",
                hint="set engine.home or HADOOP_HOME to the directory with bin/ and share/, or unset it",
            )

    def containers(self, layout: Layout) -> Containers:
        """The containers of each node. Raises UsageError if a task does not fit."""
        reserved = jobs.HISTORY + self.client_memory + 2 * OVERHEAD
        return divide(
            layout, reserved, self.task_memory, master=jobs.MASTER, least=jobs.LEAST, most=jobs.MOST
        )

    @property
    def encrypted(self) -> bool:
        return self.encrypt

    def plan(self, layout: Layout) -> Plan:
        yarn, conf = self._yarn(layout), self.site_settings(layout)
        derived = Derived(
            counts={"nodemanagers, one per node": len(layout.nodes)},
            slots=len(layout.nodes) * yarn.containers.at_once(conf.get(key, "") for key in jobs.SIZES),
            sizes={
                "task container": yarn.containers.task,
                "task heap": jobs.heap(yarn.containers.task),
                "sort buffer": jobs.sort_buffer(yarn.containers.task),
                "job master's container": jobs.MASTER,
                "client heap": self.client_memory,
            },
        )
        path, settings = yarn.conf / "mapred-site.xml", jobs.settings(yarn, encrypt=self.encrypt)
        files = {
            path: yarn.site("mapred-site", settings, conf),
            _own_settings(yarn) / path.name: yarn.site(
                "mapred-site", {**settings, **_archive_settings(yarn)}, conf
            ),
        }
        ready, applications = (jobs.ready(yarn),), (yarn.applications(),)
        return Plan(files, [jobs.history(yarn)], ready, {self.kind: derived}, applications=applications)

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind, "main_class", "jars", "files", "conf")
        yarn = self._yarn(layout)
        secret = job.dependencies.secret
        files = {_own_settings(yarn) / "job.xml": configuration(secret)} if secret else {}
        own = "" if job.program.endswith(".jar") else f"{_own_settings(yarn)}:{yarn.conf}"
        java = yarn.java(self.client_memory, "-XX:+UseSerialGC", settings=own)
        if job.program.endswith(".jar"):
            named = _main(job.program, job.dependencies.main_class)
            dependencies = [*named, *_job_options(job.dependencies, files)]
            arguments = [_COMMANDS["jar"], job.program, *dependencies, *job.options]
        else:
            arguments = [f"io.weft.hadoop.{job.program}", *job.options]
        environment = yarn.environment(layout.head)
        return job.command(
            "client", layout.head, [*java, *arguments, *job.arguments], environment, files=files
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

    def site_settings(self, layout: Layout) -> Mapping[str, str]:
        return {**layout.properties(self.kind), **self.conf}


def _own_settings(yarn: YarnCluster) -> Path:
    """The folder of settings that only weft's own programs read."""
    return yarn.conf / "own"


def _archive_settings(yarn: YarnCluster) -> dict[str, str]:
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


def _main(program: str, asked: str) -> list[str]:
    """The argument with which RunJar starts a class of a jar: it takes none where the manifest names one. Raises UsageError for another."""
    has = mainclass.of(Path(program)) if asked else ""
    if has and has != asked:
        raise UsageError(
            f"{program} names {has} as its main class, and `hadoop jar` starts no other, so not {asked}",
            hint="omit --class, or use a jar whose manifest has no Main-Class",
        )
    return [asked] if asked and not has else []


def _job_options(dependencies: Dependencies, files: Iterable[Path]) -> list[str]:
    """The dependencies of a job, as generic options of Hadoop's Tool."""
    arguments = [*repeat("-conf", files), *assign("-D", dependencies.shown)]
    listed = {"-libjars": dependencies.jars, "-files": dependencies.files}
    return arguments + [word for flag, paths in listed.items() if paths for word in (flag, ",".join(paths))]
