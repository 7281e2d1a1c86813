"""A storage that exists only while its own servers run: a service of the same kind provides it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from weft.adapters.storage.stacked import StackedStorage


class ServedStorage(StackedStorage):
    """Directories that servers provide; they keep their files on the storage below it."""

    positional: ClassVar[str] = "nodes"

    nodes: int
    """Nodes of its own, beyond those that compute."""

    @property
    def service(self) -> Mapping[str, Any]:
        return {"kind": self.kind, "storage": self}
