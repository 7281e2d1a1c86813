"""Removes a directory with everything in it, but nothing of another mount: what is mounted there is not the run's."""

import os

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def remove_tree(path: str) -> None:
    """Remove a directory or file, as far as possible; follows neither links nor mounts, and raises nothing."""
    folder, name = os.path.split(os.path.abspath(path))
    try:
        around = os.open(folder, _DIRECTORY)
    except OSError:
        return
    try:
        _remove(around, name)
    finally:
        os.close(around)


def _remove(around: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=around)
    except OSError:  # it is a directory, or cannot be removed
        _remove_directory(around, name)


def _remove_directory(around: int, name: str) -> None:
    try:
        directory = os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=around)
    except OSError:
        return
    try:
        if _mount(directory) == _mount(around):
            for inner in os.listdir(directory):
                _remove(directory, inner)
            os.rmdir(name, dir_fd=around)
    except OSError:
        pass
    finally:
        os.close(directory)


def _mount(directory: int) -> "tuple[int, bytes]":
    """What distinguishes mounts: the device, and the mount's ID, since a bind mount is on the device of its source."""
    with open("/proc/self/fdinfo/" + str(directory), "rb") as file:
        numbers = [line for line in file if line.startswith(b"mnt_id:")]
    return os.fstat(directory).st_dev, b"".join(numbers)
