"""The engine's file operations in each cell of a study, where the probe fileops counted them."""

from collections.abc import Mapping
from pathlib import Path

from weft.report import files
from weft.report.fileops import merged
from weft.report.summary import Part

_READ, _WRITTEN = ("input", "shuffle"), ("shuffle", "output")
"""Path classes that only the engine reads, and only it writes: generators write the input, validators read the output."""


class Operations(Part):
    """Sums over all nodes; sizes in bytes. A transfer is the kernel's own copy (sendfile), and reads as well."""

    opens: int = 0
    reads: int = 0
    bytes_read: int = 0
    writes: int = 0
    bytes_written: int = 0

    @property
    def mean_read(self) -> float | None:
        return self.bytes_read / self.reads if self.reads else None

    @property
    def mean_write(self) -> float | None:
        return self.bytes_written / self.writes if self.writes else None


def operations(directory: Path) -> Operations | None:
    """What a record says of the files of its roles; None where nothing was counted."""
    counted = files.fileops(directory)
    if not counted:
        return None
    total = merged(node["total"] for node in counted.values())

    def sums(kinds: tuple[str, ...], names: tuple[str, ...], key: str) -> int:
        of: list[Mapping[str, int]] = [total.get(kind, {}).get(name, {}) for kind in kinds for name in names]
        return sum(each.get(key, 0) for each in of)

    return Operations(
        opens=sums(("shuffle",), ("open",), "count"),
        reads=sums(_READ, ("read", "transfer"), "count"),
        bytes_read=sums(_READ, ("read", "transfer"), "bytes"),
        writes=sums(_WRITTEN, ("write",), "count"),
        bytes_written=sums(_WRITTEN, ("write",), "bytes"),
    )
