"""Kafka's brokers (KRaft, without ZooKeeper), on nodes of their own or on the compute nodes."""

import base64
import hashlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from weft.adapters.services.base import Service
from weft.adapters.storage.base import AnyStorage, Storage
from weft.errors import UsageError
from weft.facts.roles import Role
from weft.layout.certificate import Certificate
from weft.layout.client import Client
from weft.layout.endpoint import Endpoint
from weft.layout.jvm import heap, temporary
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.plan import Command, Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived
from weft.text.arguments import assign
from weft.text.executes import Settings
from weft.text.fields import MOST, Size
from weft.text.properties import text_of
from weft.text.shorthand import MisreadError

_OVERHEAD = 192 << 20
"""Bytes of a broker's process besides its heap."""
_COPIES = 3
"""Copies of Kafka's own topics by default, where there are as many brokers."""
_USER = "User:CN=weft"
"""The name in the run's certificate, as Kafka's access lists write it."""
_COLLECTOR = ("-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35")
"""As in Kafka's own start script; which collector there is, the JVM chooses by the node's cores."""
_PROGRAMS = {
    "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand",
    "kafka-console-producer.sh": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-consumer.sh": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-consumer-groups.sh": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-producer-perf-test.sh": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-consumer-perf-test.sh": "org.apache.kafka.tools.ConsumerPerformance",
    "kafka-get-offsets.sh": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-log-dirs.sh": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-configs.sh": "kafka.admin.ConfigCommand",
    "kafka-acls.sh": "org.apache.kafka.tools.AclCommand",
}
"""By the name in Kafka's bin/: the main class. All of them take --bootstrap-server and --command-config."""
_PROGRAM = """#!/bin/sh
# the run's brokers and certificate, unless the arguments name others
case " $* " in *" --command-config"* | *" --consumer.config"* | *" --producer.config"*) ;; *) set -- --command-config {properties} "$@" ;; esac
case " $* " in *" --bootstrap-"*) ;; *) set -- --bootstrap-server {bootstrap} "$@" ;; esac
exec {java} {main} "$@"
"""
_LOGGING = """\
rootLogger.level = {level}
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = CONSOLE
appender.console.target = {target}
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d] %p %m (%c)%n
"""


