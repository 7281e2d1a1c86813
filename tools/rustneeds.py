"""What the tests in Rust need apart from cargo: where all of it is there, none may leave itself out."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

REQUIRED = "WEFT_TEST_REQUIRED"
"""With it, a test that would leave itself out fails: `common/mod.rs` of the tests of `scratch` and `latencyfs`."""
PROGRAMS = {
    "strace": "strace",
    "setpriv": "util-linux",
    "unshare": "util-linux",
    "objdump": "binutils",
    "python3": "python3",
    "java": "openjdk-17-jdk-headless",
}
"""Programs that these tests start, each with its package."""
NAMESPACES = {
    ("-m",): "mounts",
    ("--pid", "--fork"): "pid namespaces",
    ("--user", "--map-root-user", "--pid", "--fork"): "pid namespaces of a user",
}
"""What these tests ask of `unshare`."""
_FUSE = "/dev/fuse"


def lacking() -> list[tuple[str, str]]:
    """What is missing here, each with what to do."""
    found = [
        (f"{program} is not on this machine", f"apt-get install {package}")
        for program, package in PROGRAMS.items()
        if shutil.which(program) is None
    ]
    if os.geteuid() != 0:
        found.append(("latencyfs is not mounted by a user", "run ./test as root"))
    elif not _opens(_FUSE):
        found.append((f"{_FUSE} cannot be opened", "load the kernel's module fuse"))
    if shutil.which("unshare") is not None:
        found.extend(
            (f"unshare cannot make {what}", "run ./test outside of containers")
            for flags, what in NAMESPACES.items()
            if not _unshares(flags)
        )
    return found


def required() -> Mapping[str, str]:
    """The environment of the tests."""
    return {} if lacking() else {REQUIRED: "1"}


def _unshares(flags: Sequence[str]) -> bool:
    argv = ["unshare", *flags, "true"]
    return subprocess.run(argv, check=False, stderr=subprocess.DEVNULL).returncode == 0


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError:
        return False
    return True
