"""YARN on the nodes of a layout: its files, its daemons, and how Hadoop programs connect to it.

One set of files serves all nodes: values that differ are system properties of each node's daemons, which
Hadoop substitutes for ${weft.address} and the like.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.adapters.services.hadoop import allowed_hosts, classes, configuration, page_filter
from weft.errors import UsageError
from weft.layout.jvm import OPENS, archived, heap, temporary
from weft.layout.node import Node, fewest_cores
from weft.layout.plan import SECRET, Applications, Daemon, Layout, Page, Ready
from weft.text.units import show_size

RESOURCE_MANAGER = 256 << 20
NODE_MANAGER = 192 << 20
"""Bytes of heap; both use half of it when idle."""
OVERHEAD = 192 << 20
"""Bytes of such a daemon's process besides its heap."""
_NODE_MANAGER_GRACE = 1
"""Seconds: it ends its containers at once, and then waits for applications and logs that nobody will request."""
GRAIN = 64 << 20
"""Container sizes are multiples of this many bytes."""


PROTOCOLS = (
    "job.client.protocol",
    "mrhs.client.protocol",
    "applicationclient.protocol",
    "resourcemanager-administration.protocol",
    "resourcetracker.protocol",
    "refresh.policy.protocol",
    "refresh.user.mappings.protocol",
)
"""RPC that only the user may call; the others require a token of the calling application."""


@dataclass(frozen=True)
class Ports:
    """Ports on each node's own address, counted from two."""

    first: int
    web: int

    @property
    def manager(self) -> tuple[int, ...]:
        """The ResourceManager's: clients, applications, NodeManagers, administration; then its status page."""
        return (self.first, self.first + 1, self.first + 2, self.first + 3, self.web)

    @property
    def node(self) -> tuple[int, ...]:
        """A NodeManager's: containers, localizer; then its status page."""
        return (self.first + 10, self.first + 11, self.web + 1)


