"""What a directory can stand on: one file an adapter."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from weft.storage.base import Storage
from weft.storage.delayed import DelayedStorage
from weft.storage.disk import DiskStorage
from weft.storage.gluster import GlusterStorage
from weft.storage.hdfs import HdfsStorage
from weft.storage.loopback import LoopbackStorage
from weft.storage.memory import MemoryStorage
from weft.storage.mount import MountStorage
from weft.storage.null import NullStorage
from weft.storage.pool import PoolStorage
from weft.text.shorthand import expand

KINDS: dict[str, type[Storage]] = {
    "null": NullStorage,
    "disk": DiskStorage,
    "memory": MemoryStorage,
    "loopback": LoopbackStorage,
    "mount": MountStorage,
    "delayed": DelayedStorage,
    "pool": PoolStorage,
    "hdfs": HdfsStorage,
    "gluster": GlusterStorage,
}

AnyStorage = Annotated[
    Annotated[
        NullStorage
        | DiskStorage
        | MemoryStorage
        | LoopbackStorage
        | MountStorage
        | DelayedStorage
        | PoolStorage
        | HdfsStorage
        | GlusterStorage,
        Field(discriminator="kind"),
    ],
    BeforeValidator(
        lambda value: expand(value, {kind: adapter.positional for kind, adapter in KINDS.items()})
    ),
]

for _stacked in (LoopbackStorage, PoolStorage, HdfsStorage, GlusterStorage):
    _stacked.model_rebuild(_types_namespace={"AnyStorage": AnyStorage})
