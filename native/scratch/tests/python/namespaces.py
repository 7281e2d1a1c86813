"""A process in a pid namespace of its own, beside one that is served: it is refused, and touches nobody's file."""

import ctypes
import errno
import os
import subprocess
import sys
from collections.abc import Callable

PREFIX = sys.argv[1]
CLONE_NEWPID = 0x20000000


def refused(call: Callable[[], object]) -> int:
    try:
        call()
    except OSError as error:
        return error.errno or 0
    return 0


def inside() -> None:
    """In the new namespace: names and files are refused."""
    created = refused(lambda: os.open(f"{PREFIX}/b", os.O_RDWR | os.O_CREAT, 0o600))
    assert created == errno.EPERM, created
    assert refused(lambda: os.stat(f"{PREFIX}/a")) == errno.EPERM
    assert refused(lambda: os.listdir(PREFIX)) == errno.EPERM


def entered(fd: int) -> None:
    """A child that forks into a new namespace: it is refused as well, and so is its descriptor."""
    child = os.fork()
    if child == 0:
        assert ctypes.CDLL(None).unshare(CLONE_NEWPID) == 0
        grandchild = os.fork()
        if grandchild == 0:
            inside()
            assert refused(lambda: os.write(fd, b"not here")) == errno.EBADF
            os._exit(0)
        os._exit(os.waitpid(grandchild, 0)[1] != 0)
    assert os.waitpid(child, 0)[1] == 0


if len(sys.argv) > 2:
    inside()
    if sys.argv[2] == "b":
        assert subprocess.run([sys.executable, __file__, PREFIX, "c"], check=False).returncode == 0
    sys.exit()

fd = os.open(f"{PREFIX}/a", os.O_RDWR | os.O_CREAT, 0o600)
os.write(fd, b"first line of a\n")
apart = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, __file__, PREFIX, "b"]
done = subprocess.run(apart, stderr=subprocess.PIPE, text=True, check=False)
assert done.returncode == 0, done.stderr
assert "belongs to another pid namespace" in done.stderr, done.stderr
entered(fd)
os.write(fd, b"bytes of a\n")
assert open(f"{PREFIX}/a").read() == "first line of a\nbytes of a\n"
assert os.listdir(PREFIX) == ["a"]
print("OK")
