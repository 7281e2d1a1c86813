"""The servers of a storage, which a run starts because a role is on it."""

from typing import ClassVar

from weft.adapters.services.base import Service
from weft.adapters.storage.base import Storage
from weft.adapters.storage.served import ServedStorage
from weft.layout.node import Network


class StorageService(Service):
    """A service whose keys, nodes and files are those of the storage that it serves."""

    configurable: ClassVar[bool] = False
    network: ClassVar[Network] = "storage"

    storage: ServedStorage

    @property
    def own_nodes(self) -> int:
        return self.storage.nodes

    @property
    def backing(self) -> Storage:
        return self.storage.on
