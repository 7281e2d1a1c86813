"""How to connect to a service of a run, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft.layout.places import Place
from weft.nodes.base import Network


@dataclass(frozen=True)
class Endpoint:
    """What clients and daemons of the run need to connect to a service."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of every process."""
    java: Sequence[str] = ()
    """Options of every Java virtual machine."""
    properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By the name of a configuration, such as yarn-site: its settings."""
    classes: Sequence[str] = ()
    """Class path of weft's own programs that use it."""
    options: Sequence[str] = ()
    """Java options of the same programs."""
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
