"""What Python programs do with a scratch directory."""

import errno
import mmap
import os
import shutil
import subprocess
import sys
import tempfile

root = sys.argv[1]
d = os.path.join(root, "py")
os.makedirs(os.path.join(d, "a", "b"))
p = os.path.join(d, "a", "f")
with open(p, "wb") as f:
    f.write(b"0123456789" * 1000)
    f.seek(5)
    f.write(b"xx")
assert os.path.getsize(p) == 10000 and os.path.isfile(p) and os.path.isdir(d)
with open(p, "r+b") as f:
    assert f.read(8) == b"01234xx7"
    with mmap.mmap(f.fileno(), 0) as m:
        m[0:2] = b"MM"
        assert m[9999:10000] == b"9"
    assert os.pread(f.fileno(), 2, 0) == b"MM"
with open(os.path.join(d, "text"), "w") as f:
    print("line one", file=f)
    print("line two", file=f)
assert open(os.path.join(d, "text")).read().splitlines() == ["line one", "line two"]
assert sorted(os.listdir(d)) == ["a", "text"]
assert sorted(e.name for e in os.scandir(d) if e.is_dir()) == ["a"]
assert os.path.realpath(os.path.join(d, "a", "..", "text")) == os.path.join(d, "text")
os.rename(p, os.path.join(d, "g"))
assert not os.path.exists(p)
shutil.copy(os.path.join(d, "g"), os.path.join(d, "h"))
shutil.copytree(d, os.path.join(root, "copy"))
assert open(os.path.join(root, "copy", "h"), "rb").read()[:2] == b"MM"
with tempfile.TemporaryDirectory(dir=d) as t, tempfile.NamedTemporaryFile(dir=t) as f:
    f.write(b"x")
    f.flush()
    assert os.stat(f.name).st_size == 1
fd = os.open(d, os.O_RDONLY)
assert os.stat("g", dir_fd=fd).st_size == 10000 and "g" in os.listdir(fd)
os.close(fd)
with open(os.path.join(d, "out"), "wb") as f:
    subprocess.run(["echo", "from a child"], stdout=f, check=True)
assert open(os.path.join(d, "out")).read() == "from a child\n"
with open(os.path.join(d, "text")) as f:
    assert subprocess.run(["cat"], stdin=f, capture_output=True, check=True).stdout == b"line one\nline two\n"
os.utime(os.path.join(d, "g"), (1000, 2000))
assert os.stat(os.path.join(d, "g")).st_mtime == 2000
for refused, why in (
    (lambda: os.link(os.path.join(d, "g"), os.path.join(d, "l")), errno.EXDEV),
    (lambda: os.symlink("g", os.path.join(d, "s")), errno.EPERM),
):
    try:
        refused()
        raise SystemExit("links are not served")
    except OSError as e:
        if e.errno != why:
            raise
before = os.getcwd()
os.chdir(os.path.join(d, "a"))
with open("relative", "w") as f:
    f.write("r")
assert os.getcwd() == os.path.join(d, "a") and os.path.exists(os.path.join(d, "a", "relative"))
os.chdir(before)
pid = os.fork()
if pid == 0:
    open(os.path.join(d, "forked"), "w").write("c")
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0 and open(os.path.join(d, "forked")).read() == "c"
for name in ("py", "copy"):
    shutil.rmtree(os.path.join(root, name))
assert os.listdir(root) == []
print("OK")
