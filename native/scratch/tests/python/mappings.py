"""Mappings of a served file beside growth, cuts and holes: every write through one is seen, and no page changes under one."""

import ctypes
import errno
import mmap
import os
import sys

PREFIX, PAGE, PIECE = sys.argv[1], 4096, 1 << 20


def made(name: str) -> int:
    return os.open(f"{PREFIX}/{name}", os.O_RDWR | os.O_CREAT, 0o600)


def seen(fd: int, offset: int, *mappings: mmap.mmap) -> set[bytes]:
    """What each way of reading finds at an offset; one value if they agree."""
    return {os.pread(fd, 4, offset), *(m[offset : offset + 4] for m in mappings)}


def growing() -> None:
    """Two files grow by turns; one is mapped in part, grows, and is mapped whole."""
    fd, other = made("growing"), made("other")
    os.write(fd, b"a" * PIECE)
    os.write(other, b"b" * PIECE)
    first = mmap.mmap(fd, PIECE)
    first[:4] = b"ONE_"
    os.write(fd, b"c" * PIECE)
    whole = mmap.mmap(fd, 2 * PIECE)
    first[:4] = b"TWO_"
    assert seen(fd, 0, first, whole) == {b"TWO_"}
    whole[:4] = b"3333"
    assert seen(fd, 0, first, whole) == {b"3333"}
    os.pwrite(fd, b"file", 8)
    assert seen(fd, 8, first, whole) == {b"file"}
    assert os.pread(other, 4, 0) == b"bbbb"


def scattered() -> None:
    """A reader maps pages of a file that is scattered over its segment; the file gets more, other files are removed."""
    fd = made("scattered")
    os.pwrite(fd, b"Z" * PAGE, 1000 * PAGE)
    for n in range(150):
        os.pwrite(fd, b"A" * PAGE, 2 * n * PAGE)
    first = mmap.mmap(fd, PAGE, mmap.MAP_SHARED, mmap.PROT_READ)
    other = mmap.mmap(fd, PAGE, mmap.MAP_SHARED, mmap.PROT_READ, offset=100 * PAGE)
    for n in range(150, 300):
        os.pwrite(fd, b"A" * PAGE, 2 * n * PAGE)
    for n in range(100):
        with open(f"{PREFIX}/t{n}", "wb") as file:
            file.write(b"t" * PAGE)
    for n in range(0, 100, 2):
        os.unlink(f"{PREFIX}/t{n}")
    assert first[:4] == other[:4] == os.pread(fd, 4, 0) == b"AAAA"
    for n in range(1200, 4000, 2):
        os.pwrite(fd, b"B" * PAGE, n * PAGE)
    assert all(os.pread(fd, 4, n * PAGE) == b"BBBB" for n in range(1200, 4000, 2))
    assert all(os.pread(fd, 4, n * PAGE) == b"\0\0\0\0" for n in range(1201, 3999, 2))
    assert first[:4] == other[:4] == b"AAAA"


def cut() -> None:
    """What is cut off while it is mapped comes back as zeroes, in the same place."""
    fd = made("cut")
    os.write(fd, b"x" * 3 * PAGE)
    m = mmap.mmap(fd, 3 * PAGE)
    os.ftruncate(fd, PAGE + 10)
    os.ftruncate(fd, 3 * PAGE)
    assert seen(fd, 2 * PAGE, m) == {bytes(4)}
    assert seen(fd, PAGE + 10, m) == {bytes(4)}
    m[2 * PAGE : 2 * PAGE + 4] = b"back"
    os.pwrite(fd, b"file", PAGE)
    assert seen(fd, 2 * PAGE, m) == {b"back"}
    assert seen(fd, PAGE, m) == {b"file"}
    os.ftruncate(fd, 0)
    m.close()
    os.pwrite(fd, b"!", 3 * PAGE)
    assert os.pread(fd, 3 * PAGE, 0) == bytes(3 * PAGE)


def ahead() -> None:
    """A mapping that is longer than the file shows what the file grows to."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    fd = made("ahead")
    os.write(fd, b"begin")
    at = libc.mmap(None, 64 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, 0)
    os.pwrite(fd, b"later", 40 * PAGE)
    assert ctypes.string_at(at + 40 * PAGE, 5) == b"later"
    ctypes.memmove(at + 30 * PAGE, b"mapped", 6)
    assert os.pread(fd, 6, 30 * PAGE) == b"mapped"
    # Without its middle it is two mappings, each of which holds the pages.
    libc.munmap(ctypes.c_void_p(at + 8 * PAGE), ctypes.c_size_t(8 * PAGE))
    os.close(fd)
    os.unlink(f"{PREFIX}/ahead")
    for n in range(50):
        with open(f"{PREFIX}/new{n}", "wb") as file:
            file.write(b"n" * PAGE)
        os.unlink(f"{PREFIX}/new{n}")
    assert ctypes.string_at(at, 5) == b"begin" and ctypes.string_at(at + 40 * PAGE, 5) == b"later"
    libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(64 * PAGE))


def resized() -> None:
    """mremap grows over the pages of the file and not of the next one; its old addresses hold nothing any more."""
    fd, other = made("resized"), made("next")
    os.write(fd, b"r" * PAGE)
    os.write(other, b"SECRET" * 10000)
    m = mmap.mmap(fd, PAGE)
    held = mmap.mmap(other, PAGE)
    m.resize(20 * PAGE)
    assert os.fstat(fd).st_size == 20 * PAGE and m[PAGE:] == bytes(19 * PAGE)
    m[19 * PAGE : 19 * PAGE + 4] = b"tail"
    os.pwrite(fd, b"file", 10 * PAGE)
    assert seen(fd, 19 * PAGE, m) == {b"tail"} and seen(fd, 10 * PAGE, m) == {b"file"}
    m.resize(2 * PAGE)
    m.resize(300 * PAGE)
    assert seen(fd, 0, m) == {b"rrrr"} and seen(fd, 19 * PAGE, m) == {bytes(4)}
    assert held[:6] == b"SECRET"


def inherited() -> None:
    """A child's mapping holds the pages after its parent's is gone."""
    fd = made("inherited")
    os.write(fd, b"i" * 10 * PAGE)
    m = mmap.mmap(fd, 10 * PAGE)
    (ready, go) = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(ready, 1)
        os._exit(m[5 * PAGE : 5 * PAGE + 4] != b"iiii")
    os.close(ready)
    m.close()
    os.close(fd)
    os.unlink(f"{PREFIX}/inherited")
    with open(f"{PREFIX}/after", "wb") as file:
        file.write(b"w" * 20 * PAGE)
    os.close(go)
    assert os.waitpid(child, 0)[1] == 0


def refused() -> None:
    """What would move mapped pages fails: standard output is written past the library, to a real file."""
    fd = made("refused")
    os.write(fd, b"f" * PAGE)
    m = mmap.mmap(fd, PAGE)
    kept = os.dup(1)
    number = 0
    try:
        os.dup2(fd, 1)
    except OSError as error:
        number = error.errno or 0
    assert number == errno.EBUSY, number
    os.dup2(kept, 1)
    m.close()
    os.dup2(fd, 1)
    os.dup2(kept, 1)


for case in (growing, scattered, cut, ahead, resized, inherited, refused):
    case()
print("OK")
