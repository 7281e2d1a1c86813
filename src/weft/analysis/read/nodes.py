"""The nodes and places of a run, as its record has them."""

from weft.analysis.read.part import Part


class StorageLink(Part):
    """A node's place on a network of its own for storage traffic."""

    address: str
    interface: str
    link: float | None = None


class NodeInfo(Part):
    """A node, as it was acquired."""

    name: str
    address: str = ""
    cores: int | None = None
    memory: int | None = None
    link: float | None = None
    """Bytes a second that its link carries each way; None if that is not known."""
    storage: StorageLink | None = None


class PlaceInfo(Part):
    """The storage of a role's files; `emulated` describes what is not real, as text."""

    role: str
    storage: str
    description: str = ""
    emulated: str = ""
    paths: tuple[str, ...] = ()
