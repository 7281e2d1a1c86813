"""The newest glibc that native files ask for: what the ELF file requires, not what its builder promised."""

import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from weft.errors import WeftError

_ELF_X86_64 = re.compile(rb"\x7fELF.{14}\x3e\x00", re.DOTALL)
"""Machine 62, in a file of the byte order of x86."""


def newest(text: str, library: str = "GLIBC") -> tuple[int, ...]:
    """The newest version of a library in the version needs that readelf prints; (0,) where there is none."""
    return max((_numbers(found) for found in re.findall(rf"Name: {library}_([\d.]+)", text)), default=(0,))


def version_needs(program: Path) -> str:
    """What readelf prints of the versions that a program or library needs."""
    argv = ["readelf", "--version-info", "--wide", str(program)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def natives(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each program and library for x86-64 below a directory, also in its jars: the name, and a file that may be temporary."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        if path.suffix == ".jar":
            yield from _of_jar(path)
        elif _is_native(path):
            yield str(path.relative_to(folder)), path


def _of_jar(jar: Path) -> Iterator[tuple[str, Path]]:
    with zipfile.ZipFile(jar) as archive, tempfile.TemporaryDirectory(prefix="weft-symbols-") as scratch:
        for name in archive.namelist():
            with archive.open(name) as file:
                if not _ELF_X86_64.match(file.read(20)):
                    continue
            yield f"{jar.name}: {name}", Path(archive.extract(name, scratch))


def _is_native(path: Path) -> bool:
    with path.open("rb") as file:
        return bool(_ELF_X86_64.match(file.read(20)))


def require_old_glibc(program: Path, oldest: str) -> None:
    """Raises WeftError if a program needs a newer glibc than this one."""
    found = newest(version_needs(program))
    if found == (0,) or found > _numbers(oldest):
        wanted = ".".join(map(str, found))
        raise WeftError(
            f"{program.name} needs glibc {wanted}, but it is built for {oldest}",
            hint="call what is newer through libc::syscall",
        )


def require_gccs_unwinder(library: Path) -> None:
    """Raises WeftError if a library has an unwinder of its own, which a cancelled thread of its process would meet in it."""
    done = subprocess.run(
        ["readelf", "--dynamic", "--wide", str(library)], capture_output=True, text=True, check=True
    )
    if "[libgcc_s.so.1]" not in done.stdout:
        raise WeftError(
            f"{library.name} does not load libgcc_s: it was linked with another unwinder",
            hint="native/scratch/build.rs has to name what Rust calls of it",
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
