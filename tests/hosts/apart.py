"""A directory that each host has for itself, on a machine that plays several hosts: as /var/tmp is on real ones."""

from collections.abc import Sequence
from pathlib import Path

_BOUND = 'mount --bind "$0" "$1" && shift && exec "$@"'


def apart(directory: Path, own: Path, command: Sequence[str]) -> list[str]:
    """The command, with `own` mounted over `directory` for it and its children. Needs root."""
    for path in (directory, own):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    bound = ["sh", "-c", _BOUND, str(own), str(directory), *command]
    return ["unshare", "--mount", "--propagation", "private", "--", *bound]