@dataclass(frozen=True)
class Containers:
    """How the memory of each node is divided, in bytes: a container for each core, and one for an ApplicationMaster."""

    task: int
    master: int
    each: int
    """Task containers on a node."""
    cores: int
    """Cores of a node."""

    @property
    def node(self) -> int:
        """The resources that a NodeManager offers."""
        return self.task * self.each + self.master

    def at_once(self, sizes: Iterable[str]) -> int:
        """Tasks that a node runs at one time where the user's settings give them containers of so many MiB, empty for weft's size.

        YARN counts memory alone, and rounds it up; more tasks than cores are no slots.
        """
        asked = [-(-(int(size) << 20) // GRAIN) * GRAIN if size.isdecimal() else self.task for size in sizes]
        return max(1, min(self.each, self.node // max(GRAIN, min(asked))))


@dataclass(frozen=True)
class YarnCluster:
    """YARN on the nodes of a layout."""

    layout: Layout
    ports: Ports
    containers: Containers
    closed: bool = True
    """Whether the pages require a token that is signed with the secret."""
    table: str = "engine"
    """The spec's table with the keys of its ports."""

    @property
    def conf(self) -> Path:
        folder = self.layout.services["yarn"].settings
        assert folder is not None
        return folder

    @property
    def secret(self) -> Path:
        """The file with the run's secret for the daemons."""
        return self.conf / "http-secret"

    @property
    def classes(self) -> str:
        """The class path of every process."""
        return self.class_path(str(self.conf))

    def class_path(self, settings: str) -> str:
        """`settings` are folders; an archive matches only class paths that begin with the jars."""
        layout = self.layout
        added = [*layout.file_system_jars, *layout.service_jars("hadoop")]
        jars = dict.fromkeys([*classes(layout.homes["hadoop"], layout.jars["hadoop"]), *added])
        return ":".join([*jars, settings])

    def core_site(self) -> dict[str, str]:
        return {
            # a distribution from another source has a name that shows it
            "fs.defaultFS": "file:///",
            "hadoop.tmp.dir": "${java.io.tmpdir}/hadoop",
            "hadoop.security.authorization": str(self.layout.secured).lower(),
            **self.layout.properties("core-site"),
            # otherwise a NodeManager waits ten seconds for the removal of logs, which is hours away
            "hadoop.service.shutdown.timeout": "2s",
            # a lost node is detected after seconds, not after the default of minutes
            "ipc.client.connect.max.retries": "50",
            "ipc.client.connect.retry.interval": "100",
            "ipc.client.connect.max.retries.on.timeouts": "3",
            "ipc.client.connect.timeout": "5000",
            **(page_filter(self.secret) if self.closed else {}),
            **self.layout.file_system_properties,
        }

    def yarn_site(self, services: Mapping[str, str]) -> dict[str, str]:
        """`services`: auxiliary services of the NodeManagers, class by name."""
        address, own = self.layout.head.address, "${weft.address}"
        manager = dict(
            zip(("", "scheduler.", "resource-tracker.", "admin.", "webapp."), self.ports.manager, strict=True)
        )
        node = dict(zip(("", "localizer.", "webapp."), self.ports.node, strict=True))
        return {
            "yarn.resourcemanager.hostname": address,
            **{f"yarn.resourcemanager.{what}address": f"{address}:{port}" for what, port in manager.items()},
            **{f"yarn.nodemanager.{what}address": f"{own}:{port}" for what, port in node.items()},
            **self.layout.properties("yarn-site"),
            "yarn.acl.enable": str(self.layout.secured).lower(),
            "yarn.admin.acl": "${user.name}",
            "yarn.application.classpath": self.classes,
            "yarn.nodemanager.hostname": own,
            "yarn.nodemanager.local-dirs": "${weft.local}",
            "yarn.nodemanager.log-dirs": "${weft.logs}",
            "yarn.nodemanager.env-whitelist": ",".join(
                ["JAVA_HOME", "JAVA_TOOL_OPTIONS", "PATH", "LANG", "TZ", *self.inherited]
            ),
            "yarn.nodemanager.aux-services": ",".join(services),
            **{f"yarn.nodemanager.aux-services.{name}.class": kind for name, kind in services.items()},
            "yarn.nodemanager.resource.memory-mb": str(self.containers.node >> 20),
            "yarn.nodemanager.resource.cpu-vcores": str(self.containers.cores + 1),
            "yarn.nodemanager.vmem-check-enabled": "false",
            # containers' logs are in the record, from which it would remove them after three hours
            "yarn.nodemanager.log.retain-seconds": "2592000",
            # disk health checks are not the NodeManager's task; it does one when it starts, and would leave out a disk that is 90 % full
            "yarn.nodemanager.disk-health-checker.enable": "false",
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
            "yarn.nodemanager.container-metrics.enable": "false",
            "yarn.nodemanager.sleep-delay-before-sigkill.ms": "100",
            "yarn.nodemanager.process-kill-wait.ms": "1000",
            "yarn.nodemanager.node-attributes.provider": "",
            "yarn.node-attribute.fs-store.root-dir": f"file://{self.layout.directory}/yarn/attributes",
            "yarn.node-labels.fs-store.root-dir": f"file://{self.layout.directory}/yarn/labels",
            "yarn.scheduler.minimum-allocation-mb": str(GRAIN >> 20),
            "yarn.scheduler.maximum-allocation-mb": str(self.containers.node >> 20),
            "yarn.scheduler.maximum-allocation-vcores": str(self.containers.cores),
            # the defaults are for thousands of nodes; here every second of waiting is measured
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "100",
            # otherwise a NodeManager that starts before its ResourceManager waits 30 s before it retries
            "yarn.resourcemanager.connect.retry-interval.ms": "1000",
            "yarn.nm.liveness-monitor.expiry-interval-ms": "15000",
            # long, since an ApplicationMaster reads its jars from scratch before it registers; a lost node is noticed by the line above
            "yarn.am.liveness-monitor.expiry-interval-ms": "120000",
            "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "60000",
            "yarn.client.application-client-protocol.poll-interval-ms": "50",
            "yarn.client.nodemanager-connect.max-wait-ms": "10000",
            "yarn.client.nodemanager-connect.retry-interval-ms": "1000",
        }

    def scheduler(self) -> dict[str, str]:
        """One queue, to which only the user who runs weft may submit if the run is secured."""
        prefix = "yarn.scheduler.capacity"
        acls = {
            f"{prefix}.{queue}.acl_{what}": "${user.name}"
            for queue in ("root", "root.default")
            for what in ("submit_applications", "administer_queue")
        }
        return {
            f"{prefix}.root.queues": "default",
            f"{prefix}.root.default.capacity": "100",
            f"{prefix}.root.default.state": "RUNNING",
            f"{prefix}.maximum-am-resource-percent": "0.5",
            f"{prefix}.resource-calculator": "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
            **(acls if self.layout.secured else {}),
        }

    def sites(self, services: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """YARN's own files by name; `services` as for `yarn_site`."""
        policy = {
            **{f"security.{name}.acl": "${user.name}" for name in PROTOCOLS},
            **allowed_hosts(self.layout.all_nodes),
        }
        return {
            "core-site": self.core_site(),
            "yarn-site": self.yarn_site(services),
            "capacity-scheduler": self.scheduler(),
            **({"hadoop-policy": policy} if self.layout.secured else {}),
        }

    @property
    def inherited(self) -> list[str]:
        """Names of variables that containers inherit from their NodeManager."""
        head = self.layout.head
        own = {*self.layout.environment(head), *temporary(self.layout, head), "WEFT_NODE"}
        # a container has tokens: a login of each would only take time
        return sorted(own.difference(*(service.environment for service in self.layout.services.values())))

    def files(self, sites: Mapping[str, Mapping[str, str]], conf: Mapping[str, str]) -> dict[Path, str]:
        """The generated files; `conf` has the user's settings, each of which overrides the file to which it belongs."""
        # HDFS's own defaults are read after core-site, and would override it there
        sites = {**sites, "hdfs-site": self.layout.file_system_properties}
        found = {self.conf / f"{name}.xml": self.site(name, site, conf) for name, site in sites.items()}
        return {**found, **({self.secret: f"{SECRET}\n"} if self.closed else {})}

    def site(self, name: str, settings: Mapping[str, str], conf: Mapping[str, str]) -> str:
        """One of the files by name; `conf` as for all of them."""
        own = {key: value for key, value in conf.items() if _site(key) == name}
        return configuration({**settings, **own})

    def daemons(self) -> list[Daemon]:
        head = self.layout.head
        package = "org.apache.hadoop.yarn.server"
        main, ports = f"{package}.resourcemanager.ResourceManager", self.ports.manager
        daemons = [self.daemon("resourcemanager", head, main, RESOURCE_MANAGER, ports, essential=True)]
        main, ports = f"{package}.nodemanager.NodeManager", self.ports.node
        for node in self.layout.nodes:
            name = f"nodemanager-{node.name}"
            daemons.append(self.daemon(name, node, main, NODE_MANAGER, ports, grace=_NODE_MANAGER_GRACE))
        return daemons

    def ready(self) -> Ready:
        nodes = tuple(self.layout.nodes)
        return Ready(self._page("nodes"), lambda answer: missing(answer, nodes), of=self.table)

    def applications(self) -> Applications:
        def running(answer: Any) -> int:
            return int(answer["clusterMetrics"]["appsRunning"] + answer["clusterMetrics"]["appsPending"])

        return Applications(self._page("metrics"), running)

    def _page(self, what: str) -> Page:
        """One of the ResourceManager's pages about the cluster."""
        head = self.layout.head
        return Page(head, f"http://{head.address}:{self.ports.web}/ws/v1/cluster/{what}", signed=self.closed)

    def daemon(
        self,
        name: str,
        node: Node,
        main: str,
        size: int,
        ports: Sequence[int],
        **how: Any,
    ) -> Daemon:
        """`how`: further fields of the daemon."""
        own = {
            "address": node.address,
            "local": self.layout.places["scratch"].paths[node.name],
            "logs": self.layout.record / "logs" / node.name / "containers",
        }
        flags = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        flags += [f"-Dweft.{key}={value}" for key, value in own.items()]
        argv, environment = [*self.java(size, *flags), main], self.environment(node)
        return Daemon(name, node, argv, environment, tuple(ports), page=True, table=self.table, **how)

    def java(self, bytes_of_heap: int, *flags: str, settings: str = "") -> list[str]:
        """The arguments of `java` up to the main class; `settings` are folders other than the run's."""
        own = [*archived(self.layout.classes.get("hadoop")), *flags, "-Djava.net.preferIPv4Stack=true"]
        home = f"-Dhadoop.home.dir={self.layout.homes['hadoop']}"
        classes = self.class_path(settings or str(self.conf))
        return [str(self.layout.java), heap(bytes_of_heap), *own, home, *OPENS, "-cp", classes]

    def environment(self, node: Node) -> dict[str, str]:
        return {
            **self.layout.environment(node),
            "HADOOP_CONF_DIR": str(self.conf),
            "JAVA_HOME": str(self.layout.java_home),
            **temporary(self.layout, node),
        }


def divide(layout: Layout, head: int, asked: int | None, *, master: int, least: int, most: int) -> Containers:
    """Divide each node's memory into containers, equally on all nodes. Raises UsageError if a task does not fit.

    `head`: bytes of the engine's processes on the head node; `asked`: bytes of a task container.
    """
    on_head = layout.head.memory - head
    room = min([on_head, *(node.memory for node in layout.nodes[1:])]) - master
    each = fewest_cores(layout.nodes)
    own = min(most, max(room * 6 // 10 // each, min(room // each, least))) // GRAIN * GRAIN
    # YARN rounds requests up: otherwise one container of all would not fit next to a master
    task = -(-asked // GRAIN) * GRAIN if asked else own
    if task < least:
        left = f"what is left of a node, {show_size(max(room, 0))}"
        has = f"the {show_size(asked)} asked for" if asked else left
        raise UsageError(
            f"{has}, is below the {show_size(least)} that each of the {each} task container(s) on a node needs",
            hint="use fewer nodes or cores, or give the nodes more memory",
        )
    if task * each > room:
        raise UsageError(
            f"{each} container(s) of {show_size(task)} do not fit into the {show_size(room)} that remain on a node",
            hint="lower engine.task_memory, or use fewer cores or nodes",
        )
    return Containers(task, master, each, each)


def _site(key: str) -> str:
    """The file to which a setting belongs."""
    if key.startswith("yarn.scheduler.capacity."):
        return "capacity-scheduler"
    if key.startswith(("mapreduce.", "yarn.app.mapreduce.")):
        return "mapred-site"
    if key.startswith("security."):
        return "hadoop-policy"
    if key.startswith("dfs."):
        return "hdfs-site"
    return "yarn-site" if key.startswith("yarn.") else "core-site"


def missing(answer: Any, nodes: Sequence[Node]) -> list[str]:
    """NodeManagers that are missing in the ResourceManager's list of nodes."""
    listed = (answer["nodes"] or {}).get("node", [])
    running = {node["nodeHostName"] for node in listed if node["state"] == "RUNNING"}
    if len(running) >= len(nodes):
        return []
    return [
        f"nodemanager-{node.name}"
        for node in nodes
        if not {node.address, node.name} & {word for host in running for word in (host, host.split(".")[0])}
    ]
