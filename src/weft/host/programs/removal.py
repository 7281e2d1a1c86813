"""Removes a directory with everything in it, but nothing of another mount: what is mounted there is not the run's."""

import os
from contextlib import suppress

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def remove_tree(path: str) -> None:
    """Remove a directory or file, as far as possible; follows neither links nor mounts, and raises nothing.

    Of a tree of any depth one directory at a time is open: it is left through its `..`, which must be the one it was entered from.
    """
    folder, name = os.path.split(os.path.abspath(path))
    try:
        around = os.open(folder, _DIRECTORY)
    except OSError:
        return
    entered: list[tuple[tuple[int, int], str, list[str]]] = []
    left = [name]
    try:
        while left or entered:
            if left:
                name = left.pop()
                inner = _inside(around, name)
                if inner is not None:
                    entered.append((_place(os.fstat(around)), name, left))
                    os.close(around)
                    around, left = inner
                continue
            above = os.open("..", _DIRECTORY, dir_fd=around)
            os.close(around)
            around = above
            place, name, left = entered.pop()
            if _place(os.fstat(around)) != place:  # it was moved meanwhile, to where nothing is the run's
                return
            with suppress(OSError):
                os.rmdir(name, dir_fd=around)
    except OSError:
        pass
    finally:
        os.close(around)


def _inside(around: int, name: str) -> "tuple[int, list[str]] | None":
    """A directory of the same mount, open, with the names in it; anything else is removed, if that is possible."""
    with suppress(OSError):  # it is a directory, or cannot be removed
        os.unlink(name, dir_fd=around)
        return None
    directory = None
    try:
        directory = os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=around)
        # without the permission to enter it, `..` cannot be asked for, and nothing in it can be removed
        if _mount(directory) == _mount(around) and _place(os.stat("..", dir_fd=directory)) == _place(
            os.fstat(around)
        ):
            return directory, os.listdir(directory)
    except OSError:
        with suppress(OSError):
            os.rmdir(name, dir_fd=around)
    if directory is not None:
        os.close(directory)
    return None


def _place(directory: os.stat_result) -> "tuple[int, int]":
    return directory.st_dev, directory.st_ino


def _mount(directory: int) -> "tuple[int, bytes]":
    """What distinguishes mounts: the device, and the mount's ID, since a bind mount is on the device of its source."""
    with open("/proc/self/fdinfo/" + str(directory), "rb") as file:
        numbers = [line for line in file if line.startswith(b"mnt_id:")]
    return os.fstat(directory).st_dev, b"".join(numbers)
