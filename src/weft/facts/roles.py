"""What directories are for. One word from the flag to the report: `--scratch`, its storage, its counters, its table."""

Role = str
"""input, output, scratch; or what a service stores: by default its name."""

ROLES: tuple[Role, ...] = ("input", "output", "scratch")
"""Roles for which a user chooses a storage."""

SHARED_ROLES: frozenset[Role] = frozenset({"input", "output"})
"""Roles whose files every node reads: they need one directory, not one per node."""
