"""Creates directories (mode 0700), writes files (mode 0600, atomically), reads and looks for them on a host."""

import base64
import json
import os
import stat
import sys


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`directories`: paths; `own`: those that must belong to this user; `files`: base64 by path.

    `claimed`: directories to create, which may exist only if they are this user's.
    `wanted`: files to print in the same form; or `sought`: paths, to print which of them exist.
    """
    try:
        for path in request.get("directories", []):
            os.makedirs(path, mode=0o700, exist_ok=True)
        for path in request.get("own", []):
            why = foreign(path) or ("" if os.stat(path).st_uid == os.geteuid() else _OTHERS)
            if why:
                sys.exit(f"{path} {why}")
        for path in request.get("claimed", []):
            os.makedirs(path, mode=0o700, exist_ok=True)  # other hosts may share it, and have created it
            if foreign(path):
                sys.exit(f"{path} {foreign(path)}")
        for path, text in request.get("files", {}).items():
            write(path, base64.b64decode(text))
        if "wanted" in request:
            print(json.dumps({path: coded(read(path)) for path in request["wanted"]}))
        if "sought" in request:
            print(json.dumps([path for path in request["sought"] if os.path.exists(path)]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")


_OTHERS = "belongs to another user"


def foreign(path: str) -> str:
    """Why a file or directory may not be this user's alone, if every user can create files beside it; empty if it is."""
    try:
        found, around = os.lstat(path), os.stat(os.path.dirname(path) or ".")
    except OSError:  # it does not exist, or is in a directory that not every user can even enter
        return ""
    if not around.st_mode & stat.S_IWOTH:
        return ""
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link, in a directory where every user can create one"
    if found.st_uid != os.geteuid():
        return _OTHERS
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        return "can be changed by every user"
    return ""


def coded(content: "str | bytes") -> str:
    return base64.b64encode(content.encode() if isinstance(content, str) else content).decode()


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def write(path: str, content: bytes) -> None:
    """Other hosts may write the same file at the same time if they share it: each renames its own."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    partial = f"{path}.{os.uname().nodename}.{os.getpid()}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.rename(partial, path)
