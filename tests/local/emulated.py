"""A Debian for aarch64 whose programs run on this machine, by qemu, in namespaces of their own."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from weft.host.provision.tree import building, cached, digest

PACKAGES = "bash,dash,coreutils,gcc,libc6-dev,python3-minimal,findutils,grep,sed,mount,usr-is-merged"
MAGIC = r":aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
"""How the kernel recognises a program for aarch64; as Debian's qemu-user-static registers it."""
_ENTER = """
root=$1; shift
mount --make-rprivate / && mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
printf %s "$1" >/proc/sys/fs/binfmt_misc/register && shift && mount --bind "$root" "$root" || exit
for one in /proc /dev /sys $SEEN; do mkdir -p "$root$one" && mount --rbind "$one" "$root$one" || exit; done
cd "$root" && pivot_root . . && umount --lazy . && cd / && exec "$@"
"""


def debian() -> Path:
    """The unpacked root, kept in the cache: unpacked only, as scripts of its packages would run for minutes."""
    key = f"bare-debian-12-aarch64-{digest([], PACKAGES)}"
    with building(key, 1_000_000_000) as target:
        if target is not None:
            how = ["--quiet", "--variant=extract", "--architectures=arm64", f"--include={PACKAGES}"]
            subprocess.run(["mmdebstrap", *how, "bookworm", str(target / "root")], check=True)
            (target / "root/usr/bin/cc").symlink_to("gcc")
    found = cached(key)
    assert found is not None
    return found / "root"


def run(argv: Sequence[str], *, seen: Sequence[Path], directory: Path) -> "subprocess.CompletedProcess[str]":
    """A command inside, which sees some directories of this machine; every process that it leaves is killed.

    There, what cargo would build is built.
    """
    qemu = shutil.which("qemu-aarch64-static")
    spaces = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    entered = ["unshare", *spaces, "sh", "-c", _ENTER, "sh", str(debian()), f"{MAGIC}{MASK}:{qemu}:F"]
    inside = ["env", f"--chdir={directory}", "PATH=/usr/bin:/bin", "CARGO=true", *argv]
    environment = {**os.environ, "SEEN": " ".join(map(str, seen))}
    return subprocess.run([*entered, *inside], env=environment, capture_output=True, text=True, check=False)
