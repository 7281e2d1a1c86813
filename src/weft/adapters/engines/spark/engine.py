"""Spark 4: with its own Master and Workers, or on YARN; an executor on every node, the driver on the head node."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine, KeepsReady
from weft.adapters.engines.spark import (
    daemons,
    driverjvm,
    hdfstoken,
    master,
    onejob,
    onyarn,
    ready,
    shuffleservice,
    training,
)
from weft.adapters.engines.spark.always import ALWAYS
from weft.adapters.services.base import Service
from weft.adapters.services.yarn import Tenant, Yarn
from weft.adapters.services.yarncluster import Containers
from weft.errors import UsageError
from weft.facts.engines.spark.cores import fitting, number, of_all, of_each
from weft.host.javaprogram import JavaProgram
from weft.host.programs import marks
from weft.layout.client import Client
from weft.layout.job import Dependencies, Job
from weft.layout.jvm import OPENS, heap, temporary
from weft.layout.node import Node
from weft.layout.plan import SECRET, Applications, Command, Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived
from weft.text.arguments import assign
from weft.text.executes import Home, Settings
from weft.text.fields import LEAST_HEAP, Port, Size
from weft.text.properties import text_of
from weft.text.units import show_size

_DRIVER_OVERHEAD = 384 << 20
"""Bytes of a driver's process besides its heap (Spark's own minimum overhead)."""
_LEAST_HEAP = 480 << 20
"""Bytes: Spark refuses to start if Runtime.maxMemory() is below 1.5 x 300 MiB (UnifiedMemoryManager). SerialGC, which
the JVM chooses on one core, does not count a survivor space, 1/30 of the heap: 466 MiB are needed, rounded up."""
_MOST_HEAP = 30 << 30
"""Bytes: above it the JVM gives up compressed object pointers."""

_FILTER = "org.apache.spark.ui.JWSFilter"
"""A class of Spark: refuses every request without a token that is signed with its key."""
_SEARCH_PATH = "spark.executorEnv.PYTHONPATH"
_PYSPARK = """#!/bin/sh
# Spark's own bin/pyspark needs python/pyspark/shell.py unpacked, which is in pyspark.zip here
export PYTHONSTARTUP='{startup}'
exec spark-submit pyspark-shell-main --name PySparkShell "$@"
"""
_STARTUP = "from pyspark.shell import *\n"
"""Creates `spark` and `sc`, as Spark's shell.py does."""


