"""The command line of weft itself, on which `ps` shows no secret once it has been read."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from weft.errors import UsageError
from weft.host import settings
from weft.text.redaction import Values, hidden


def cover() -> None:
    """Overwrite the secrets in this process's command line, where the kernel shows it to every user."""
    values: Values = {}
    with suppress(UsageError):  # it is raised where errors are printed
        hidden(sys.argv[1:], values, settings.secret_keys())
    if not values:
        return
    with suppress(OSError):  # a kernel that does not allow it
        # proc(5), fields 48 and 49: where the arguments are
        begin, end = map(
            int, Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[45:47]
        )
        with Path("/proc/self/mem").open("r+b", buffering=0) as memory:
            memory.seek(begin)
            text = memory.read(end - begin)
            for value in map(os.fsencode, values.values()):
                text = text.replace(value, b"*" * len(value))
            memory.seek(begin)
            memory.write(text)
