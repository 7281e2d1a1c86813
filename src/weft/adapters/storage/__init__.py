"""What a directory can be backed by: one file per adapter."""

from weft.adapters.storage import delayed, disk, gluster, hdfs, loopback, memory, mount, null, pool
from weft.adapters.storage.base import KINDS, AnyStorage

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
)
