"""How a service of a run is found: what it tells every process, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft.layout.places import Place


@dataclass(frozen=True)
class Endpoint:
    """What clients and daemons of the run need to know of a service. A service gives what it has."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of every process."""
    java: Sequence[str] = ()
    """Options of every Java virtual machine."""
    properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By the name of a configuration, such as yarn-site: what it has to say."""
    classes: Sequence[str] = ()
    """Class path of programs of weft's own that use it."""
    options: Sequence[str] = ()
    """Java options of the same programs."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """By daemon: the address of a page with its counters."""
    secret: Path | None = None
    """File with the secret that those pages want a token signed with; none where they are open."""
    settings: Path | None = None
    """Folder of the files that its clients read."""
    nodes: Sequence[str] = ()
    """Names of the nodes of its daemons."""
    backing: Place | None = None
    """Where its daemons keep their files, where they do."""
