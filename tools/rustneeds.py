"""What the tests in Rust need apart from cargo: where all of it is there, none may leave itself out."""

import os
import shutil
from collections.abc import Mapping

REQUIRED = "WEFT_TEST_REQUIRED"
"""With it, a test that would leave itself out fails: `common/mod.rs` of the tests of `scratch` and `latencyfs`."""
PROGRAMS = {
    "strace": "strace",
    "setpriv": "util-linux",
    "objdump": "binutils",
    "python3": "python3",
    "java": "openjdk-17-jdk-headless",
}
"""Programs that these tests start, each with its package."""
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
    return found


def required() -> Mapping[str, str]:
    """The environment of the tests."""
    return {} if lacking() else {REQUIRED: "1"}


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError:
        return False
    return True