class SparkEngine(Engine, Tenant, KeepsReady):
    """A Spark cluster: standalone, or in YARN containers."""

    kind: Literal["spark"] = "spark"
    programs: ClassVar[tuple[str, ...]] = (".py", ".jar")
    java_modules: ClassVar[tuple[str, ...]] = ("jdk.incubator.vector",)  # JavaModuleOptions.java
    distributions: ClassVar[tuple[str, ...]] = ("spark",)
    login_name: ClassVar[bool] = True
    prefix: ClassVar[str] = "spark"

    home: Home = Field(default=None, description="a site's own Spark; default: the cached distribution")
    master: Literal["standalone", "yarn"] = Field(
        default="standalone", description="cluster manager: Spark's own Master and Workers, or YARN"
    )
    executor_memory: Size | None = Field(
        default=None,
        description="executor heap; default: 60 % of the node's remaining memory, at most 30 GiB",
    )
    driver_memory: Size = Field(default=1 << 30, ge=LEAST_HEAP, description="driver heap")
    port: Port = Field(default=7077, description="port of the Master")
    web_port: Port = Field(default=8080, description="port of the Master's and Workers' status pages")
    encrypt: bool = Field(default=False, description="encrypt network traffic, shuffle and spill files")
    pages: Literal["closed", "open"] = Field(
        default="closed",
        description="closed: status pages require a token signed with the secret; open: every user of the machine can read them",
    )
    conf: Settings = Field(default_factory=dict, description="any spark.* setting; overrides weft")

    def heap(self, layout: Layout) -> int:
        """Bytes of heap of each executor, the same on all nodes. Raises UsageError if it does not fit."""
        room = self._room(layout)
        asked = self.executor_memory or min(_MOST_HEAP, max(room * 6 // 10, min(room, _LEAST_HEAP)))
        if asked < _LEAST_HEAP:
            raise UsageError(
                f"spark: an executor heap of {show_size(asked)} is below the {show_size(_LEAST_HEAP)} that Spark needs",
                hint="use fewer nodes, give them more memory, or lower engine.driver_memory",
            )
        if asked > room:
            raise UsageError(
                f"spark: an executor heap of {show_size(asked)} does not fit into the {show_size(room)} that remain on a node",
                hint="lower engine.executor_memory, or use fewer nodes",
            )
        return asked

    @property
    def label(self) -> str:
        return f"{self.kind} on YARN" if self.master == "yarn" else self.kind

    def training(self, home: Path, jar: Path, empty: Path, scratch: Path) -> JavaProgram:
        return training.program(_classes(home, empty), jar, empty, scratch, _FILTER)

    def _room(self, layout: Layout) -> int:
        """Bytes on a node for an executor's heap."""
        driver = self._driver
        if self.master == "yarn":
            return onyarn.room(layout, driver)
        head = layout.head.memory - 2 * daemons.TOTAL - driver
        return min([head, *(node.memory - daemons.TOTAL for node in layout.nodes[1:])])

    @property
    def _driver(self) -> int:
        """Bytes of the driver's JVM on the head node."""
        return driverjvm.heap(self.conf, self.driver_memory) + _DRIVER_OVERHEAD

    @property
    def encrypted(self) -> bool:
        return self.encrypt

    def services(self) -> Sequence[Service]:
        return [self._yarn()] if self.master == "yarn" else []

    def containers(self, layout: Layout) -> Containers:
        return onyarn.containers(layout, self.heap(layout), self._driver)

    def recognize(self, home: Path) -> None:
        cores = list(home.glob("jars/spark-core_2.13-*.jar"))
        if not cores:
            raise UsageError(
                f"{home} is not a Spark installation for Scala 2.13: it has no jars/spark-core_2.13-*.jar",
                hint="set engine.home or SPARK_HOME to the directory with bin/ and jars/, or unset it",
            )
        version = cores[0].stem.rpartition("-")[2]
        if not version.startswith("4."):
            raise UsageError(
                f"{home} is Spark {version}; weft runs Spark 4", hint="use a Spark 4, or unset SPARK_HOME"
            )

    def _derived(self, layout: Layout, sizes: Mapping[str, int]) -> Mapping[str, Derived]:
        counts = {"executors, one per node": len(layout.nodes)}
        driver = driverjvm.heap(self.conf, self.driver_memory)
        heap, sizes = self.heap(layout), {"driver heap": driver, **sizes}
        slots = of_all(self.settings(layout), [node.cores for node in layout.nodes], self.master)
        return {self.kind: Derived(counts=counts, slots=slots, executor_heap=heap, sizes=sizes)}

    def plan(self, layout: Layout) -> Plan:
        conf = layout.directory / "conf" / "spark-defaults.conf"
        settings = text_of(self.settings(layout))
        if self.master == "yarn":
            containers = self.containers(layout)
            derived = self._derived(layout, {"executor's container": containers.task})
            apps = (self._yarn().cluster(layout, containers).applications(),)
            return Plan({conf: settings}, (), (), derived, applications=apps)
        registered, cores = self._ready(layout), number(self.settings(layout), 0)
        nodes = {node.address: node.name for node in layout.nodes}
        users = Applications(
            registered.page,
            lambda status: len([one for one in status["activeapps"] if one.get("name") != ready.NAME]),
            lambda status: master.full(status, nodes, cores),
        )
        return Plan(
            {conf: settings},
            self._daemons(conf, layout),
            (registered,),
            self._derived(layout, {"daemon heap": daemons.HEAP}),
            then=[hdfstoken.fetch_command(layout)] if layout.token_uris else [],
            applications=(users,),
        )

    def _yarn(self) -> Yarn:
        return Yarn(tenant=self, port=self.port, web_port=self.web_port, pages=self.pages)

    def _daemons(self, conf: Path, layout: Layout) -> list[Daemon]:
        head = layout.head
        master = ["org.apache.spark.deploy.master.Master", "--host", head.address, "--port", str(self.port)]
        master += ["--webui-port", str(self.web_port), "--properties-file", str(conf)]
        workers = [self._worker(node, conf, layout) for node in layout.nodes]
        argv = [*self._java(layout, daemons.HEAP, *daemons.flags(self.conf)), *master]
        ports = (self.port, self.web_port)
        return [self._daemon(layout.named("master"), head, argv, layout, ports, essential=True), *workers]

    def _status(self, layout: Layout) -> Page:
        page = f"http://{layout.head.address}:{self.web_port}/json/"
        return Page(layout.head, page, signed=self._closed(layout))

    def _ready(self, layout: Layout) -> Ready:
        addresses = {_worker_name(node, layout): node.address for node in layout.nodes}
        return Ready(self._status(layout), lambda status: master.missing(status, addresses), of=layout.table)

    def settings(self, layout: Layout) -> dict[str, str]:
        """The whole of spark-defaults.conf, as read by the Master, the Workers, the driver and the executors."""
        shuffleservice.require(self.conf, self.conf, self.master)
        head, jars = layout.head, layout.service_jars(self.kind)
        return {
            "spark.authenticate": str(layout.secured).lower(),
            **self._master(layout),
            "spark.submit.deployMode": "client",
            "spark.driver.host": head.address,
            "spark.driver.bindAddress": head.address,
            "spark.driver.memory": _mebibytes(self.driver_memory),
            "spark.executor.memory": _mebibytes(self.heap(layout)),
            **of_each([node.cores for node in layout.nodes], self.master),
            "spark.local.dir": layout.places["scratch"].paths[head.name],
            "spark.ui.enabled": "false",
            **onejob.history(layout),
            **ALWAYS,
            **self._protection(layout),
            **{f"spark.hadoop.{key}": value for key, value in layout.file_system_properties.items()},
            # what services add, such as a shuffle service of their own
            **({"spark.executor.extraClassPath": ":".join(jars)} if jars else {}),
            **layout.properties(self.kind),
            **fitting(_watched(self.conf, layout), head.cores, self.master),
        }

    def _closed(self, layout: Layout) -> bool:
        return layout.secured and self.pages == "closed"

    def _protection(self, layout: Layout) -> dict[str, str]:
        """Protection from other users of the machine, in addition to the secret."""
        found = {
            # neither of them authenticates users who kill applications or Workers
            "spark.ui.killEnabled": "false",
            "spark.master.ui.decommission.allow.mode": "DENY",
            # it accepts submissions from everybody
            "spark.master.rest.enabled": "false",
        }
        if self._closed(layout) and self.master == "standalone":
            # the Master passes on the pages of Workers and drivers, so that one address and one token open all
            found |= {
                "spark.ui.filters": _FILTER,
                f"spark.{_FILTER}.param.secretKey": SECRET,
                "spark.ui.reverseProxy": "true",
            }
        if self.encrypt:
            found |= {
                "spark.network.crypto.enabled": "true",
                "spark.network.crypto.cipher": "AES/GCM/NoPadding",
                "spark.network.crypto.saslFallback": "false",
                "spark.io.encryption.enabled": "true",
            }
        return found

    def _master(self, layout: Layout) -> dict[str, str]:
        """The cluster manager; on YARN, Spark creates a secret for each application."""
        if self.master == "yarn":
            return onyarn.settings(layout, self.heap(layout), self._driver)
        token = {f"spark.executorEnv.{hdfstoken.VARIABLE}": str(hdfstoken.path(layout))}
        return {
            **({"spark.authenticate.secret": SECRET} if layout.secured else {}),
            "spark.master": f"spark://{layout.head.address}:{self.port}",
            # Spark's own Master gives its executors no tokens, and they cannot log in
            **(token if layout.token_uris else {}),
        }

    def submit(self, job: Job, layout: Layout) -> Command:
        conf = layout.directory / "conf" / "spark-defaults.conf"
        main = [] if job.program.endswith((".py", ".jar")) else ["--class", f"io.weft.spark.{job.program}"]
        program = job.program if not main else f"local:{layout.jars['spark']}"
        environment = self._environment(layout.head, layout)
        shuffleservice.require(job.dependencies.conf, self.conf, self.master)
        cores = number(self.settings(layout), 1)
        own = fitting(_watched(job.dependencies.conf, layout), cores, self.master)
        job = replace(job, dependencies=replace(job.dependencies, conf=own))
        files, more = {}, []
        if secret := job.dependencies.secret:
            # Spark reads one file by its name, and spark-defaults.conf only in SPARK_CONF_DIR
            environment["SPARK_CONF_DIR"], conf = str(conf.parent), conf.with_name("job.conf")
            files, more = {conf: text_of(secret)}, ["--load-spark-defaults"]
        asked = driverjvm.given({**self.conf, **job.dependencies.shown}, job.options)
        java = self._java(layout, job.dependencies.driver_memory or driverjvm.heap(asked, self.driver_memory))
        submit = [*driverjvm.started(java, asked), "org.apache.spark.deploy.SparkSubmit"]
        submit += ["--properties-file", str(conf), *more, "--name", job.name, *main]
        argv = [*submit, *_job_options(job.dependencies), *job.options, program, *job.arguments]
        return job.command("driver", layout.head, argv, environment, files=files)

    def of_one_job(self, layout: Layout) -> Mapping[str, str]:
        return onejob.settings(layout) if self.master == "standalone" else super().of_one_job(layout)

    @property
    def waits(self) -> bool:
        return self.master == "standalone"

    def waiting(self, layout: Layout, socket: Path) -> Command:
        return self.submit(ready.waiting(layout, socket, self.conf), layout)

    def taken(self, job: Job, layout: Layout, socket: Path, log: Path) -> Command | None:
        argv = ready.taken(job, layout, socket, log)
        return job.command("driver", layout.head, argv, {marks.LEASE: layout.run}) if argv else None

    def task_logs(self, application: str) -> str:
        return f"executors/{application}"

    def client(self, layout: Layout) -> Client:
        home, programs = layout.homes["spark"], layout.directory / "bin"
        startup = programs / "pyspark-startup.py"
        return Client(
            environment={
                **self._environment(layout.head, layout),
                "SPARK_CONF_DIR": str(layout.directory / "conf"),
            },
            search={
                "PATH": [str(programs), str(home / "bin"), str(layout.java.parent)],
                "PYTHONPATH": [str(home / "python/lib/pyspark.zip"), str(home / "python/lib/py4j-*-src.zip")],
            },
            programs={programs / "pyspark": _PYSPARK.format(startup=startup), startup: _STARTUP},
            address=self.settings(layout)["spark.master"],
            page=f"http://{layout.head.address}:{self.web_port}",
            settings=layout.directory / "conf" / "spark-defaults.conf",
        )

    def _worker(self, node: Node, conf: Path, layout: Layout) -> Daemon:
        folder = layout.record / "logs" / node.name / "executors"
        # weft's main class for it: it starts together with the Master, and registers when that leads
        arguments = ["io.weft.spark.Worker", "--host", node.address]
        arguments += ["--webui-port", str(self.web_port + 1), "--cores", str(node.cores)]
        arguments += ["--memory", _mebibytes(self.heap(layout)), "--work-dir", str(folder)]
        arguments += ["--properties-file", str(conf), f"spark://{layout.head.address}:{self.port}"]
        java = self._java(layout, daemons.HEAP, *daemons.flags(self.conf), own=[str(layout.jars[self.kind])])
        return self._daemon(
            _worker_name(node, layout), node, [*java, *arguments], layout, (self.web_port + 1,)
        )

    def _daemon(
        self, name: str, node: Node, argv: list[str], layout: Layout, ports: tuple[int, ...], **how: Any
    ) -> Daemon:
        """`how`: further fields of the daemon."""
        environment = self._environment(node, layout)
        return Daemon(name, node, argv, environment, ports, page=True, table=layout.table, **how)

    def _java(self, layout: Layout, bytes_of_heap: int, *flags: str, own: Sequence[str] = ()) -> list[str]:
        """`own`: the end of the class path."""
        classes = _classes(layout.homes["spark"], layout.empty)
        if self.master == "yarn":  # after the jars, with which the archive's class path begins
            classes = f"{classes}:{layout.directory / 'conf'}"
        classes = ":".join([classes, *layout.service_jars(self.kind), *own])
        return [str(layout.java), heap(bytes_of_heap), *flags, *OPENS, "-cp", classes]

    def _environment(self, node: Node, layout: Layout) -> dict[str, str]:
        return {
            **layout.environment(node),
            "SPARK_HOME": str(layout.homes["spark"]),
            "SPARK_CONF_DIR": str(layout.empty),
            "SPARK_SCALA_VERSION": "2.13",  # otherwise the Worker looks for a build tree, and every executor dies
            "SPARK_LOCAL_IP": node.address,
            "SPARK_LOCAL_DIRS": layout.places["scratch"].paths[node.name],
            "JAVA_HOME": str(layout.java_home),
            **({"HADOOP_CONF_DIR": str(layout.directory / "conf")} if self.master == "yarn" else {}),
            **temporary(layout, node, layout.classes.get("spark")),
        }


def _classes(home: Path, empty: Path) -> str:
    """The class path that Spark's launcher gives to executors (AbstractCommandBuilder), so that one archive matches all."""
    logging = [str(jar) for jar in home.glob("jars/slf4j-api-*.jar")]
    return ":".join([f"{empty}/", *logging, f"{home}/jars/*"])


def _watched(conf: Mapping[str, str], layout: Layout) -> dict[str, str]:
    """Settings of a user. Where they set the search path of the executors' Python, the module that a probe has there stays on it."""
    added = layout.environment(layout.head).get("PYTHONPATH", "").partition(":")[0]
    found = dict(conf)
    if added and _SEARCH_PATH in found:
        found[_SEARCH_PATH] += f":{added}"
    return found


def _job_options(dependencies: Dependencies) -> list[str]:
    """The dependencies of a job, as options of spark-submit."""
    names = ("py_files", "jars", "packages", "files", "archives")
    listed = {f"--{name.replace('_', '-')}": getattr(dependencies, name) for name in names}
    arguments = ["--class", dependencies.main_class] if dependencies.main_class else []
    arguments += [word for flag, paths in listed.items() if paths for word in (flag, ",".join(paths))]
    return arguments + assign("--conf", dependencies.shown)


def _mebibytes(size: int) -> str:
    return f"{size >> 20}m"


def _worker_name(node: Node, layout: Layout) -> str:
    return layout.named(f"worker-{node.name}")
