"""IO500's phases that weft knows: their names, their units, and what each of them does."""

from collections.abc import Mapping

UNITS: Mapping[str, float] = {"kIOPS": 1e3, "GiB/s": float(1 << 30)}
"""By IO500's unit: operations or bytes per second."""

CREATE, STAT, DELETE = "mdtest-easy-write", "mdtest-easy-stat", "mdtest-easy-delete"
CREATE_IN_ONE, STAT_IN_ONE = "mdtest-hard-write", "mdtest-hard-stat"
READ_IN_ONE, DELETE_IN_ONE = "mdtest-hard-read", "mdtest-hard-delete"
WRITE, READ = "ior-easy-write", "ior-easy-read"

PHASES: Mapping[str, tuple[str, str]] = {
    CREATE: ("kIOPS", "empty files are created and closed, in a directory for each process"),
    STAT: ("kIOPS", "stat of these files by other processes"),
    DELETE: ("kIOPS", "these files are removed"),
    CREATE_IN_ONE: ("kIOPS", "files are created, written with 3,901 bytes and closed, all in one directory"),
    STAT_IN_ONE: ("kIOPS", "stat of these files by other processes"),
    READ_IN_ONE: ("kIOPS", "these files are opened, read and closed by other processes"),
    DELETE_IN_ONE: ("kIOPS", "these files are removed"),
    WRITE: ("GiB/s", "each process writes a large file, with sync"),
    READ: ("GiB/s", "each process reads a large file that another one wrote"),
    "ior-hard-write": ("GiB/s", "all processes write pieces of 47,008 bytes in turn to one file"),
    "ior-hard-read": ("GiB/s", "all processes read these pieces"),
    "find": ("kIOPS", "all files are listed with their attributes"),
}
"""By phase: its unit, and what is done."""
