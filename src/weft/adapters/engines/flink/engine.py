"""Flink 2 as a session cluster, standalone or in YARN containers: a JobManager, and a TaskManager on every node."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.adapters.engines.flink import onyarn, rest
from weft.adapters.engines.flink.settings import (
    java_options,
    job_options,
    login,
    require_supported,
    ssl_settings,
    yaml,
)
from weft.adapters.engines.flink.taskmanager import TaskManagerMemory, divide
from weft.adapters.services.base import Service
from weft.adapters.services.yarn import Tenant, Yarn
from weft.adapters.services.yarncluster import Containers
from weft.errors import UsageError
from weft.layout.certificate import Certificate
from weft.layout.client import Client
from weft.layout.job import Job
from weft.layout.jvm import SharedClasses, archived, heap, temporary
from weft.layout.node import Node
from weft.layout.plan import Applications, Command, Daemon, Inquiry, Layout, Page, Plan, Ready
from weft.record.derived import Derived
from weft.text.arguments import assign
from weft.text.executes import Home, Settings
from weft.text.fields import LEAST_HEAP, Port, Size
from weft.text.units import show_size

_JOBMANAGER_OVERHEAD = 256 << 20
"""Bytes of a JobManager's process besides its heap."""
_DRIVER_OVERHEAD = 192 << 20
"""Bytes of a client's process besides its heap."""
_LIGHT = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_OPENED = (
    "java.lang java.lang.reflect java.io java.net java.nio java.text java.time java.util java.util.concurrent "
    "java.util.concurrent.atomic java.util.concurrent.locks sun.nio.ch"
)
_OPENS = (
    "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
    "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED.split()),
)
"""The packages that Flink's own configuration opens (env.java.opts.all of its distribution)."""
_CLIENT = "org.apache.flink.client.cli.CliFrontend"
_SLOTS = "taskmanager.numberOfTaskSlots"
_ALONE = {"slot.request.timeout": "50 s"}
"""Slots that nobody has never come: Flink would ask for them for five minutes."""
_QUEUED = {"slot.request.timeout": "1 d", "resourcemanager.standalone.start-up-time": "30 d"}
"""Slots that other jobs have come when these end. After its start-up time, a standalone cluster refuses streams that lack some at once."""
_LOGGING = """\
rootLogger.level = INFO
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = CONSOLE
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1} - %m%n
"""


