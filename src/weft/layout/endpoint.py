"""How to connect to a service of a run, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft.layout.node import Network
from weft.layout.places import Place


@dataclass(frozen=True)
class HadoopFileSystem:
    """A file system that clients reach by URIs, through Hadoop's interface."""

    scheme: str
    """Such as hdfs or s3a."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Hadoop's settings of every client."""
    jars: Sequence[str] = ()
    """Class path of clients that have no Hadoop of their own."""
    tokens: bool = False
    """Whether it gives delegation tokens, which processes need that cannot log in to it."""


@dataclass(frozen=True)
class Endpoint:
    """What clients and daemons of the run need to connect to a service."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of every process."""
    java: Sequence[str] = ()
    """Options of every Java virtual machine."""
    properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By the kind of an engine, or the name of a configuration such as yarn-site: its settings."""
    jars: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By the kind of an engine: jars that its processes need on their class path; those of hadoop also for YARN."""
    file_system: HadoopFileSystem | None = None
    """The file system that it serves, if clients reach it by URIs."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """By daemon: the address of a page with its counters."""
    secret: Path | None = None
    """File with the secret for the tokens of those pages; None if they are open."""
    settings: Path | None = None
    """Folder of the files that its clients read."""
    nodes: Sequence[str] = ()
    """Names of the nodes of its daemons."""
    network: Network = "compute"
    """The network on which they are reached."""
    backing: Place | None = None
    """Where its daemons store their files, if they do."""
