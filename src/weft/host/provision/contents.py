"""The files of a directory in the cache: size and SHA-256 of each, recorded when it is complete and compared before use.

Standard library only: it also examines the environment that weft's own packages are in, when they cannot be imported.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

FILE = ".contents"
"""Its lines: SHA-256, size in bytes, path below the directory."""
_COMPARED = ".compared"
"""Its lines: change time and inode of a file when its checksum was last compared, path below the directory."""
_NOT_RECORDED = {FILE, _COMPARED, ".complete"}
_CHANGING = (".pyc",)
"""Python writes them itself."""


def record(directory: Path, *, copied: bool = False) -> None:
    """Write what a complete directory consists of; nothing into an empty one.

    `copied`: where copies of it will be read-only, with what Python has compiled.
    """
    changing = () if copied else _CHANGING
    paths = sorted(path for path in directory.rglob("*") if _is_recorded(path, changing))
    states = {str(path.relative_to(directory)): _state(path) for path in paths}
    lines = [
        f"{checksum} {path.stat().st_size} {path.relative_to(directory)}\n"
        for path, checksum in zip(paths, checksums(paths), strict=True)
    ]
    if not lines:  # what is to be empty stays so: no class-data archive has a path with anything in it
        return
    _write(directory / FILE, lines)
    if not copied:
        _note(directory, states)


def damage(directory: Path, *, checksums: bool = True, only: Callable[[str], bool] = lambda _: True) -> str:
    """Which file is not as recorded, as text; empty if all are, or nothing is recorded.

    The size of every file is compared, and on request its checksum, unless its inode is as it was after the last time;
    `only`: of which paths.
    """
    try:
        lines = [line for line in _recorded(directory) if only(line[2])]
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        return f"{directory / FILE} is not readable: {error}"
    for _, size, name in lines:
        path = directory / name
        found = path.stat().st_size if path.is_file() else None
        if found != size:
            return f"{path} {'is missing' if found is None else f'has {found} bytes instead of {size}'}"
    return _altered(directory, lines) if checksums else ""


def _altered(directory: Path, lines: list[tuple[str, int, str]]) -> str:
    compared = _compared(directory)
    states = {name: _state(directory / name) for _, _, name in lines}
    changed = [(checksum, name) for checksum, _, name in lines if compared.get(name) != states[name]]
    found = checksums([directory / name for _, name in changed])
    for (checksum, name), found_sum in zip(changed, found, strict=True):
        if checksum != found_sum:
            return f"{directory / name} does not have its recorded SHA-256"
    if changed:
        _note(directory, {**compared, **states})
    return ""


def _note(directory: Path, states: dict[str, str]) -> None:
    with suppress(OSError):  # the next look takes longer, no more
        _write(directory / _COMPARED, [f"{state} {name}\n" for name, state in states.items()])


def _write(path: Path, lines: list[str]) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        partial.write_text("".join(lines), encoding="utf-8")
        partial.rename(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def _compared(directory: Path) -> dict[str, str]:
    """By path: its state after the last comparison."""
    try:
        lines = (directory / _COMPARED).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    return {name: state for state, _, name in (line.partition(" ") for line in lines)}


def _state(path: Path) -> str:
    """It differs after each write to the file and if another one is in its place: no call sets a change time."""
    stat = path.stat()
    return f"{stat.st_ctime_ns}:{stat.st_ino}"


def _is_recorded(path: Path, changing: tuple[str, ...]) -> bool:
    own = path.name in _NOT_RECORDED or path.suffix in changing
    return not own and not path.is_symlink() and path.is_file()


def _recorded(directory: Path) -> Iterator[tuple[str, int, str]]:
    for line in (directory / FILE).read_text(encoding="utf-8").splitlines():
        checksum, size, name = line.split(" ", 2)
        yield checksum, int(size), name


def checksums(paths: list[Path]) -> list[str]:
    """In the order of the paths; hashing releases the interpreter's lock."""
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        return list(pool.map(_checksum, paths))


def _checksum(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error}"


if __name__ == "__main__":
    record(Path(sys.argv[1]))