class FlinkEngine(Engine, Tenant):
    """A Flink session cluster: standalone, or in YARN containers."""

    kind: Literal["flink"] = "flink"
    programs: ClassVar[tuple[str, ...]] = (".jar",)
    instead: ClassVar[Mapping[str, str]] = {
        ".py": "weft does not run PyFlink, whose gateway runs code of every user of the machine"
    }
    distributions: ClassVar[tuple[str, ...]] = ("flink",)
    # 8081 is the port of a Spark Worker's page
    ports_with_others: ClassVar[Mapping[str, int]] = {"web_port": 8181}

    home: Home = Field(default=None, description="a site's own Flink; default: the cached distribution")
    master: Literal["standalone", "yarn"] = Field(
        default="standalone", description="cluster manager: weft itself, or YARN"
    )
    taskmanager_memory: Size | None = Field(
        default=None,
        description="total memory of a TaskManager process; default: 80 % of the node's remaining memory",
    )
    jobmanager_memory: Size = Field(default=384 << 20, ge=LEAST_HEAP, description="JobManager heap")
    driver_memory: Size = Field(
        default=512 << 20, ge=LEAST_HEAP, description="heap of the client that submits a job"
    )
    encrypt_data: bool = Field(
        default=False, description="encrypt data between TaskManagers; commands are always encrypted"
    )
    port: Port = Field(default=6123, description="port of the JobManager, or the first of YARN's")
    web_port: Port = Field(
        default=8081, description="port of the JobManager's REST interface, or of YARN's pages"
    )
    conf: Settings = Field(default_factory=dict, description="any option of Flink; overrides weft")

    @property
    def label(self) -> str:
        return f"{self.kind} on YARN" if self.master == "yarn" else self.kind

    def memory(self, layout: Layout) -> TaskManagerMemory:
        """The parts of each TaskManager, the same on all nodes. Raises UsageError if it does not fit."""
        room = self._room(layout)
        asked = self.taskmanager_memory or room * 8 // 10
        if asked > room:
            raise UsageError(
                f"flink: a TaskManager of {show_size(asked)} does not fit into the {show_size(room)} that remain on a node",
                hint="lower engine.taskmanager_memory, or use fewer nodes",
            )
        found = divide(asked, max(self._slots(layout)), self._all_slots(layout)).with_own(self.conf)
        if found.process > room:
            raise UsageError(
                f"flink: with the parts in engine.conf, a TaskManager of {show_size(found.process)} does not fit into the"
                f" {show_size(room)} that remain on a node",
                hint="lower the other parts, or engine.taskmanager_memory",
            )
        return found

    def _slots(self, layout: Layout) -> list[int]:
        """Of the TaskManager of each node; those in YARN's containers are all equal."""
        cores, own = [node.cores for node in layout.nodes], self.conf.get(_SLOTS, "")
        if own.isdecimal() and int(own):
            return [int(own)] * len(cores)
        return [min(cores)] * len(cores) if self.master == "yarn" else cores

    def _all_slots(self, layout: Layout) -> int:
        return sum(self._slots(layout))

    def _room(self, layout: Layout) -> int:
        """Bytes on a node for a TaskManager."""
        client = self.driver_memory + _DRIVER_OVERHEAD
        if self.master == "yarn":
            return onyarn.room(layout, self.jobmanager_memory, client)
        head = layout.head.memory - self.jobmanager_memory - _JOBMANAGER_OVERHEAD - client
        return max(0, min([head, *(node.memory for node in layout.nodes[1:])]))

    @property
    def encrypted(self) -> bool:
        return self.encrypt_data

    def services(self) -> Sequence[Service]:
        return [self._yarn()] if self.master == "yarn" else []

    def containers(self, layout: Layout) -> Containers:
        return onyarn.containers(layout, self.memory(layout), self.jobmanager_memory)

    def site_settings(self, layout: Layout) -> Mapping[str, str]:
        return onyarn.hadoop_settings(layout)

    def classes(self, homes: Mapping[str, Path]) -> Mapping[str, SharedClasses]:
        return {"flink": SharedClasses([f"{homes['flink']}/lib/*"], ["--engine", "flink"])}

    def recognize(self, home: Path) -> None:
        found = list(home.glob("lib/flink-dist-*.jar"))
        if not found:
            raise UsageError(
                f"{home} is not a Flink installation: it has no lib/flink-dist-*.jar",
                hint="set engine.home or FLINK_HOME to the directory with bin/ and lib/, or unset it",
            )
        version = found[0].stem.removeprefix("flink-dist-")
        if not version.startswith("2."):
            raise UsageError(
                f"{home} is Flink {version}; weft runs Flink 2", hint="use a Flink 2, or unset FLINK_HOME"
            )

    def plan(self, layout: Layout) -> Plan:
        certificate = _certificate(layout)
        memory = self.memory(layout)
        files = {
            _conf(layout) / "config.yaml": yaml(self.settings(layout)),
            _conf(layout) / "log4j.properties": _LOGGING,
            **(certificate.files() if certificate else {}),
        }
        members = self._page(layout, "/taskmanagers")
        sizes: Mapping[str, int] = {}
        if self.master == "yarn":
            containers, nodes = self.containers(layout), layout.nodes
            sizes = {"JobManager's container": containers.master, "TaskManager's container": containers.task}
            daemons = [self._session(layout, self._yarn().cluster(layout, containers).ready())]
            ready = [Ready(members, lambda known: onyarn.missing(known, nodes))]
        else:
            names = [_taskmanager_name(node, layout) for node in layout.nodes]
            workers = [
                self._taskmanager(node, slots, memory, layout)
                for node, slots in zip(layout.nodes, self._slots(layout), strict=True)
            ]
            daemons = [self._jobmanager(layout), *workers]
            ready = [Ready(members, lambda known: rest.missing(known, names), of=layout.table)]
        metrics = Inquiry(self._page(layout, ""), rest.metrics)
        return Plan(
            files,
            daemons,
            ready,
            derived={self.kind: self._derived(layout, {**memory.sizes(), **sizes})},
            first=certificate.made(layout) if certificate else [],
            last=[metrics] if layout.metrics else [],
            applications=[Applications(self._page(layout, "/overview"), rest.running)],
        )

    def _derived(self, layout: Layout, sizes: Mapping[str, int]) -> Derived:
        secured = "one certificate per run for commands, files and REST; data between TaskManagers is"
        data = "encrypted too" if self.encrypt_data else "readable with a 128-bit partition ID"
        return Derived(
            counts={"TaskManagers, one per node": len(layout.nodes)},
            slots=self._all_slots(layout),
            sizes={**sizes, "JobManager heap": self.jobmanager_memory, "client heap": self.driver_memory},
            notes={"security": f"{secured} {data}" if layout.secured else "none"},
        )

    def _page(self, layout: Layout, path: str) -> Page:
        """One of the JobManager's pages; on YARN the ResourceManager knows its address."""
        head, nodes, scheme = layout.head, layout.nodes, _scheme(layout)
        certificate = found.pem if (found := _certificate(layout)) else None
        if self.master == "standalone":
            return Page(head, f"{scheme}://{head.address}:{self.web_port}{path}", certificate)
        return Page(
            head,
            onyarn.applications(layout, self.web_port),
            certificate,
            signed=layout.secured,
            follow=lambda answer: f"{scheme}://{onyarn.interface(answer, nodes)}{path}",
        )

    def _yarn(self) -> Yarn:
        return Yarn(tenant=self, port=self.port, web_port=self.web_port)

    def settings(self, layout: Layout) -> dict[str, str]:
        """The whole of config.yaml, as read by the JobManager, the TaskManagers and the client."""
        require_supported(self.conf)
        certificate, local = _certificate(layout), layout.head.address.startswith("127.")
        return {
            **self._where(layout),
            "parallelism.default": str(self._all_slots(layout)),
            # a lost TaskManager is detected in seconds, and its part of a job is repeated
            "heartbeat.interval": "3s",
            "heartbeat.timeout": "30s",
            **(_QUEUED if layout.persistent else _ALONE),
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "5",
            "restart-strategy.fixed-delay.delay": "1s",
            # a TaskManager that starts before the JobManager is ready retries after one second, not after ten
            "cluster.registration.error-delay": "1 s",
            # loopback addresses have no names: a name server that does not answer costs the JobManager its slots
            **({"jobmanager.retrieve-taskmanager-hostname": "false"} if local else {}),
            "web.submit.enable": "false",
            **({} if layout.compressed else {"taskmanager.network.compression.codec": "NONE"}),
            # the record gets the metrics of all jobs in the end: the JobManager would forget each an hour after it has ended
            "completed-application-store.expiration-time": "30 d",
            **login(layout.properties("login")),
            **{f"flink.hadoop.{key}": value for key, value in layout.file_system_properties.items()},
            **(ssl_settings(certificate, encrypt_data=self.encrypt_data) if certificate else {}),
            **layout.properties(self.kind),
            **self.conf,
        }

    def _where(self, layout: Layout) -> dict[str, str]:
        """The cluster manager, and its addresses."""
        if self.master == "yarn":
            slots = self._all_slots(layout)
            return onyarn.settings(layout, self.memory(layout), self.jobmanager_memory, _OPENS, slots)
        head = layout.head
        addresses = ("jobmanager.rpc.address", "jobmanager.bind-host", "rest.address", "rest.bind-address")
        return {
            **dict.fromkeys(addresses, head.address),
            "jobmanager.rpc.port": str(self.port),
            "rest.port": str(self.web_port),
            "rest.bind-port": str(self.web_port),
            "web.tmpdir": str(head.directory),
            "web.access-control-allow-origin": f"{_scheme(layout)}://{head.address}:{self.web_port}",
            # a JobManager shuffles nothing: it stores jars there
            "io.tmp.dirs": str(head.directory),
        }

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require("flink", "main_class", "jars", "conf")
        require_supported({**self.conf, **job.dependencies.conf})
        own = [] if job.program.endswith(".jar") else ["-c", f"io.weft.flink.{job.program}"]
        program = job.program if not own else str(layout.jars["flink"])
        submit = [*self._java(layout, "client", heap(self.driver_memory), *_LIGHT), _CLIENT, "run"]
        argv = [*submit, *own, *job_options(job.dependencies), *job.options, program, *job.arguments]
        environment = self._environment(layout.head, layout)
        files: dict[Path, str] = {}
        if secret := job.dependencies.secret:
            own_conf = layout.directory / "job" / "config.yaml"
            files = {own_conf: yaml({**self.settings(layout), **secret})}
            environment["FLINK_CONF_DIR"] = str(own_conf.parent)
        return job.command("driver", layout.head, argv, environment, files=files)

    def client(self, layout: Layout) -> Client:
        programs = layout.directory / "bin"
        command = [*self._java(layout, "client", heap(self.driver_memory), *_LIGHT), _CLIENT]
        page = self._page(layout, "") if self.master == "standalone" else None
        return Client(
            environment=self._environment(layout.head, layout),
            search={"PATH": [str(programs), str(layout.java.parent)]},
            programs={programs / "flink": f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'},
            address=f"{_scheme(layout)}://{layout.head.address}:{self.web_port}"
            if self.master == "standalone"
            else f"{layout.head.address}:{self.port}",
            page=page.url if page else "",
            certificate=page.certificate if page else None,
            settings=_conf(layout) / "config.yaml",
        )

    def _session(self, layout: Layout, after: Ready) -> Daemon:
        argv = [*self._java(layout, "client", heap(onyarn.CLIENT_HEAP), *_LIGHT), onyarn.SESSION]
        environment = self._environment(layout.head, layout)
        # the session has ended with its containers by then, and the client would keep requesting its state
        return Daemon("session", layout.head, argv, environment, essential=True, grace=1, after=after)

    def _jobmanager(self, layout: Layout) -> Daemon:
        for key in self.conf:
            if key.startswith("jobmanager.memory."):
                raise UsageError(
                    f"flink: {key} has no effect, because only Flink's start scripts read it",
                    hint="set engine.jobmanager_memory, which is the JobManager's heap",
                )
        arguments = ["org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"]
        arguments += ["--configDir", str(_conf(layout)), "--executionMode", "cluster"]
        argv = [*self._java(layout, "jobmanager", heap(self.jobmanager_memory), *_LIGHT), *arguments]
        environment, ports = self._environment(layout.head, layout), (self.port, self.web_port)
        name, table = layout.named("jobmanager"), layout.table
        return Daemon(name, layout.head, argv, environment, ports, page=True, essential=True, table=table)

    def _taskmanager(self, node: Node, slots: int, memory: TaskManagerMemory, layout: Layout) -> Daemon:
        name = _taskmanager_name(node, layout)
        options = {
            "taskmanager.resource-id": name,
            "taskmanager.host": node.address,
            "taskmanager.bind-host": node.address,
            _SLOTS: str(slots),
            "taskmanager.cpu.cores": f"{node.cores}.0",
            "io.tmp.dirs": layout.places["scratch"].paths[node.name],
            **memory.options(),
        }
        arguments = [
            "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
            "--configDir",
            str(_conf(layout)),
        ]
        arguments += assign("-D", options)
        argv = [*self._java(layout, "taskmanager", *memory.flags()), *arguments]
        return Daemon(name, node, argv, self._environment(node, layout), table=layout.table)

    def _java(self, layout: Layout, role: str, *flags: str) -> list[str]:
        logging = f"-Dlog4j.configurationFile={_conf(layout) / 'log4j.properties'}"
        added = [*layout.file_system_jars, *layout.service_jars(self.kind)]
        classes = [f"{layout.homes['flink']}/lib/*", *added]
        if self.master == "yarn":
            classes = onyarn.classes(layout)
        more = [*archived(layout.classes.get("flink")), *_OPENS, *java_options(self.conf, role), logging]
        return [str(layout.java), *flags, *more, "-cp", ":".join(classes)]

    def _environment(self, node: Node, layout: Layout) -> dict[str, str]:
        home = layout.homes["flink"]
        # the YARN client would send the files that these name to every node
        own = {"FLINK_LIB_DIR": f"{home}/lib", "FLINK_PLUGINS_DIR": f"{home}/plugins"}
        return {
            **layout.environment(node),
            "FLINK_CONF_DIR": str(_conf(layout)),
            **(own if self.master == "standalone" else {"HADOOP_CONF_DIR": str(_conf(layout))}),
            "JAVA_HOME": str(layout.java_home),
            **temporary(layout, node),
        }


def _taskmanager_name(node: Node, layout: Layout) -> str:
    return layout.named(f"taskmanager-{node.name}")


def _conf(layout: Layout) -> Path:
    return layout.directory / "conf"


def _certificate(layout: Layout) -> Certificate | None:
    """The run's certificate; None if the run is not secured."""
    return Certificate(_conf(layout)) if layout.secured else None


def _scheme(layout: Layout) -> str:
    """The scheme of the REST interface."""
    return "https" if layout.secured else "http"
