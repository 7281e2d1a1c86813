"""The newest glibc that a native program asks for: what the ELF file requires, not what its builder promised."""

import re
import subprocess
from pathlib import Path

from weft.errors import WeftError


def newest(text: str) -> tuple[int, ...]:
    """The newest GLIBC_ version in the version needs that readelf prints; (0,) where there is none."""
    return max((_numbers(found) for found in re.findall(r"Name: GLIBC_([\d.]+)", text)), default=(0,))


def require_old_glibc(program: Path, oldest: str) -> None:
    """Raises WeftError if a program needs a newer glibc than this one."""
    done = subprocess.run(
        ["readelf", "--version-info", "--wide", str(program)], capture_output=True, text=True, check=True
    )
    found = newest(done.stdout)
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
