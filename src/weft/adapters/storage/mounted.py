"""A file system whose servers have nodes of their own, mounted by FUSE on the nodes that compute before a run has places."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.storage.base import spread
from weft.adapters.storage.mounting import mount_point
from weft.adapters.storage.served import ServedStorage
from weft.facts.roles import SHARED_ROLES, Role
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.places import ExpectedMount, Place
from weft.text.fields import Count


class MountedStorage(ServedStorage):
    """Directories on a mount that all nodes see."""

    title: ClassVar[str]
    """What it is and its servers, as text for a plan."""

    nodes: Count = Field(default=1, description="nodes of its own, beyond those that compute")

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        base = mount_point(work, None, self.kind) / role
        below = self.on.sketch(self.kind, nodes.of(self.kind), work)
        text = f"{self.title.format(self.nodes)} on nodes of their own, on {below.description}"
        paths = spread(base, role, nodes)
        mounted = ExpectedMount(str(base.parent), "fuse*")
        expected = dict.fromkeys(paths, (mounted,))
        return Place(self.kind, text, paths, shared=role in SHARED_ROLES, expected=expected)

    @contextmanager
    def place(self, role: Role, nodes: Members, work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        access(nodes[0]).run(["mkdir", "-p", "-m", "0700", *dict.fromkeys(place.paths.values())])
        yield place
