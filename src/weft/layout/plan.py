"""The plain data between what is asked for and what is started: daemons, files, commands, readiness."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from weft.errors import UsageError
from weft.layout.endpoint import Endpoint
from weft.layout.places import Place, Role
from weft.nodes.base import Node

SECRET = "@SECRET@"  # noqa: S105 - a placeholder
"""Stands for a run's secret in generated files."""
Component = Literal["engine", "generator", "validator"]
"""What a process of a run belongs to: generators make the input, validators check the answer."""
COMPONENT = "@COMPONENT@"
"""Stands for the component of a process in the variables of probes, which so count each apart."""


@dataclass(frozen=True)
class Layout:
    """Where everything of one run stands. The first node is the head: it holds masters and drivers as well."""

    run: str
    nodes: Sequence[Node]
    places: Mapping[Role, Place]
    directory: Path
    """Work directory: generated files, gone after the run."""
    record: Path
    """Record directory: logs and events, kept."""
    java: Path
    """The `java` program."""
    homes: Mapping[str, Path]
    """Directory of each engine's distribution."""
    jars: Mapping[str, Path]
    """weft's own jars, by module: core, spark."""
    classes: Mapping[str, Path] = field(default_factory=dict)
    """Class-data archives, by distribution."""
    empty: Path = Path("empty")
    """A directory without files, which class paths may begin with."""
    native: Path = Path("native")
    """Directory of weft's native programs, where the run uses any."""
    metrics: bool = True
    """Whether the engine is to write its own account of the run (Spark: the event log)."""
    preload: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By node name: variables that probes want in every process; COMPONENT in them stands for whose it is."""
    component: Component = "engine"
    """Whose processes are planned."""
    servers: Sequence[Node] = ()
    """Nodes that services have for themselves."""
    services: Mapping[str, Endpoint] = field(default_factory=dict)
    """What the run has beside its engine, by name, in the order in which it is started."""
    encrypted: bool = False
    """Whether what goes over the network is to be hidden from who can listen to it."""

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
        """What a node lays there all nodes see, as they see the record; gone after the run."""
        return self.record / "staging"

    @property
    def slots(self) -> int:
        """Tasks that can run at once."""
        return sum(node.cores for node in self.nodes)

    def log(self, node: Node, name: str) -> Path:
        return self.record / "logs" / node.name / f"{name}.log"

    def wrapper(self, node: Node) -> tuple[str, ...]:
        """Words before every command on a node that bring it to where its files are; most places need none."""
        return next((place.wrapper[node.name] for place in self.places.values() if place.wrapper), ())

    def environment(self, node: Node) -> dict[str, str]:
        """What every engine process on a node has in its environment."""
        merged = {"WEFT_LEASE": self.run}
        for place in self.places.values():
            merged.update(place.environment.get(node.name, {}))
        wanted = self.preload.get(node.name, {})
        merged.update({name: value.replace(COMPONENT, self.component) for name, value in wanted.items()})
        for service in self.services.values():
            merged.update(service.environment)
        return merged

    def properties(self, configuration: str) -> dict[str, str]:
        """What the services say that a configuration, such as yarn-site, has to hold."""
        found = [service.properties.get(configuration, {}) for service in self.services.values()]
        return {key: value for properties in found for key, value in properties.items()}

    @property
    def java_options(self) -> list[str]:
        """What the services say that every Java virtual machine is told."""
        return [option for service in self.services.values() for option in service.java]

    @property
    def uris(self) -> list[str]:
        """Places that are no paths of a node but addresses."""
        paths = [path for place in self.places.values() for path in place.paths.values()]
        return [path for path in dict.fromkeys(paths) if "://" in path]

    @property
    def all_places(self) -> dict[Role, Place]:
        """The places of all roles, and of what the daemons of services keep."""
        kept = {name: service.backing for name, service in self.services.items() if service.backing}
        return {**self.places, **kept}

    def serving(self, service: str) -> list[Node]:
        """The nodes of a service's daemons."""
        names = self.services[service].nodes
        return [node for node in self.all_nodes if node.name in names]


@dataclass(frozen=True)
class Daemon:
    """A long-lived process of an engine. `essential`: without it the cluster cannot go on."""

    name: str
    node: Node
    argv: Sequence[str]
    environment: Mapping[str, str]
    ports: Sequence[int] = ()
    page: bool = False
    """Whether the last of its ports is that of its status page."""
    essential: bool = False
    grace: float = 10
    """Seconds from the signal to end until it is killed."""
    table: str = "engine"
    """The spec's table whose keys `port`, and for the page `web_port`, say where it listens."""
    after: "Ready | None" = None
    """What has to answer before it is started."""
    before: "Ready | None" = None
    """What has to answer before the next one is started."""


@dataclass(frozen=True)
class Page:
    """A page of an engine's interface, and how `node` asks it. tcp://HOST:PORT answers nothing: somebody listens, or not."""

    node: Node
    url: str
    certificate: Path | None = None
    """PEM file of the key and certificate that both sides show, where the page is encrypted."""
    signed: bool = False
    """Whether the page at `url` wants a token that is signed with the run's secret (JWS, HS256)."""
    follow: Callable[[Any], str] | None = None
    """Where the page to ask is known to another alone: gives its address from what `url` answers, or a KeyError."""


@dataclass(frozen=True)
class Ready:
    """Ask until `missing(answer)` names nobody; a name is a daemon's."""

    page: Page
    missing: Callable[[Any], list[str]]
    table: str = ""
    """The table of the daemons that it asks for, where there are others beside them."""


