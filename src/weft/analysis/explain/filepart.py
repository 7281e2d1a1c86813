"""Parts of the slot time that are file calls: their kind, and the files that they are on."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["metadata", "data"]


@dataclass(frozen=True)
class FilePart:
    """One of them; as text it is its label: `metadata: scratch`."""

    kind: Kind
    files: str
    """A role, or another class of paths."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.files}"


def labels(files: str) -> tuple[str, str]:
    """Those of the metadata and the data calls on these files."""
    return str(FilePart("metadata", files)), str(FilePart("data", files))


def of_label(label: str) -> FilePart | None:
    """The part of this label; None if it is no part of file calls."""
    kind, _, files = label.partition(": ")
    return FilePart("data" if kind == "data" else "metadata", files) if kind in {"metadata", "data"} else None
