"""Storages as users and records name them: `pool+delayed:lustre`, `loopback:/dir,size=2G`."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from weft.errors import UsageError
from weft.text.shorthand import expand


@dataclass(frozen=True)
class Kind:
    """What is known of the storages of a kind."""

    local: bool = False
    """Whether each node has its own."""
    over: bool = False
    """Whether it answers for names itself, and leaves the bytes to the storage that backs it."""
    emulated: bool = False
    named_by: str = ""
    """The key whose value is a part of its name, such as a profile; empty if it is its kind alone."""
    default: str = ""
    """This value where none is written."""


KINDS: Mapping[str, Kind] = {
    "null": Kind(),
    "disk": Kind(local=True),
    "memory": Kind(local=True),
    "loopback": Kind(local=True, over=True),
    "pool": Kind(local=True, over=True),
    "mount": Kind(),
    "delayed": Kind(emulated=True, named_by="profile", default="lustre"),
    "hdfs": Kind(named_by="nodes"),
    "gluster": Kind(named_by="nodes", default="1"),
    "moosefs": Kind(named_by="nodes", default="1"),
}
"""Those of which more is known than their name."""


@dataclass(frozen=True)
class Layer:
    """A storage without the one that backs it."""

    kind: str
    value: str = ""
    """What follows the colon: a path, a size, a profile."""

    @property
    def known(self) -> Kind:
        return KINDS.get(self.kind, Kind())

    @property
    def text(self) -> str:
        return f"{self.kind}:{self.value}" if self.value else self.kind

    @property
    def word(self) -> str:
        """Its name in lists and reports: without paths and sizes."""
        value = (self.value or self.known.default) if self.known.named_by else ""
        return f"{self.kind}:{value}" if value else self.kind


def layers(text: str, more: Collection[str] = ()) -> tuple[Layer, ...]:
    """A storage in short form, or as a record names it, top first. `more` are kinds of a machine, such as lustre."""
    values = {kind: KINDS.get(kind, Kind()).named_by or "path" for kind in (*KINDS, *more)}
    table = expand(text, values)
    top = Layer(table["kind"], table.get(values.get(table["kind"], "path"), ""))
    return (top, *(layers(table["on"], more) if "on" in table else ()))


def label(words: Iterable[str]) -> str:
    """The name of a storage in records, by those of its layers. Backing by the node's disk is not mentioned."""
    first, *below = words
    return "+".join([first, *(word for word in below if word != "disk")])


def split_list(text: str) -> list[str]:
    """`memory,pool+mount:/lustre/me,loopback:/l,size=2G` as three; what has a = belongs to the one before it."""
    found: list[str] = []
    for word in text.split(","):
        if "=" in word and found:
            found[-1] += f",{word}"
        elif word:
            found.append(word)
    if not found:
        raise UsageError(f"no storage in {text!r}", hint="write --scratch memory,pool+mount:/lustre/me")
    return found