@dataclass(frozen=True)
class Applications:
    """Ask how many applications of users run or wait: `count(answer)`."""

    page: Page
    count: Callable[[Any], int]


Ask = Callable[[str], Any]
"""Gives what a page of an engine's interface answers, by the page's path."""


@dataclass(frozen=True)
class Inquiry:
    """What an engine is asked before it is stopped, for its account of the run: what to keep, by file name."""

    base: Page
    """Its address stands before every page's path."""
    metrics: Callable[[Ask], Mapping[str, Any]]


@dataclass(frozen=True)
class Plan:
    """An engine laid out on nodes."""

    files: Mapping[Path, str]
    """Text by path; the word SECRET in it stands for the run's random secret, which the record never sees."""
    daemons: Sequence[Daemon]
    ready: Sequence[Ready] = ()
    summary: Mapping[str, str] = field(default_factory=dict)
    """What was derived from the nodes, for people: executor memory, slots."""
    first: Sequence["Command"] = ()
    """Run to their ends, one after another, before any daemon is started."""
    then: Sequence["Command"] = ()
    """The same when all daemons answer, before there is any work."""
    sealed: Mapping[Path, Callable[[str], bytes]] = field(default_factory=dict)
    """By path: what makes a file's bytes from the run's secret."""
    last: Sequence[Inquiry] = ()
    """Asked when the work has ended, whichever way, before the daemons are stopped."""
    applications: Sequence[Applications] = ()
    """Asked while a cluster stands, to know whether anybody uses it."""


def together(plans: Sequence[Plan]) -> Plan:
    """One plan of several: what a storage runs, and each engine."""
    return Plan(
        files={path: text for plan in plans for path, text in plan.files.items()},
        daemons=[daemon for plan in plans for daemon in plan.daemons],
        ready=[ready for plan in plans for ready in plan.ready],
        summary={key: value for plan in plans for key, value in plan.summary.items()},
        first=[command for plan in plans for command in plan.first],
        then=[command for plan in plans for command in plan.then],
        sealed={path: make for plan in plans for path, make in plan.sealed.items()},
        last=[inquiry for plan in plans for inquiry in plan.last],
        applications=[question for plan in plans for question in plan.applications],
    )


def require_apart(daemons: Sequence[Daemon]) -> None:
    """Raises UsageError when two daemons on a node want the same port."""
    taken: dict[tuple[str, int], Daemon] = {}
    for daemon in daemons:
        for port in daemon.ports:
            other = taken.setdefault((daemon.node.name, port), daemon)
            if other is not daemon:
                raise UsageError(
                    f"{other.name} and {daemon.name} on {daemon.node.name} both want port {port}",
                    hint=f"choose another with --set {daemon.table}.port=... or {daemon.table}.web_port=...",
                )


@dataclass(frozen=True)
class Command:
    """A program that is run to its end on a node."""

    name: str
    node: Node
    argv: Sequence[str]
    environment: Mapping[str, str]
    outcome: Path | None = None
    """The JSON file in which it leaves its result."""
    directory: Path | None = None
    """Working directory; default: the run's own."""
    output: Path | None = None
    """Where its standard output goes, which is then also weft's; default: into its log."""
    makes: Sequence[Path] = ()
    """Files that it makes, which every node and weft itself need too."""


@dataclass(frozen=True)
class Dependencies:
    """What a job of the user's own brings along, in words that engines share; each engine has its own for them."""

    main_class: str = ""
    py_files: Sequence[str] = ()
    """Python modules and archives for its imports."""
    jars: Sequence[str] = ()
    """Jars for its classes."""
    files: Sequence[str] = ()
    """Files that every task finds in its working directory."""
    conf: Mapping[str, str] = field(default_factory=dict)
    """Settings of the engine for this job alone."""

    def require(self, engine: str, *offered: str) -> None:
        """Raises UsageError when there is something that the engine has no word for."""
        given = [name for name, value in vars(self).items() if value]
        for name in given:
            if name not in offered:
                raise UsageError(
                    f"{engine} takes no {name} along with a job",
                    hint=f"it takes {', '.join(offered) or 'none'}; its own words can be given with --option",
                )


@dataclass(frozen=True)
class Client:
    """What a command of the user's own needs on the head node to find the cluster."""

    environment: Mapping[str, str]
    search: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By variable, such as PATH: directories and files that come before what it holds; `*` is expanded."""
    programs: Mapping[Path, str] = field(default_factory=dict)
    """Text by path of programs that are written for it."""
    address: str = ""
    """What a program that connects by itself is given, such as spark://10.87.0.1:7077."""
    page: str = ""
    """The master's status page, where a token opens it."""
    settings: Path | None = None
    """The file, of mode 0600, with all other settings of the connection, the secret among them."""
    parts: Mapping[str, "Client"] = field(default_factory=dict)
    """By engine, where several share the cluster: what each is found by."""


@dataclass(frozen=True)
class Job:
    """Work for an engine: a main class in a jar, or a script, and its arguments."""

    name: str
    program: str
    """A main class of weft's own, without its package, which is the engine's; or the path of a script or jar."""
    arguments: Sequence[str]
    outcome: Path | None = None
    options: Sequence[str] = ()
    """Extra options of the engine's submit command, as its users know them."""
    dependencies: Dependencies = field(default_factory=Dependencies)
    directory: Path | None = None
    output: Path | None = None
    """As for a command."""
