"""What can be mounted here: image files with the kernel or FUSE, and their file systems."""

import os
import shutil
from pathlib import Path

from weft.doctor.finding import Finding, limits, ok
from weft.errors import WeftError
from weft.host import settings
from weft.host.shell import tool
from weft.host.site import survey
from weft.host.site.profile import load


def loop(control: Path = Path("/dev/loop-control")) -> Finding:
    """The kernel's loop device, for root."""
    costs = "--scratch loopback with the kernel; fuse2fs is slower"
    if os.geteuid() != 0:
        return limits(
            "loop mounts", "weft does not run as root", costs=costs, fix="run as root, or accept fuse2fs"
        )
    if not os.access(control, os.R_OK | os.W_OK):
        fix = "modprobe loop, and give a container /dev/loop-control"
        return limits("loop mounts", f"{control} cannot be opened", costs=costs, fix=fix)
    return ok("loop mounts", "with the kernel")


def fuse(device: Path = Path("/dev/fuse")) -> Finding:
    """FUSE and its mount helper."""
    costs = "fuse2fs and the emulated parallel file system"
    if not device.exists():
        return limits(
            "fuse", f"{device} does not exist", costs=costs, fix="modprobe fuse, and pass it to a container"
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return limits("fuse", f"{device} cannot be opened", costs=costs, fix=f"chmod 666 {device}, as root")
    if shutil.which("fusermount3") is None and os.geteuid() != 0:
        return limits("fuse", "fusermount3 is missing", costs=costs, fix="apt-get install fuse3")
    return ok("fuse", str(device))


def fuse2fs() -> Finding:
    """ext4 images without root."""
    costs = "--scratch loopback without root"
    return _program("fuse2fs", "fuse2fs", costs)


def xfs() -> Finding:
    """xfs images."""
    return _program("mkfs.xfs", "xfsprogs", "--scratch loopback with fs=xfs")


def gluster() -> Finding:
    """GlusterFS, which weft starts on nodes of its own."""
    return _program("glusterfsd", "glusterfs-server", "--input, --output and --scratch gluster")


def containers() -> Finding:
    """Programs of a site that mount image files for users inside a container."""
    found, costs = survey.containers(), "--scratch loopback with by="
    if not found:
        fix = "`module load` one if the site has it; otherwise weft mounts images itself"
        names = ", ".join(survey.CONTAINERS)
        return limits("containers", f"none of {names} is on PATH", costs=costs, fix=fix)
    if load().container.image is None and found != ["shifter"]:
        fix = f"write `image = ...` below [container] in {settings.site()}"
        text = f"{', '.join(found)}; the site profile names no root image"
        return limits("containers", text, costs=costs, fix=fix)
    return ok("containers", ", ".join(found))


def _program(name: str, package: str, costs: str) -> Finding:
    try:
        return ok(name, tool(name, package))
    except WeftError as error:
        return limits(name, error.message, costs=costs, fix=error.hint)
