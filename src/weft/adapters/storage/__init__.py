"""What a directory can be backed by: one file per adapter."""

from weft.adapters.storage import delayed, disk, gluster, hdfs, loopback, memory, moosefs, mount, null, pool
from weft.adapters.storage.base import KINDS, AnyStorage
from weft.facts.filesystems import TYPES

__all__ = ["KINDS", "AnyStorage"]

KINDS.add(
    null.NullStorage,
    disk.DiskStorage,
    memory.MemoryStorage,
    loopback.LoopbackStorage,
    mount.MountStorage,
    delayed.DelayedStorage,
    pool.PoolStorage,
    hdfs.HdfsStorage,
    gluster.GlusterStorage,
    moosefs.MooseStorage,
)
KINDS.names.update(
    {name: "mount" for name, known in TYPES.items() if known.remote and name.isalnum() and name not in KINDS}
)
