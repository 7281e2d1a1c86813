"""GlusterFS on nodes of its own, mounted by FUSE on those that compute: dedicated storage as a real networked file system.

It stands for OrangeFS and its kin, which `mount` takes where a site has one.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.storage.base import spread
from weft.adapters.storage.mounting import mount_point
from weft.adapters.storage.stacked import StackedStorage
from weft.facts.roles import SHARED_ROLES, Role
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.places import ExpectedMount, Place
from weft.text.fields import Count, Port


class GlusterStorage(StackedStorage):
    """One brick on each of its nodes; files are distributed over them by the hash of their names."""

    kind: Literal["gluster"] = "gluster"
    positional: ClassVar[str] = "nodes"

    nodes: Count = Field(default=1, description="nodes of its own, beyond those that compute")
    port: Port = Field(default=24100, description="port of the bricks")

    @property
    def service(self) -> Mapping[str, Any]:
        return {"kind": self.kind, "storage": self}

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        base = mount_point(work, None, self.kind) / role
        below = self.on.sketch(self.kind, nodes.of(self.kind), work)
        text = f"GlusterFS of {self.nodes} brick(s) on nodes of their own, on {below.description}"
        paths = spread(base, role, nodes)
        mounted = ExpectedMount(str(base.parent), "fuse*")
        expected = dict.fromkeys(paths, (mounted,))
        return Place("gluster", text, paths, shared=role in SHARED_ROLES, expected=expected)

    @contextmanager
    def place(self, role: Role, nodes: Members, work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        access(nodes[0]).run(["mkdir", "-p", "-m", "0700", *dict.fromkeys(place.paths.values())])
        yield place
