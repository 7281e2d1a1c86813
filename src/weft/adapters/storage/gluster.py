"""GlusterFS on nodes of its own, mounted by FUSE on those that compute: dedicated storage as a real networked file system.

It stands for OrangeFS and its kin, which `mount` takes where a site has one.
"""

from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.storage.mounted import MountedStorage
from weft.text.fields import Port


class GlusterStorage(MountedStorage):
    """One brick on each of its nodes; files are distributed over them by the hash of their names."""

    kind: Literal["gluster"] = "gluster"
    title: ClassVar[str] = "GlusterFS of {} brick(s)"

    port: Port = Field(default=24100, description="port of the bricks")
