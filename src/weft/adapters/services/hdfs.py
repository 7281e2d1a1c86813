"""The daemons of HDFS: a NameNode and DataNodes, on the compute nodes or on nodes of their own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.services.hadoop import (
    allowed_hosts,
    classes,
    configuration,
    hadoop_classes,
    jars,
    page_filter,
)
from weft.adapters.services.serving import StorageService
from weft.adapters.storage.hdfs import HdfsStorage
from weft.layout.endpoint import Endpoint, HadoopFileSystem
from weft.layout.jvm import OPENS, SharedClasses, archived, heap, temporary
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import SECRET, Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived

_OVERHEAD = 192 << 20
"""Bytes of a daemon's process besides its heap."""
_LIFETIME = 30 * 24 * 3600 * 1000
"""Milliseconds."""
_NAMENODE = "io.weft.hadoop.NameNode"
_DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
_PAGE = '<a href="jmx">What this daemon counts</a>; the pages of its own are not part of its jars.\n'


_PROTECTION = {
    "dfs.block.access.token.enable": "true",
    # WebHDFS serves files to anybody who claims a user's name, and no daemon works without it:
    # the NameNode's is one of its pages, a DataNode's is called before any filter of its pages
    "dfs.datanode.httpserver.filter.handlers": "io.weft.hadoop.PageHandler",
}
"""Settings of the daemons of a secured run."""


