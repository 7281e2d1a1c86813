"""What a directory can be backed by: one file per adapter."""

from weft.adapters.storage.base import KINDS, AnyStorage
from weft.facts.filesystems import TYPES

__all__ = ["KINDS", "AnyStorage"]

KINDS.declare(
    __name__,
    {
        "null": "null:NullStorage",
        "disk": "disk:DiskStorage",
        "memory": "memory:MemoryStorage",
        "loopback": "loopback:LoopbackStorage",
        "mount": "mount:MountStorage",
        "delayed": "delayed:DelayedStorage",
        "pool": "pool:PoolStorage",
        "hdfs": "hdfs:HdfsStorage",
        "gluster": "gluster:GlusterStorage",
        "moosefs": "moosefs:MooseStorage",
    },
)
KINDS.names.update(
    {name: "mount" for name, known in TYPES.items() if known.remote and name.isalnum() and name not in KINDS}
)
