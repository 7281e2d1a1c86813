"""What a test needs beside Python: a test is left out, with the reason, where one of these is missing.

The names are programs of tools/packages, devices, and the four below.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.host.provision import native

ROOT, NAMESPACES, USER_NAMESPACES = "root", "namespaces", "user namespaces"
FUSE_OF_OTHERS = "FUSE mount of another user"
SEARCHED = f"{os.environ['PATH']}:{Path.home()}/.cargo/bin:/usr/sbin:/sbin:/usr/local/sbin"
"""Where weft looks for programs."""

JAVA = ("javac",)
"""Of every engine: weft's workloads are built with them."""
NATIVE = ("cargo", "cc")
"""Of pool storage and of the fileops probe."""
TIMELY = (*NATIVE, "weft-timely")
DELAYED = (*NATIVE, "/dev/fuse", *(() if os.geteuid() == 0 else ("fusermount3",)))
VIRTUAL = (ROOT, "unshare", "nsenter", "ip", NAMESPACES)
LOOPBACK = ("mkfs.ext4", *(("/dev/loop-control",) if os.geteuid() == 0 else ("fuse2fs", "/dev/fuse")))
XFS = (ROOT, "mkfs.xfs", "/dev/loop-control")
GLUSTER = (ROOT, "glusterfsd", "glusterfs", "/dev/fuse")
MOOSEFS = ("mfsmaster", "mfschunkserver", "mfsmount", "/dev/fuse", *VIRTUAL)
SSH = ("sshd", "ssh")
GRID_ENGINE = (ROOT, "sge_qmaster", "sge_execd", "qsub", "unshare", "nsenter", "ip", NAMESPACES)
OAR = (
    ROOT,
    "Almighty",
    "oarsub",
    "pg_ctlcluster",
    *SSH,
    "unshare",
    "nsenter",
    "ip",
    NAMESPACES,
)
SLURM = (ROOT, "munged", "slurmctld", "slurmd", "srun", "unshare", NAMESPACES)


_OTHER_USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
_TRIED = {
    NAMESPACES: ("unshare", "--mount", "--net", "true"),
    USER_NAMESPACES: (*_OTHER_USER, "unshare", "--user", "--map-root-user", "--mount", "true"),
    FUSE_OF_OTHERS: (*_OTHER_USER, "sh", "-c", "exec <>/dev/fuse"),
}
"""Commands that show whether it can be done; the last two as a user who is not root."""


def needs(*names: str) -> pytest.MarkDecorator:
    """The mark of a test, of a parameter of one, or of a module."""
    why = lacking(*names)
    return pytest.mark.skipif(bool(why), reason=why)


def require(*names: str) -> None:
    """The same for a fixture, and for all tests that use it."""
    if why := lacking(*names):
        pytest.skip(why)


def lacking(*names: str) -> str:
    """Why what needs all of these cannot be run here; empty when it can."""
    return next(filter(None, map(_lacking, names)), "")


@cache
def _lacking(name: str) -> str:
    if name == ROOT:
        return "" if os.geteuid() == 0 else "needs root"
    if name in native.ENGINES:
        return _too_old(name)
    if name in _TRIED:
        return "" if _succeeds(_TRIED[name]) else f"no {name} can be made here"
    if name.startswith("/"):
        return "" if os.access(name, os.R_OK | os.W_OK) else f"{name} cannot be opened"
    package, home = packages()[name], os.environ.get("JAVA_HOME")
    if shutil.which(name, path=f"{home}/bin:{SEARCHED}" if home else SEARCHED):
        return _too_old() if name == "cargo" else ""
    return f"{name} is not on this machine: apt-get install {package[0]}"


def _too_old(*packages: str) -> str:
    try:
        native.cargo(packages)
    except WeftError as error:
        return f"{error.message} ({error.hint})"
    return ""


def packages() -> dict[str, list[str]]:
    """The packages that have each program, the best first."""
    table = (Path(__file__).parents[1] / "tools" / "packages").read_text()
    rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
    return {program: package.split("|") for program, package, *_ in rows}


def _succeeds(argv: Sequence[str]) -> bool:
    try:
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
