"""A Debian for aarch64 whose programs run on this machine, by qemu, in namespaces of their own."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from weft.host.provision.tree import building, cached, digest

PACKAGES = (
    "bash,dash,coreutils,diffutils,util-linux,gcc,libc6-dev,python3,findutils,grep,sed,mount,usr-is-merged"
)
_NAMES = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
}
"""Files of /etc that a script of a package would have made."""
MAGIC = r":aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
"""How the kernel recognises a program for aarch64; as Debian's qemu-user-static registers it."""
_ENTER = """
echo entered; read -r _; root=$1; shift
mount --make-rprivate / && mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
printf %s "$1" >/proc/sys/fs/binfmt_misc/register && shift && mount --bind "$root" "$root" || exit
for one in /dev /sys $SEEN; do mkdir -p "$root$one" && mount --rbind "$one" "$root$one" || exit; done
mkdir -p "$root/proc" && mount -t proc proc "$root/proc" || exit
mount --bind /proc/sys/fs/binfmt_misc "$root/proc/sys/fs/binfmt_misc" || exit
cd "$root" && pivot_root . . && umount --lazy . && cd / && exec "$@"
"""


def debian() -> Path:
    """The unpacked root, kept in the cache: unpacked only, as scripts of its packages would run for minutes."""
    key = f"bare-debian-12-aarch64-{digest([], PACKAGES, *_NAMES.values())}"
    with building(key, 1_000_000_000) as target:
        if target is not None:
            how = ["--quiet", "--variant=extract", "--architectures=arm64", f"--include={PACKAGES}"]
            subprocess.run(["mmdebstrap", *how, "bookworm", str(target / "root")], check=True)
            (target / "root/usr/bin/cc").symlink_to("gcc")
            for name, text in _NAMES.items():
                (target / "root/etc" / name).write_text(text)
    found = cached(key)
    assert found is not None
    return found / "root"


def run(argv: Sequence[str], *, seen: Sequence[Path], directory: Path) -> "subprocess.CompletedProcess[str]":
    """A command inside, which sees some directories of this machine; every process that it leaves is killed.

    There, what cargo would build is built. Needs root, for users besides root in the namespace.
    """
    qemu = shutil.which("qemu-aarch64-static")
    spaces = ["--user", "--mount", "--pid", "--fork", "--kill-child"]
    entered = ["unshare", *spaces, "sh", "-c", _ENTER, "sh", str(debian()), f"{MAGIC}{MASK}:{qemu}:F"]
    inside = ["env", f"--chdir={directory}", "PATH=/usr/bin:/bin", "CARGO=true", *argv]
    with subprocess.Popen(
        [*entered, *inside],
        env={**os.environ, "SEEN": " ".join(map(str, seen))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "entered\n"
        for kind in ("uid", "gid"):
            Path(f"/proc/{process.pid}/{kind}_map").write_text("0 0 65536\n")
        out, err = process.communicate("\n")
    return subprocess.CompletedProcess(argv, process.returncode, out, err)
