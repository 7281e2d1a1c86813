"""Plain data between the request and the started processes: daemons, files, commands, readiness checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from weft.errors import UsageError
from weft.facts.roles import Role
from weft.layout import handshake
from weft.layout.endpoint import Endpoint, HadoopFileSystem
from weft.layout.node import Node
from weft.layout.places import Place
from weft.record.derived import Derived

SECRET = "@SECRET@"  # noqa: S105 - a placeholder
"""Replaced by the run's secret in generated files."""
Component = Literal["engine", "generator", "validator"]
"""The component of a process: generators produce the input, validators check the result."""
COMPONENTS: tuple[Component, ...] = get_args(Component)
COMPONENT = "@COMPONENT@"
"""Replaced by the component of a process in the variables of probes, so that each is counted separately."""


@dataclass(frozen=True)
class Layout:
    """Where everything of one run is. The first node is the head node: it also runs masters and drivers."""

    run: str
    nodes: Sequence[Node]
    places: Mapping[Role, Place]
    directory: Path
    """Work directory: generated files, removed after the run."""
    record: Path
    """Record directory: logs and events, kept after the run."""
    java: Path
    """The `java` program."""
    homes: Mapping[str, Path]
    """Directory of each engine's distribution."""
    jars: Mapping[str, Path]
    """weft's own jars, by module: core, spark."""
    libraries: Sequence[Path] = ()
    """Jars that the workload's job needs besides those of its engine."""
    classes: Mapping[str, Path] = field(default_factory=dict)
    """Class-data archives, by distribution."""
    empty: Path = Path("empty")
    """An empty directory with which class paths may begin."""
    native: Path = Path("native")
    """Directory of weft's native programs, if the run uses any."""
    metrics: bool = True
    """Whether the engine must write its job history for the run (Spark: the event log)."""
    preload: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By node name: variables that probes need in every process; COMPONENT in them is replaced by the process's component."""
    of_job: Mapping[str, str] = field(default_factory=dict)
    """Variables that processes of the job have instead of the cluster's, on every node; COMPONENT in them is replaced as well."""
    component: Component = "engine"
    """The component of the processes that are planned."""
    servers: Sequence[Node] = ()
    """Nodes that belong to services."""
    services: Mapping[str, Endpoint] = field(default_factory=dict)
    """The run's services, by name, in the order of their start."""
    compressed: bool = True
    """Whether an engine compresses what is shuffled, if that is no setting of a job for it."""
    encrypted: bool = False
    """Whether network traffic must be encrypted."""
    engine: str = ""
    """The kind of the engine."""
    secured: bool = True
    """Whether processes prove to each other that they belong to the run, and pages require a token."""
    persistent: bool = False
    """Whether jobs of its user run on it, of which some may wait for others."""
    shares: Mapping[str, int] = field(default_factory=dict)
    """By engine, if several have the same nodes: its parts of each node's memory."""
    taken: str = ""
    """The mark of processes that were there before the run, which has them for its job."""
    part: str = ""
    """The engine whose share of a layout this is."""

    def of_engine(self, kind: str) -> "Layout":
        """What an engine has of it: all, or the same nodes with a part of their memory, and a directory of its own."""
        if kind not in self.shares:
            return self
        parts, whole = self.shares[kind], sum(self.shares.values())
        nodes = [replace(node, memory=node.memory * parts // whole) for node in self.nodes]
        return replace(self, nodes=nodes, directory=self.directory / kind, shares={}, part=kind)

    def named(self, daemon: str) -> str:
        """The name of an engine's daemon, with that of the engine if others have daemons on the same nodes."""
        return f"{self.part}-{daemon}" if self.part else daemon

    @property
    def marks(self) -> str:
        """Which marks processes of the run have in their environment, separated by commas."""
        return ",".join(filter(None, [self.run, self.taken]))

    @property
    def table(self) -> str:
        """The spec's table with the keys of the engine."""
        return f"engine.{self.part}" if self.part else "engine"

    def of(self, component: Component) -> "Layout":
        """The same for processes of another component."""
        return replace(self, component=component)

    @property
    def all_nodes(self) -> list[Node]:
        return [*self.nodes, *self.servers]

    @property
    def head(self) -> Node:
        return self.nodes[0]

    @property
    def staging(self) -> Path:
        """Staging directory: visible to all nodes, like the record; removed after the run."""
        return self.record / "staging"

    @property
    def slots(self) -> int:
        """Tasks that can run at once."""
        return sum(node.cores for node in self.nodes)

    def log(self, node: Node, name: str) -> Path:
        return self.record / "logs" / node.name / f"{name}.log"

    def outcome(self, file: str = "run.json") -> Path:
        """Where a program writes its result to; the job, without another name."""
        return self.record / "outcomes" / file

    def wrapper(self, node: Node) -> tuple[str, ...]:
        """Arguments before every command on a node that move it to where its files are; empty for most places."""
        return next((place.wrapper[node.name] for place in self.places.values() if place.wrapper), ())

    def environment(self, node: Node) -> dict[str, str]:
        """The environment of every engine process on a node."""
        merged = {"WEFT_LEASE": self.run}
        for place in self.places.values():
            merged.update(place.environment.get(node.name, {}))
        wanted = self.preload.get(node.name, {})
        merged.update({name: value.replace(COMPONENT, self.component) for name, value in wanted.items()})
        for service in self.services.values():
            merged.update(service.environment)
        # one file for all engines of a node
        whole = self.directory.parent if self.part else self.directory
        return {**merged, **handshake.variables(merged, whole / node.name)}

    def properties(self, configuration: str) -> dict[str, str]:
        """The settings that services add to an engine, by its kind, or to a configuration, such as yarn-site."""
        found = [service.properties.get(configuration, {}) for service in self.services.values()]
        return {key: value for properties in found for key, value in properties.items()}

    def service_jars(self, engine: str) -> list[str]:
        """The jars that services add to the class path of an engine, by its kind."""
        return list(dict.fromkeys(jar for one in self.services.values() for jar in one.jars.get(engine, ())))

    @property
    def file_systems(self) -> list[HadoopFileSystem]:
        """Those that clients reach by URIs."""
        return [service.file_system for service in self.services.values() if service.file_system]

    @property
    def file_system_properties(self) -> dict[str, str]:
        """Hadoop's settings of every client of these."""
        return {key: value for system in self.file_systems for key, value in system.properties.items()}

    @property
    def file_system_jars(self) -> list[str]:
        """The class path of clients of these that have no Hadoop of their own."""
        return list(dict.fromkeys(jar for system in self.file_systems for jar in system.jars))

    @property
    def java_home(self) -> Path:
        """The directory of the Java runtime."""
        return self.java.parent.parent

    @property
    def java_options(self) -> list[str]:
        """The options that services add for every Java virtual machine."""
        return [option for service in self.services.values() for option in service.java]

    @property
    def uris(self) -> list[str]:
        """Places that are URIs instead of paths of a node."""
        paths = [path for place in self.places.values() for path in place.paths.values()]
        return [path for path in dict.fromkeys(paths) if "://" in path]

    @property
    def token_uris(self) -> list[str]:
        """Those whose file systems give delegation tokens, if processes authenticate each other."""
        schemes = {system.scheme for system in self.file_systems if system.tokens and self.secured}
        return [uri for uri in self.uris if uri.partition("://")[0] in schemes]

    @property
    def all_places(self) -> dict[Role, Place]:
        """The places of all roles, and of the files of services' daemons."""
        return {**self.places, **{name: one.backing for name, one in self.services.items() if one.backing}}

    def serving(self, service: str) -> list[Node]:
        """The nodes of a service's daemons, with their addresses on its network."""
        found = self.services[service]
        return [node.on(found.network) for node in self.all_nodes if node.name in found.nodes]


@dataclass(frozen=True)
class Daemon:
    """A long-running process of an engine. `essential`: without it the cluster cannot continue."""

    name: str
    node: Node
    argv: Sequence[str]
    environment: Mapping[str, str]
    ports: Sequence[int] = ()
    page: bool = False
    """Whether the last of its ports is that of its status page."""
    essential: bool = False
    grace: float = 10
    """Seconds from SIGTERM until it is killed."""
    table: str = "engine"
    """The spec's table with its ports: `port`, and for the status page `web_port`."""
    after: "Ready | None" = None
    """What must be ready before it is started."""
    before: "Ready | None" = None
    """What must be ready before the next daemon is started."""


@dataclass(frozen=True)
class Page:
    """A page of an engine's interface, and how `node` requests it. tcp://HOST:PORT only checks that the port is open."""

    node: Node
    url: str
    certificate: Path | None = None
    """PEM file of the key and certificate for both sides, if the page is encrypted."""
    signed: bool = False
    """Whether the page at `url` requires a token signed with the run's secret (JWS, HS256)."""
    follow: Callable[[Any], str] | None = None
    """If only another page knows the address: returns it from the response of `url`, or raises KeyError."""


@dataclass(frozen=True)
class Ready:
    """Request until `missing(response)` is empty; it returns names of daemons."""

    page: Page
    missing: Callable[[Any], list[str]]
    of: str = ""
    """The daemons to wait for, if there are others: their table, or the name of one."""


@dataclass(frozen=True)
class Applications:
    """Counts running and pending applications of users: `count(response)`."""

    page: Page
    count: Callable[[Any], int]
    full: Callable[[Any], list[str]] = lambda _: []
    """What the nodes lack for one more application of the plan's settings, as text; empty also if it is not known."""


Ask = Callable[[str], Any]
"""Returns the response of a page of an engine's interface, by the page's path. Raises LookupError if it has no such page."""


@dataclass(frozen=True)
class Inquiry:
    """Requests to an engine before it stops, for its job metrics: what to store, by file name."""

    base: Page
    """Its address precedes every page's path."""
    metrics: Callable[[Ask], Mapping[str, Any]]


@dataclass(frozen=True)
class Plan:
    """An engine laid out on nodes."""

    files: Mapping[Path, str]
    """Text by path; the word SECRET in it is replaced by the run's random secret, which is never in the record."""
    daemons: Sequence[Daemon]
    ready: Sequence[Ready] = ()
    derived: Mapping[str, Derived] = field(default_factory=dict)
    """By engine or service: what it derives from the nodes."""
    first: Sequence["Command"] = ()
    """Run one after another, before any daemon is started."""
    then: Sequence["Command"] = ()
    """The same when all daemons are ready, before the work begins."""
    sealed: Mapping[Path, Callable[[str], bytes]] = field(default_factory=dict)
    """By path: creates a file's contents from the run's secret."""
    last: Sequence[Inquiry] = ()
    """Requests after the end of the work, in any case, before the daemons are stopped."""
    applications: Sequence[Applications] = ()
    """Requests while a persistent cluster runs, to determine whether it is used."""


def together(plans: Sequence[Plan]) -> Plan:
    """A combined plan: of services, and of each engine."""
    return Plan(
        files={path: text for plan in plans for path, text in plan.files.items()},
        daemons=[daemon for plan in plans for daemon in plan.daemons],
        ready=[ready for plan in plans for ready in plan.ready],
        derived={name: value for plan in plans for name, value in plan.derived.items()},
        first=[command for plan in plans for command in plan.first],
        then=[command for plan in plans for command in plan.then],
        sealed={path: make for plan in plans for path, make in plan.sealed.items()},
        last=[inquiry for plan in plans for inquiry in plan.last],
        applications=[question for plan in plans for question in plan.applications],
    )


def require_apart(daemons: Sequence[Daemon]) -> None:
    """Raises UsageError if two daemons on a node use the same port."""
    taken: dict[tuple[str, int], Daemon] = {}
    for daemon, port in [(each, port) for each in daemons for port in each.ports]:
        if (other := taken.setdefault((daemon.node.name, port), daemon)) is not daemon:
            raise UsageError(
                f"{other.name} and {daemon.name} on {daemon.node.name} both use port {port}",
                hint=f"choose another with --set {daemon.table}.port=... or {daemon.table}.web_port=...",
            )


@dataclass(frozen=True)
class Command:
    """A program that runs on a node until it exits."""

    name: str
    node: Node
    argv: Sequence[str]
    environment: Mapping[str, str]
    outcome: Path | None = None
    """The JSON file for its result."""
    directory: Path | None = None
    """Working directory; default: the run's own."""
    output: Path | None = None
    """File for its standard output, which weft also prints; default: its log."""
    files: Mapping[Path, str] = field(default_factory=dict)
    """Text by path of private files that it reads."""
    title: str = ""
    """What its user calls it, such as job.py; default: its name."""
    makes: Sequence[Path] = ()
    """Files that it creates and that every node and weft itself need too."""
