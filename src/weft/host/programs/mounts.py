"""The mount table, as bytes: a mount point may have any name, and every user's mounts are in the table of all (proc(5))."""

import os
import re

TABLE = "/proc/self/mounts"


def mounts(table: "bytes | None" = None) -> "list[tuple[str, str]]":
    """Mount point and type of each mount that this process sees, or that a table has, oldest first."""
    if table is None:
        with open(TABLE, "rb") as file:
            table = file.read()
    rows = [line.split(b" ") for line in table.split(b"\n") if line]
    return [(_unescaped(row[1]), _unescaped(row[2])) for row in rows]


def _unescaped(word: bytes) -> str:
    """The kernel writes spaces, tabs, newlines, number signs and backslashes as octal numbers."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match.group(1), 8)]), word))


def points(folder: str = "/") -> "list[str]":
    """The mount points in a directory, which may be one itself."""
    return [point for point, _ in mounts() if within(point, folder)]


def mount_of(path: str, table: "bytes | None" = None) -> "tuple[str, str]":
    """The mount point of a path and its type; a later mount at the same point hides an earlier one."""
    containing = [mount for mount in mounts(table) if within(path, mount[0])]
    return max(reversed(containing), key=lambda mount: len(mount[0]), default=("", "unknown"))


def within(path: str, folder: str) -> bool:
    """Whether a path is a directory's or below it."""
    return (path + "/").startswith(folder.rstrip("/") + "/")