class Kafka(Service):
    """Brokers; the first also holds the cluster's metadata (the controller)."""

    kind: Literal["kafka"] = "kafka"
    alone: ClassVar[bool] = True
    distributions: ClassVar[tuple[str, ...]] = ("kafka",)

    nodes: int = Field(
        default=0, ge=0, le=MOST, description="nodes of its own, beyond those that compute; 0: on those"
    )
    on: AnyStorage = Field(default="disk", validate_default=True, description="storage of the brokers' logs")
    broker_memory: Size = Field(default=256 << 20, ge=128 << 20, description="heap of each broker")
    port: int = Field(
        default=9092, ge=1024, le=65534, description="port of the brokers; the controller's is the next"
    )
    topics: dict[str, int] = Field(
        default_factory=dict, description="topics to create before the work begins, with their partitions"
    )
    replication: int | None = Field(
        default=None,
        ge=1,
        description="copies of a topic's partitions; default: 1, and 3 of Kafka's own topics",
    )
    conf: Settings = Field(default_factory=dict, description="any property of a broker; overrides weft")

    @field_validator("on")
    @classmethod
    def _can_be_mapped(cls, on: Storage) -> Storage:
        if on.no_mmap:
            raise MisreadError(
                f"Kafka maps the index files of its log for writing: {on.no_mmap}",
                hint="its log can be on disk, memory, loopback, or a mounted file system",
            )
        return on

    @property
    def own_nodes(self) -> int:
        return self.nodes

    @property
    def backing(self) -> Storage:
        return self.on

    @property
    def role(self) -> Role:
        return "log"

    def memory(self, members: Members) -> Mapping[str, int]:
        return {node.name: self.broker_memory + _OVERHEAD for node in members.of(self.kind)}

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:
        settings = self._client_settings(members.of(self.kind), layout)
        return Endpoint(
            environment={
                "KAFKA_BOOTSTRAP_SERVERS": settings["bootstrap.servers"],
                "KAFKA_CLIENT_PROPERTIES": str(client_properties(layout)),
            },
            properties={"kafka": settings},
        )

    def plan(self, layout: Layout) -> Plan:
        brokers = layout.serving(self.kind)
        certificate = _certificate(layout)
        return Plan(
            files=self._files(layout, brokers),
            daemons=[self._broker(node, layout) for node in brokers],
            ready=[self._listens(node) for node in brokers],
            derived={self.kind: self._derived(layout, brokers)},
            first=[
                *(certificate.made(layout) if certificate else []),
                *(self._format(node, layout) for node in brokers),
            ],
            then=[self._create(layout, brokers)],
        )

    def client(self, layout: Layout) -> Client:
        programs, brokers = _directory(layout) / "bin", layout.serving(self.kind)
        words = {
            "properties": shlex.quote(str(client_properties(layout))),
            "bootstrap": self._bootstrap(brokers),
            "java": shlex.join(_java(layout, "tools.properties", "-Xmx256m", "-XX:TieredStopAtLevel=1")),
        }
        return Client(
            environment={},
            search={"PATH": [str(programs)]},
            programs={
                programs / name: _PROGRAM.format(main=main, **words) for name, main in _PROGRAMS.items()
            },
            address=self._bootstrap(brokers),
            settings=client_properties(layout),
        )

    def _bootstrap(self, brokers: Sequence[Node]) -> str:
        return ",".join(f"{node.address}:{self.port}" for node in brokers)

    def _client_settings(self, brokers: Sequence[Node], layout: Layout) -> dict[str, str]:
        """The properties with which every client of the run connects."""
        return {"bootstrap.servers": self._bootstrap(brokers), **_secure(_certificate(layout))}

    def _derived(self, layout: Layout, brokers: Sequence[Node]) -> Derived:
        secured = "the run's certificate on both sides; only its holder is admitted"
        return Derived(
            counts={"brokers": len(brokers)},
            sizes={"broker heap": self.broker_memory},
            notes={"security": secured if layout.secured else "none"},
        )

    def _files(self, layout: Layout, brokers: Sequence[Node]) -> dict[Path, str]:
        directory, certificate = _directory(layout), _certificate(layout)
        return {
            **{
                _server(layout, node): text_of(self._settings(i, layout, brokers), "=")
                for i, node in enumerate(brokers, 1)
            },
            client_properties(layout): text_of(self._client_settings(brokers, layout), "="),
            directory / "log4j.properties": _LOGGING.format(level="INFO", target="SYSTEM_OUT"),
            directory / "tools.properties": _LOGGING.format(level="WARN", target="SYSTEM_ERR"),
            **(certificate.files() if certificate else {}),
        }

    def _settings(self, number: int, layout: Layout, brokers: Sequence[Node]) -> dict[str, str]:
        """server.properties of a broker."""
        node, first = brokers[number - 1], brokers[0]
        controller = {"CONTROLLER": f"CONTROLLER://{node.address}:{self.port + 1}"} if number == 1 else {}
        listeners = {"CLIENTS": f"CLIENTS://{node.address}:{self.port}", **controller}
        scheme = "SSL" if layout.secured else "PLAINTEXT"
        return {
            "process.roles": "broker,controller" if controller else "broker",
            "node.id": str(number),
            "controller.quorum.voters": f"1@{first.address}:{self.port + 1}",
            "listeners": ",".join(listeners.values()),
            "advertised.listeners": listeners["CLIENTS"],
            "inter.broker.listener.name": "CLIENTS",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": f"CLIENTS:{scheme},CONTROLLER:{scheme}",
            "log.dirs": f"{_log(layout, node)}",
            # the second counts for the probe `kafka`, and does nothing without it
            "metric.reporters": "org.apache.kafka.common.metrics.JmxReporter,io.weft.kafka.BrokerCounts",
            "default.replication.factor": str(self._copies(brokers, 1)),
            **self._own_topics(brokers),
            # the first consumer of a group does not wait 3 s for others
            "group.initial.rebalance.delay.ms": "0",
            # the default of 128 MiB is half of the heap
            "log.cleaner.dedupe.buffer.size": "4194304",
            **_protection(_certificate(layout)),
            **self.conf,
        }

    def _own_topics(self, brokers: Sequence[Node]) -> dict[str, str]:
        """Of Kafka's topics for offsets, transactions and share groups; the defaults suppose three brokers."""
        copies = str(self._copies(brokers, min(_COPIES, len(brokers))))
        found = {
            "offsets.topic.replication.factor": copies,
            # 50 partitions by default, each with files of its own
            "offsets.topic.num.partitions": "4",
        }
        for topic in ("transaction.state.log", "share.coordinator.state.topic"):
            found |= {f"{topic}.replication.factor": copies, f"{topic}.min.isr": "1"}
            found[f"{topic}.num.partitions"] = "4"
        return found

    def _copies(self, brokers: Sequence[Node], default: int) -> int:
        copies = self.replication or default
        if copies > len(brokers):
            raise UsageError(
                f"kafka: {copies} copies of a partition need as many brokers, there are {len(brokers)}",
                hint="lower kafka.replication, or request more brokers",
            )
        return copies

    def _format(self, node: Node, layout: Layout) -> Command:
        """A broker does not start on a directory that does not have the ID of its cluster."""
        number = hashlib.sha256(layout.run.encode()).digest()[:16]
        cluster = base64.urlsafe_b64encode(number).rstrip(b"=").decode()
        java = _java(layout, "tools.properties", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        argv = [*java, "kafka.tools.StorageTool", "format"]
        argv += [f"--cluster-id={cluster}", "--config", str(_server(layout, node))]
        return Command(f"format-{_name(node)}", node, argv, _environment(layout, node))

    def _broker(self, node: Node, layout: Layout) -> Daemon:
        first = node == layout.serving(self.kind)[0]
        java = _java(
            layout, "log4j.properties", heap(self.broker_memory), *_COLLECTOR, "-XX:+ExitOnOutOfMemoryError"
        )
        argv = [*java, "-Djava.awt.headless=true", "kafka.Kafka", str(_server(layout, node))]
        ports = (self.port, self.port + 1) if first else (self.port,)
        environment = _environment(layout, node)
        # without the controller no partition gets another leader
        return Daemon(
            _name(node),
            node,
            argv,
            environment,
            ports,
            essential=first,
            grace=20,
            table=f"services.{self.kind}",
        )

    def _listens(self, node: Node) -> Ready:
        return Ready(Page(node, f"tcp://{node.address}:{self.port}"), lambda _: [], of=_name(node))

    def _create(self, layout: Layout, brokers: Sequence[Node]) -> Command:
        """A broker that listens does not yet take part: this program waits for all of them."""
        java = _java(layout, "tools.properties", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        argv = [*java, "io.weft.kafka.CreateTopics", "--client", str(client_properties(layout))]
        argv += ["--brokers", str(len(brokers))]
        argv += ["--replication", str(self._copies(brokers, 1))]
        argv += assign("--topic", dict(sorted(self.topics.items())))
        argv += ["--outcome", str(_directory(layout) / "topics.json")]
        return Command("kafka-topics", layout.head, argv, _environment(layout, layout.head))


def client_properties(layout: Layout) -> Path:
    """The file with the properties of clients."""
    return _directory(layout) / "client.properties"


def client_program(
    layout: Layout, node: Node, name: str, main_class: str, arguments: Sequence[str], *, heap: int = 256 << 20
) -> Command:
    """A program of weft's own that uses the brokers, on a node; it writes its result to the record."""
    outcome = layout.outcome(f"{name}.json")
    java = _java(layout, "tools.properties", f"-Xmx{heap >> 20}m", "-XX:+UseSerialGC")
    argv = [*java, f"io.weft.kafka.{main_class}", *arguments, "--outcome", str(outcome)]
    return Command(name, node, argv, _environment(layout, node), outcome)


def _name(node: Node) -> str:
    return f"kafka-{node.name}"


def _directory(layout: Layout) -> Path:
    return layout.directory / "kafka"


def _server(layout: Layout, node: Node) -> Path:
    return _directory(layout) / f"server-{node.name}.properties"


def _certificate(layout: Layout) -> Certificate | None:
    """The brokers' certificate, which is also that of their clients; None if the run is not secured."""
    return Certificate(_directory(layout), "kafka-keystore") if layout.secured else None


def _log(layout: Layout, node: Node) -> str:
    backing = layout.services["kafka"].backing
    assert backing is not None
    # a directory of its own: Kafka takes every other one beside its own, such as lost+found, for a partition
    return f"{backing.paths[node.name]}/data"


def _secure(certificate: Certificate | None) -> dict[str, str]:
    """Properties of both sides: the one certificate is presented, and no other is trusted."""
    if certificate is None:
        return {"security.protocol": "PLAINTEXT"}
    stores: dict[str, str] = {}
    for store in ("keystore", "truststore"):
        stores |= {f"ssl.{store}.type": "PEM", f"ssl.{store}.location": str(certificate.pem)}
    return {"security.protocol": "SSL", **stores}


def _protection(certificate: Certificate | None) -> dict[str, str]:
    if certificate is None:
        return {}
    found = {key: value for key, value in _secure(certificate).items() if key.startswith("ssl.")}
    return {
        **found,
        "ssl.client.auth": "required",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": _USER,
        "allow.everyone.if.no.acl.found": "false",
    }


def _java(layout: Layout, logging: str, *flags: str) -> list[str]:
    """The arguments of Kafka's programs and of weft's own, up to the main class."""
    log4j = f"-Dlog4j2.configurationFile={_directory(layout) / logging}"
    # a site's own distribution has its jars in libs/
    classes = [
        *(f"{layout.homes['kafka']}/{folder}/*" for folder in ("lib", "libs")),
        str(layout.jars["kafka"]),
    ]
    return [str(layout.java), *flags, log4j, "-cp", ":".join(classes)]


def _environment(layout: Layout, node: Node) -> dict[str, str]:
    backing = layout.services["kafka"].backing
    on_log = backing.environment.get(node.name, {}) if backing else {}
    return {**layout.environment(node), **on_log, **temporary(layout, node)}
