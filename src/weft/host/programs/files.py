"""Creates directories (mode 0700), writes files (mode 0600, atomically), reads and looks for them on a host."""

import base64
import errno
import os
import stat

from weft.host.programs import answers


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`."""
    answers.give(answer, request)


def answer(files: "dict[str, str] | None" = None, **paths: "list[str]") -> object:
    """`directories`: to create; `own`: those that must belong to this user; `files`: base64 by path.

    `claimed`: directories to create, which may exist only if they are this user's.
    `wanted`: files to return in the same form; or `sought`: to return which of them exist.
    """
    for path in paths.get("directories", []):
        os.makedirs(path, mode=0o700, exist_ok=True)
    for path in paths.get("own", []):
        require(path, foreign(path) or ("" if os.stat(path).st_uid == os.geteuid() else _OTHERS))
    for path in paths.get("claimed", []):
        os.makedirs(path, mode=0o700, exist_ok=True)  # other hosts may share it, and have created it
        require(path, foreign(path))
    for path, text in (files or {}).items():
        write(path, base64.b64decode(text))
    if "wanted" in paths:
        return {path: coded(read(path)) for path in paths["wanted"]}
    return [path for path in paths.get("sought", []) if os.path.exists(path)]


_OTHERS = "belongs to another user"


def require(path: str, why: str) -> None:
    """Raises OSError if there is a reason why a path is not this user's."""
    if why:
        raise PermissionError(errno.EACCES, why, path)


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
