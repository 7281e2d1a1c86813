"""Hive on YARN, as a client with its own metastore: queries by Tez or by MapReduce."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.adapters.engines.hive import settings
from weft.adapters.services import mapreducejobs as jobs
from weft.adapters.services.hadoop import configuration
from weft.adapters.services.yarn import OnYarnAlone
from weft.adapters.services.yarncluster import OVERHEAD, Containers, divide
from weft.errors import UsageError
from weft.layout.job import Job
from weft.layout.jvm import heap
from weft.layout.plan import Command, Layout, Plan
from weft.record.derived import Derived
from weft.text.executes import Home, Settings
from weft.text.fields import LEAST_HEAP, Size


class HiveEngine(OnYarnAlone, Engine):
    """Hive's client, which compiles a query and runs it in YARN containers."""

    kind: Literal["hive"] = "hive"
    positional: ClassVar[str] = "on"
    prefix: ClassVar[str] = "hive"
    distributions: ClassVar[tuple[str, ...]] = ("hive", "hadoop")
    login_name: ClassVar[bool] = True
    auxiliary: ClassVar[Mapping[str, str]] = jobs.SHUFFLE

    home: Home = Field(
        default=None,
        description="a site's own Hive 4, with Tez in its lib/; default: the cached distribution",
    )
    on: Literal["tez", "mr"] = Field(
        default="tez", description="what runs the queries: Tez, or Hadoop's MapReduce"
    )
    task_memory: Size | None = Field(
        default=None,
        description="container of a task; default: 60 % of the node's remaining memory, divided by cores, at most 2 GiB",
    )
    client_memory: Size = Field(
        default=768 << 20,
        ge=LEAST_HEAP,
        description="heap of the client, which compiles queries and has the metastore",
    )
    conf: Settings = Field(
        default_factory=dict, description="any property of Hive, Tez or Hadoop; overrides weft"
    )

    @property
    def label(self) -> str:
        return f"{self.kind} on {'Tez' if self.on == 'tez' else 'MapReduce'}"

    def recognize(self, home: Path) -> None:
        for jar in ("hive-exec-4.*.jar", "tez-dag-*.jar"):
            if not list(home.glob(f"lib/{jar}")):
                raise UsageError(
                    f"{home} is not an installation of Hive 4 with Tez: it has no lib/{jar}",
                    hint="set engine.home or HIVE_HOME to a directory with both in lib/, or unset it",
                )

    def containers(self, layout: Layout) -> Containers:
        """The containers of each node. Raises UsageError if a task does not fit."""
        reserved = self.client_memory + OVERHEAD
        if self.on == "mr":
            reserved += jobs.HISTORY + OVERHEAD
        return divide(
            layout, reserved, self.task_memory, master=jobs.MASTER, least=jobs.LEAST, most=jobs.MOST
        )

    def plan(self, layout: Layout) -> Plan:
        yarn = self._yarn(layout)
        sizes = {
            "task container": yarn.containers.task,
            "task heap": jobs.heap(yarn.containers.task),
            "master's container": jobs.MASTER,
            "client heap": self.client_memory,
        }
        sized = ("hive.tez.container.size",) if self.on == "tez" else jobs.SIZES
        derived = Derived(
            counts={"nodemanagers, one per node": len(layout.nodes)},
            slots=len(layout.nodes)
            * yarn.containers.at_once(self._all(layout).get(key, "") for key in sized),
            sizes=sizes,
            notes={"queries run on": "Tez" if self.on == "tez" else "MapReduce"},
        )
        mapreduce = jobs.settings(yarn, flags=" ".join(settings.FLAGS))
        mapreduce["mapreduce.application.classpath"] = f"{yarn.classes}:{settings.jars(layout)}"
        conf, hive = _conf(layout), settings.hive_site(yarn, self.on)
        files = {
            yarn.conf / "mapred-site.xml": yarn.site("mapred-site", mapreduce, self.site_settings(layout)),
            conf / "hive-site.xml": configuration(
                {**hive, **self._own(layout, "hive.", "javax.", "datanucleus.")}
            ),
            conf / "tez-site.xml": configuration({**settings.tez_site(yarn), **self._own(layout, "tez.")}),
        }
        daemons, ready = ([jobs.history(yarn)], [jobs.ready(yarn)]) if self.on == "mr" else ([], [])
        return Plan(files, daemons, ready, {self.kind: derived}, applications=(yarn.applications(),))

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind, "conf")
        yarn = self._yarn(layout)
        classes = f"{_conf(layout)}:{settings.jars(layout)}:{yarn.classes}"
        java = [str(layout.java), heap(self.client_memory), "-XX:+UseSerialGC", *settings.FLAGS]
        java += ["-Djava.net.preferIPv4Stack=true", "-Dderby.stream.error.field=java.lang.System.err"]
        own = [f"--hiveconf={key}={value}" for key, value in job.dependencies.shown.items()]
        secret = job.dependencies.secret
        files = {_conf(layout) / "job.xml": configuration(secret)} if secret else {}
        own += [f"--settings=file://{path}" for path in files]
        argv = [*java, "-cp", classes, f"io.weft.hive.{job.program}", *own, *job.options, *job.arguments]
        environment = yarn.environment(layout.head)
        return job.command("client", layout.head, argv, environment, files=files)

    def site_settings(self, layout: Layout) -> Mapping[str, str]:
        own = self._own(layout, "hive.", "javax.", "datanucleus.", "tez.")
        return {key: value for key, value in self._all(layout).items() if key not in own}

    def _own(self, layout: Layout, *prefixes: str) -> dict[str, str]:
        """The settings of services and of the user that begin so."""
        return {key: value for key, value in self._all(layout).items() if key.startswith(prefixes)}

    def _all(self, layout: Layout) -> dict[str, str]:
        return {**layout.properties(self.kind), **self.conf}


def _conf(layout: Layout) -> Path:
    return layout.directory / "hive"
