"""Makes directories (mode 0700) and writes files (mode 0600, whole or not at all) on a host."""

import os
import sys


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`directories`: paths; `own`: those of them that have to belong to this user; `files`: text by path."""
    try:
        for path in request.get("directories", []):
            os.makedirs(path, mode=0o700, exist_ok=True)
        for path in request.get("own", []):
            if os.stat(path).st_uid != os.getuid():
                sys.exit(f"{path} belongs to another user")
        for path, text in request.get("files", {}).items():
            write(path, text)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")


def write(path: str, text: str) -> None:
    """Other hosts may write the same file at the same time, where they share it: each renames its own."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    partial = f"{path}.{os.uname().nodename}.{os.getpid()}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    os.rename(partial, path)
