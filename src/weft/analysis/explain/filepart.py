"""Parts of the slot time that are file calls: their kind, and the files that they are on."""

from typing import Literal

from weft.analysis.read.part import Part


class FilePart(Part):
    """One of them; as text it is its name among all parts: `metadata: scratch`."""

    kind: Literal["metadata", "data"]
    files: str
    """A role, or another class of paths."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.files}"


def of_calls(files: str, *, data: bool) -> FilePart:
    """The part of the calls on these files that move bytes, or of all others."""
    return FilePart(kind="data" if data else "metadata", files=files)
