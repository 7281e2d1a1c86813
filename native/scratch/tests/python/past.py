"""openat2(2) by its number, for which libc has no function."""

import ctypes
import errno
import os
import struct
import sys

PREFIX = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)


def openat2(path: str, flags: int, resolve: int = 0) -> int:
    how = struct.pack("QQQ", flags, 0o600 if flags & os.O_CREAT else 0, resolve)
    return int(libc.syscall(437, -100, path.encode(), how, 24))


fd = openat2(f"{PREFIX}/raw", os.O_CREAT | os.O_WRONLY)
assert fd >= 0, ctypes.get_errno()
os.write(fd, b"data")
assert os.listdir(PREFIX) == ["raw"] and open(f"{PREFIX}/raw").read() == "data"
assert openat2(f"{PREFIX}/raw", os.O_RDONLY, 0x10) == -1 and ctypes.get_errno() == errno.EOPNOTSUPP
assert openat2("/etc/passwd", os.O_RDONLY) >= 0
print("OK")