class Hdfs(StorageService):
    """A NameNode and DataNodes."""

    kind: Literal["hdfs"] = "hdfs"
    distributions: ClassVar[tuple[str, ...]] = ("hadoop",)

    storage: HdfsStorage = Field(description="the storage that it serves")

    @property
    def needs(self) -> tuple[str, ...]:
        return ("kerberos",)

    def _named(self, servers: Sequence[Node]) -> list[tuple[str, Node]]:
        """The daemons and their nodes; a daemon's position in the list determines its ports."""
        return [("namenode", servers[0]), *((f"datanode-{node.name}", node) for node in servers)]

    def memory(self, members: Members) -> Mapping[str, int]:
        servers = members.of(self.kind)
        taken = {node.name: self.storage.datanode_memory + _OVERHEAD for node in servers}
        taken[servers[0].name] += self.storage.namenode_memory + _OVERHEAD
        return taken

    def classes(self, homes: Mapping[str, Path], jars: Mapping[str, Path]) -> Mapping[str, SharedClasses]:
        return hadoop_classes(homes, jars)

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:
        servers = members.of(self.kind)
        named = enumerate(self._named(servers), self.storage.web_port)
        client = {**layout.properties("core-site"), **layout.properties("hdfs-site"), **self._client(servers)}
        return Endpoint(
            file_system=HadoopFileSystem("hdfs", client, jars(layout.homes["hadoop"]), tokens=True),
            pages={name: f"http://{node.address}:{port}/jmx" for port, (name, node) in named},
            secret=_secret(layout.directory) if layout.secured else None,
        )

    def plan(self, layout: Layout) -> Plan:
        servers = layout.serving(self.kind)
        head = servers[0]
        daemons = [self._daemon(name, node, i, layout) for i, (name, node) in enumerate(self._named(servers))]
        wanted = {f"{daemon.node.address}:{daemon.ports[0]}": daemon.name for daemon in daemons[1:]}
        page = (
            f"http://{head.address}:{self.storage.web_port}/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo"
        )
        derived = Derived(
            counts={"datanodes": len(servers), "copies of a block": self.storage.copies(len(servers))},
            sizes={
                "namenode heap": self.storage.namenode_memory,
                "datanode heap": self.storage.datanode_memory,
            },
        )
        return Plan(
            files=self._files(layout, servers),
            daemons=daemons,
            ready=(Ready(Page(head, page, signed=layout.secured), lambda answer: _missing(answer, wanted)),),
            derived={self.kind: derived},
        )

    def _daemon(self, name: str, node: Node, number: int, layout: Layout) -> Daemon:
        """The NameNode has number 0. Each has its own ports, since local nodes look alike to the NameNode."""
        main = _DATANODE if number else _NAMENODE
        argv = [*self._java(node, number, layout), main]
        environment = {
            **layout.environment(node),
            **self._blocks(layout).environment.get(node.name, {}),
            **temporary(layout, node),
        }
        table = next((role for role, place in layout.places.items() if place.storage == self.kind), self.kind)
        ports = (self.storage.port + number, self.storage.web_port + number)
        first = number == 0
        return Daemon(name, node, argv, environment, ports, page=True, essential=first, table=table)

    def _blocks(self, layout: Layout) -> Place:
        backing = layout.services[self.kind].backing
        assert backing is not None
        return backing

    def _java(self, node: Node, number: int, layout: Layout) -> list[str]:
        """The arguments of a daemon up to its main class."""
        own = {
            "address": node.address,
            "port": self.storage.port + number,
            "web": self.storage.web_port + number,
            "blocks": self._blocks(layout).paths[node.name],
            "temporary": node.directory / "hadoop",
        }
        memory = self.storage.datanode_memory if number else self.storage.namenode_memory
        argv = [str(layout.java), heap(memory), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *OPENS]
        argv += [f"-Dweft.{key}={value}" for key, value in own.items()]
        argv += archived(layout.classes.get("hadoop"))
        found = [*classes(layout.homes["hadoop"], layout.jars["hadoop"]), str(_conf(layout))]
        return [*argv, "-cp", ":".join(found)]

    def _client(self, servers: Sequence[Node]) -> dict[str, str]:
        """Settings of every client."""
        return {
            "dfs.replication": str(self.storage.copies(len(servers))),
            "dfs.blocksize": str(self.storage.block),
            "fs.permissions.umask-mode": "077",
            # the source of a connection does not identify local nodes
            "dfs.client.use.datanode.hostname": "true",
            # with few DataNodes, a lost one has no replacement while a file is written
            "dfs.client.block.write.replace-datanode-on-failure.best-effort": "true",
            # the delay before a client retries to close a file whose block is not reported yet; default 400 ms: 10, 20, 40 ... ms
            "dfs.client.block.write.locateFollowingBlock.initial.delay.ms": "10",
            "dfs.client.block.write.locateFollowingBlock.retries": "11",
            **self.storage.conf,
        }

    def _files(self, layout: Layout, servers: Sequence[Node]) -> dict[Path, str]:
        conf = _conf(layout)
        core = {
            "fs.defaultFS": f"hdfs://{servers[0].address}:{self.storage.port}",
            **layout.properties("core-site"),
            "hadoop.security.authorization": str(layout.secured).lower(),
            # a DataNode that starts before the NameNode listens retries at once, and not 5 s later after 10 attempts
            "ipc.client.connect.retry.interval": "100",
            "ipc.client.connect.max.retries": "600",
            "hadoop.tmp.dir": "${weft.temporary}",
            **(page_filter(_secret(layout.directory)) if layout.secured else {}),
        }
        asked = {**layout.properties("hdfs-site"), **layout.properties("hdfs-daemons")}
        site = {**self._site(servers), **(_PROTECTION if layout.secured else {})}
        return {
            conf / "core-site.xml": configuration(core),
            conf / "hdfs-site.xml": configuration({**site, **asked, **self._client(servers)}),
            **(self._protection(layout) if layout.secured else {}),
            # otherwise the metrics of status pages are up to ten seconds old
            conf / "hadoop-metrics2.properties": "*.period=1\n",
            # a daemon does not start without the folder of its pages
            conf / "webapps" / "hdfs" / "index.html": _PAGE,
            conf / "webapps" / "datanode" / "index.html": _PAGE,
        }

    def _protection(self, layout: Layout) -> dict[Path, str]:
        """Who may call the daemons, and the secret that opens their pages."""
        policy = {
            "security.service.authorization.default.acl": "${user.name}",
            **allowed_hosts(layout.all_nodes),
        }
        secret = _secret(layout.directory)
        return {secret.with_name("hadoop-policy.xml"): configuration(policy), secret: f"{SECRET}\n"}

    def _site(self, servers: Sequence[Node]) -> dict[str, str]:
        """hdfs-site.xml of all daemons; node-specific values are system properties in each command."""
        head = servers[0].address
        return {
            "dfs.namenode.rpc-address": f"{head}:{self.storage.port}",
            "dfs.namenode.http-address": f"{head}:{self.storage.web_port}",
            "dfs.namenode.name.dir": "${weft.blocks}/name",
            "dfs.datanode.data.dir": "${weft.blocks}/data",
            "dfs.datanode.hostname": "${weft.address}",
            "dfs.datanode.address": "${weft.address}:${weft.port}",
            "dfs.datanode.http.address": "${weft.address}:${weft.web}",
            "dfs.datanode.ipc.address": "${weft.address}:0",
            "dfs.datanode.use.datanode.hostname": "true",
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
            # nobody renews the token of a cluster that runs for days
            "dfs.namenode.delegation.token.max-lifetime": str(_LIFETIME),
            "dfs.namenode.delegation.token.renew-interval": str(_LIFETIME),
            # a lost DataNode is detected after 2 x 5 s + 10 x 1 s, not after ten minutes
            "dfs.heartbeat.interval": "1",
            "dfs.namenode.heartbeat.recheck-interval": "5000",
            "dfs.namenode.stale.datanode.interval": "10000",
            # with few DataNodes, a busy one is not a reason to write fewer copies
            "dfs.namenode.redundancy.considerLoad": "false",
        }


def _conf(layout: Layout) -> Path:
    return layout.directory / "hdfs"


def _secret(directory: Path) -> Path:
    """The file, below a run's directory, with the secret for the daemons."""
    return directory / "hdfs" / "http-secret"


def _missing(answer: Any, wanted: Mapping[str, str]) -> list[str]:
    """Daemons that are missing in the NameNode's page of beans."""
    for bean in answer["beans"]:
        live = json.loads(bean["LiveNodes"])
        return [
            *([] if bean["Safemode"] == "" else ["namenode"]),
            *(name for address, name in wanted.items() if address not in live),
        ]
    raise KeyError("beans")
