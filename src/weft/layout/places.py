"""Where the files of a role are: provided by a storage, used by engines, services and workloads."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ExpectedMount:
    """What has to be found at a path of a node, as the mount table names it."""

    path: str
    type: str
    """Such as tmpfs, or a pattern: fuse*."""
    size: int | None = None
    """Bytes; None if there is no limit to compare with."""
    overhead: float = 0.0
    """Part of the size that the file system itself may take: journal, inodes."""
    mounted: bool = True
    """Whether the path itself is the mount point."""


@dataclass(frozen=True)
class Place:
    """A directory for a role: one path that all nodes share, or one path per node."""

    storage: str
    description: str
    paths: Mapping[str, str]
    """Path or URI by node name; the same for all if `shared`."""
    shared: bool
    emulated: str = ""
    """What is emulated, as text for a report; empty if nothing is."""
    environment: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By node name: variables that processes need to see the files."""
    wrapper: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By node name: arguments before a command that make it run where the files are visible; empty if they are everywhere."""
    expected: Mapping[str, tuple[ExpectedMount, ...]] = field(default_factory=dict)
    """By node name: the file systems that weft mounted, to compare with what is there before the run."""
    observed: Mapping[str, str] = field(default_factory=dict)
    """By the name of a probe: the directory of the files that it reads, such as counters in Lustre's formats."""

    @property
    def path(self) -> str:
        """The one path of a shared place."""
        assert self.shared, f"{self.storage} has one path per node"
        return next(iter(self.paths.values()))
