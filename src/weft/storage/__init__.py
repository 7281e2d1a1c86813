"""What a directory can stand on: one file an adapter."""

import re
from typing import Annotated, Any

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
from weft.storage.stacked import StackedStorage
from weft.text.shorthand import MisreadError, expand

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

_NAMED = re.compile(rf"(?:{'|'.join(KINDS)})(?::|$)")
"""How the one-line form of a storage begins."""


def _expanded(value: Any) -> Any:
    """The table of a storage. Raises ValueError where a storage is named in place of a directory."""
    table = expand(value, {kind: adapter.positional for kind, adapter in KINDS.items()})
    kind, path = (table.get("kind"), str(table.get("path"))) if isinstance(table, dict) else (None, "")
    if kind in KINDS and issubclass(KINDS[kind], StackedStorage) and _NAMED.match(path):
        meant = value.replace(":", "+", 1) if isinstance(value, str) else f"{kind}+{path}"
        raise MisreadError(f"{path!r} is not a directory but a storage", hint=f"did you mean {meant}?")
    return table


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
    BeforeValidator(_expanded),
]

for _stacked in (LoopbackStorage, PoolStorage, HdfsStorage, GlusterStorage):
    _stacked.model_rebuild(_types_namespace={"AnyStorage": AnyStorage})
