"""Where the files of a role stand: what a storage gives, and engines and workloads use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Role = Literal["input", "output", "shuffle", "blocks"]
"""blocks: what a storage's own daemons keep, a directory for each of their nodes."""

SHARED_ROLES: frozenset[Role] = frozenset({"input", "output"})
"""Roles whose files every node reads: they need one directory, not one per node."""


@dataclass(frozen=True)
class Place:
    """A directory for a role: one path that all nodes share, or one path per node."""

    storage: str
    description: str
    paths: Mapping[str, str]
    """Path or URI by node name; the same for all where `shared`."""
    shared: bool
    emulated: str = ""
    """What is emulated, in words that a report repeats; empty where nothing is."""
    environment: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By node name: variables that processes need to see the files."""
    wrapper: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By node name: words before a command that make it run where the files are; empty where they are anywhere."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings that Hadoop's clients need to reach the files; for places that are URIs."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """By daemon of the storage: the address of a page with its counters (JMX, as JSON)."""
    secret: Path | None = None
    """File with the secret that those pages want a token signed with; none where they are open."""
    counters: str = ""
    """Directory with counters in the formats of Lustre's llite and mdc; empty where the storage keeps none."""

    @property
    def path(self) -> str:
        """The one path of a shared place."""
        assert self.shared, f"{self.storage} has one path per node"
        return next(iter(self.paths.values()))
