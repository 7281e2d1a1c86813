"""HDFS: a NameNode and DataNodes, on the nodes that compute or on nodes of their own, over any other storage."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.errors import UsageError
from weft.host.work import Work, WorkDirectory
from weft.layout.jvm import OPENS, archived, heap, temporary
from weft.layout.places import SHARED_ROLES, Place, Role
from weft.layout.plan import SECRET, Daemon, Layout, Page, Plan, Ready
from weft.nodes.base import Node
from weft.services.hadoop import callers, classes, closed, configuration
from weft.storage.stacked import StackedStorage
from weft.text.fields import Size
from weft.text.units import show_size

_OVERHEAD = 192 << 20
"""Bytes that a daemon's process takes beside its heap."""
_REPLICATION = 3
"""HDFS's own default, where there are as many DataNodes."""
_LIFETIME = 30 * 24 * 3600 * 1000
"""Milliseconds."""
_NAMENODE = "io.weft.hadoop.NameNode"
_DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
_PAGE = '<a href="jmx">What this daemon counts</a>; the pages of its own are not part of its jars.\n'


class HdfsStorage(StackedStorage):
    """A Hadoop file system of the run's own."""

    kind: Literal["hdfs"] = "hdfs"
    positional: ClassVar[str] = "nodes"
    distributions: ClassVar[tuple[str, ...]] = ("hadoop",)
    daemons: ClassVar[bool] = True

    nodes: int = Field(
        default=0, ge=0, description="nodes of its own, beyond those that compute; 0: on those that compute"
    )
    block: Size = Field(default=128 << 20, ge=1 << 20, description="block size")
    replication: int | None = Field(
        default=None, ge=1, description="copies of each block; default: 3, or one a DataNode if fewer"
    )
    namenode_memory: Size = Field(default=256 << 20, ge=64 << 20, description="heap of the NameNode")
    datanode_memory: Size = Field(default=256 << 20, ge=64 << 20, description="heap of each DataNode")
    port: int = Field(default=8020, ge=1024, le=60000, description="port of the NameNode; DataNodes follow")
    web_port: int = Field(
        default=9870, ge=1024, le=60000, description="port of the NameNode's status page; DataNodes follow"
    )
    conf: dict[str, str] = Field(
        default_factory=dict,
        description="any property of hdfs-site.xml, for daemons and clients; wins over weft's",
    )

    @property
    def word(self) -> str:
        return f"{self.kind}:{self.nodes}" if self.nodes else self.kind

    @property
    def own_nodes(self) -> int:
        return self.nodes

    def _servers(self, nodes: Sequence[Node]) -> Sequence[Node]:
        """The nodes of the DataNodes; the NameNode is on the first."""
        return nodes[-self.nodes :] if self.nodes else nodes

    def _named(self, servers: Sequence[Node]) -> list[tuple[str, Node]]:
        """The daemons and their nodes; a daemon's place in the list tells its ports."""
        return [("namenode", servers[0]), *((f"datanode-{node.name}", node) for node in servers)]

    def _pages(self, servers: Sequence[Node]) -> dict[str, str]:
        named = enumerate(self._named(servers), self.web_port)
        return {name: f"http://{node.address}:{port}/jmx" for port, (name, node) in named}

    def _copies(self, servers: Sequence[Node]) -> int:
        copies = self.replication or min(_REPLICATION, len(servers))
        if copies > len(servers):
            raise UsageError(
                f"hdfs: {copies} copies of a block need as many DataNodes, there are {len(servers)}",
                hint="lower replication, or ask for more nodes",
            )
        return copies

    def memory(self, nodes: Sequence[Node]) -> Mapping[str, int]:
        servers = self._servers(nodes)
        taken = {node.name: self.datanode_memory + _OVERHEAD for node in servers}
        taken[servers[0].name] += self.namenode_memory + _OVERHEAD
        return taken

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        if role not in SHARED_ROLES:
            raise UsageError(
                "scratch: engines keep scratch in local files, not in HDFS",
                hint="use hdfs for --input and --output",
            )
        servers = self._servers(nodes)
        below = self.below(nodes, work)
        where = f"on {self.nodes} node(s) of its own" if self.nodes else "on the nodes that compute"
        size = f"blocks of {show_size(self.block)} x {self._copies(servers)}"
        uri = f"hdfs://{servers[0].address}:{self.port}/weft/{role}"
        return Place(
            "hdfs",
            f"HDFS {where}, {size}, on {below.description}",
            {node.name: uri for node in nodes[: len(nodes) - self.nodes]},
            shared=True,
            settings=self._client(servers),
            pages=self._pages(servers),
            secret=_secret(work.directory),
        )

    def below(self, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        return self.on.sketch("blocks", self._servers(nodes), work)

    @contextmanager
    def stand(self, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        with self.on.place("blocks", self._servers(nodes), work) as below:
            yield below

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        yield self.sketch(role, nodes, work)

    def plan(self, layout: Layout) -> Plan:
        servers = self._servers(layout.all_nodes)
        head = servers[0]
        daemons = [self._daemon(name, node, i, layout) for i, (name, node) in enumerate(self._named(servers))]
        wanted = {f"{daemon.node.address}:{daemon.ports[0]}": daemon.name for daemon in daemons[1:]}
        page = f"http://{head.address}:{self.web_port}/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo"
        summary = {
            "namenode heap": show_size(self.namenode_memory),
            "datanodes": f"{len(servers)}, heap {show_size(self.datanode_memory)} each",
            "copies of a block": str(self._copies(servers)),
        }
        return Plan(
            files=self._files(layout, servers),
            daemons=daemons,
            ready=(Ready(Page(head, page, signed=True), lambda answer: _missing(answer, wanted)),),
            summary=summary,
        )

    def _daemon(self, name: str, node: Node, number: int, layout: Layout) -> Daemon:
        """The NameNode has number 0. Each has ports of its own, since local nodes look alike to the NameNode."""
        main = _DATANODE if number else _NAMENODE
        argv = [*self._java(node, number, layout), main]
        environment = {
            **layout.environment(node),
            **layout.places["blocks"].environment.get(node.name, {}),
            **temporary(layout, node),
        }
        table = next(role for role, place in layout.places.items() if place.storage == self.kind)
        ports = (self.port + number, self.web_port + number)
        first = number == 0
        return Daemon(name, node, argv, environment, ports, page=True, essential=first, table=table)

    def _java(self, node: Node, number: int, layout: Layout) -> list[str]:
        """The words of a daemon up to its main class."""
        own = {
            "address": node.address,
            "port": self.port + number,
            "web": self.web_port + number,
            "blocks": layout.places["blocks"].paths[node.name],
            "temporary": node.directory / "hadoop",
        }
        memory = self.datanode_memory if number else self.namenode_memory
        argv = [str(layout.java), heap(memory), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *OPENS]
        argv += [f"-Dweft.{key}={value}" for key, value in own.items()]
        argv += archived(layout.classes.get("hadoop"))
        found = [*classes(layout.homes["hadoop"], layout.jars["hadoop"]), str(_conf(layout))]
        return [*argv, "-cp", ":".join(found)]

    def _client(self, servers: Sequence[Node]) -> dict[str, str]:
        """What every client has to know."""
        return {
            "dfs.replication": str(self._copies(servers)),
            "dfs.blocksize": str(self.block),
            "fs.permissions.umask-mode": "077",
            # the addresses of local nodes cannot be told from the source of their connections
            "dfs.client.use.datanode.hostname": "true",
            # with few DataNodes, a lost one has no replacement while a file is written
            "dfs.client.block.write.replace-datanode-on-failure.best-effort": "true",
            # a file that is closed before its block is reported is asked for again after this, 400 ms else: 10, 20, 40 ... ms
            "dfs.client.block.write.locateFollowingBlock.initial.delay.ms": "10",
            "dfs.client.block.write.locateFollowingBlock.retries": "11",
            **self.conf,
        }

    def _files(self, layout: Layout, servers: Sequence[Node]) -> dict[Path, str]:
        conf = _conf(layout)
        realm = layout.realm
        core = {
            "fs.defaultFS": f"hdfs://{servers[0].address}:{self.port}",
            **realm.names,
            "hadoop.security.authorization": "true",
            # a DataNode that starts before the NameNode listens tries again at once, and not 5 s later after 10 times
            "ipc.client.connect.retry.interval": "100",
            "ipc.client.connect.max.retries": "600",
            "hadoop.tmp.dir": "${weft.temporary}",
            "hadoop.http.authentication.signature.secret.file": str(_secret(layout.directory)),
            **closed(_secret(layout.directory)),
        }
        asked = {**realm.hdfs, **realm.hdfs_daemons}
        return {
            conf / "core-site.xml": configuration(core),
            conf / "hdfs-site.xml": configuration({**self._site(servers), **asked, **self._client(servers)}),
            conf / "hadoop-policy.xml": configuration(
                {"security.service.authorization.default.acl": "${user.name}", **callers(layout.all_nodes)}
            ),
            _secret(layout.directory): f"{SECRET}\n",
            # what the status pages count is otherwise up to ten seconds old
            conf / "hadoop-metrics2.properties": "*.period=1\n",
            # a daemon does not start without the folder of its pages
            conf / "webapps" / "hdfs" / "index.html": _PAGE,
            conf / "webapps" / "datanode" / "index.html": _PAGE,
        }

    def _site(self, servers: Sequence[Node]) -> dict[str, str]:
        """hdfs-site.xml of all daemons; what is a node's own comes from the system properties in its command."""
        head = servers[0].address
        return {
            "dfs.namenode.rpc-address": f"{head}:{self.port}",
            "dfs.namenode.http-address": f"{head}:{self.web_port}",
            "dfs.namenode.name.dir": "${weft.blocks}/name",
            "dfs.datanode.data.dir": "${weft.blocks}/data",
            "dfs.datanode.hostname": "${weft.address}",
            "dfs.datanode.address": "${weft.address}:${weft.port}",
            "dfs.datanode.http.address": "${weft.address}:${weft.web}",
            "dfs.datanode.ipc.address": "${weft.address}:0",
            "dfs.datanode.use.datanode.hostname": "true",
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
            "dfs.block.access.token.enable": "true",
            # nobody renews the token of a cluster that stands for days
            "dfs.namenode.delegation.token.max-lifetime": str(_LIFETIME),
            "dfs.namenode.delegation.token.renew-interval": str(_LIFETIME),
            # a DataNode that is lost is known to be lost after 2 x 5 s + 10 x 1 s, not after ten minutes
            "dfs.heartbeat.interval": "1",
            "dfs.namenode.heartbeat.recheck-interval": "5000",
            "dfs.namenode.stale.datanode.interval": "10000",
            # with few DataNodes a busy one is no reason to make fewer copies
            "dfs.namenode.redundancy.considerLoad": "false",
            # WebHDFS serves files to whoever claims a user's name, and no daemon can do without it:
            # the NameNode's is one of its pages, a DataNode's is asked before any filter of its pages
            "dfs.datanode.httpserver.filter.handlers": "io.weft.hadoop.PageHandler",
        }


def _conf(layout: Layout) -> Path:
    return layout.directory / "hdfs"


def _secret(directory: Path) -> Path:
    """The file, below a run's directory, that tells the daemons the secret."""
    return directory / "hdfs" / "http-secret"


def _missing(answer: Any, wanted: Mapping[str, str]) -> list[str]:
    """Daemons that the NameNode does not know yet, by its page of beans."""
    for bean in answer["beans"]:
        live = json.loads(bean["LiveNodes"])
        return [
            *([] if bean["Safemode"] == "" else ["namenode"]),
            *(name for address, name in wanted.items() if address not in live),
        ]
    raise KeyError("beans")
