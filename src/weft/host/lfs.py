"""Lustre's layout of a directory, by its own program lfs: new files and directories below inherit it.

Options as in lfs-setstripe(1), lfs-mkdir(1) and lfs-mdts(1).
"""

import re
from dataclasses import dataclass

from weft.text.units import show_size

_PROGRESSIVE = (("64M", 1), ("1G", 4), ("-1", -1))
"""Up to which size a file is spread over so many OSTs; -1: its end, and all."""


@dataclass(frozen=True)
class DirectoryLayout:
    """What is asked for; what is None or false stays as the file system has it."""

    mdt: int | None = None
    """Bytes at the beginning of each file that are kept on the metadata server (Data on MDT)."""
    stripes: int | None = None
    """OSTs over which a file is spread; -1: all."""
    progressive: bool = False
    """Over more OSTs, the larger a file is (progressive file layout)."""

    def __bool__(self) -> bool:
        return bool(self.mdt or self.stripes or self.progressive)

    def arguments(self) -> list[str]:
        """The command that gives a directory this layout, without the directory."""
        if self.progressive:
            rest = [word for end, count in _PROGRESSIVE for word in ("-E", end, "-c", str(count))]
        else:
            count = ["-c", str(self.stripes)] if self.stripes else []
            rest = ["-E", "-1", *count] if self.mdt else count
        first = ["-E", str(self.mdt), "-L", "mdt"] if self.mdt else []
        return ["lfs", "setstripe", *first, *rest]

    def words(self) -> str:
        """For a plan: what a file will be."""
        found = [f"the first {show_size(self.mdt)} of a file on the metadata server"] if self.mdt else []
        if self.progressive:
            found.append("large files over more OSTs")
        elif self.stripes:
            found.append(f"files over {'all' if self.stripes == -1 else self.stripes} OSTs")
        return ", ".join(found)


def on_mdt(index: int) -> list[str]:
    """The command that makes a directory, for this user alone, on one metadata server (DNE), without the directory."""
    return ["lfs", "mkdir", "-i", str(index), "-c", "1", "-m", "0700"]


def servers(text: str) -> list[int]:
    """The active metadata servers that `lfs mdts DIRECTORY` lists, by index."""
    return [int(index) for index in re.findall(r"^(\d+): \S+ ACTIVE\b", text, re.MULTILINE)]
