"""Programs with which files are mounted here: images, GlusterFS, containers."""

from weft.doctor.finding import Finding, finding_of, limits, ok
from weft.host import settings
from weft.host.shell import tool
from weft.host.site import survey
from weft.host.site.profile import load


def fuse2fs() -> Finding:
    """ext4 images without root."""
    return finding_of("fuse2fs", lambda: tool("fuse2fs", "fuse2fs"), "--scratch loopback without root")


def xfs() -> Finding:
    """xfs images."""
    return finding_of("mkfs.xfs", lambda: tool("mkfs.xfs", "xfsprogs"), "--scratch loopback with fs=xfs")


def gluster() -> Finding:
    """GlusterFS, which weft starts on nodes of its own."""
    costs = "--input, --output and --scratch gluster"
    return finding_of("glusterfsd", lambda: tool("glusterfsd", "glusterfs-server"), costs)


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
