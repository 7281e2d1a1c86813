"""Programs that weft starts: Java, cargo, setpriv; and those with which files are mounted."""

from collections.abc import Callable

from weft.adapters import engines, services
from weft.doctor.finding import Finding, finding_of, limits, missing, ok
from weft.errors import MissingError, WeftError
from weft.host import settings
from weft.host.provision import jdk, native
from weft.host.provision.distribution import JAVA
from weft.host.provision.tree import cached
from weft.host.shell import tool
from weft.host.site import survey
from weft.host.site.profile import load
from weft.text.units import show_size


def java() -> Finding:
    """Java, new enough for the engines, and with the modules that they need; or that weft downloads one."""
    costs = f"every engine; they need Java {jdk.OLDEST}"
    try:
        path = jdk.installed() or cached(JAVA.key)
        if path is None:
            size = show_size(sum(each.size for each in JAVA.wheels))
            return ok("java", f"none on PATH: the first run downloads Java {JAVA.version}, {size}")
        found = path if path.is_file() else path / "bin" / "java"
        text = f"Java {jdk.version(found)} at {found}"
    except WeftError as error:
        return missing("java", error.message, costs=costs, fix=error.hint)
    users = [(kind, each.java_modules) for kind, each in engines.KINDS.items()]
    for name, modules in (*users, *((kind, each.java_modules) for kind, each in services.KINDS.items())):
        try:
            jdk.require_modules(found, modules, name)
        except MissingError as error:
            return limits("java", error.message, costs=f"runs on {name}", fix=error.hint)
    return ok("java", text)


_SHIPPED = "not needed: this weft was installed with what it builds"
_NEED_CARGO = "pool and delayed storage, --probe fileops, weft calibrate, engines ray, timely and limit"


def cargo() -> Finding:
    """Rust's build tool, for the programs in native/."""
    if settings.shipped():
        return ok("cargo", _SHIPPED)
    return finding_of("cargo", lambda: native.cargo()[1], _NEED_CARGO)


def _installed(
    name: str, package: str, costs: str, bad: Callable[..., Finding] = limits
) -> Callable[[], Finding]:
    """A check whether a program is there."""
    return lambda: finding_of(name, lambda: tool(name, package), costs, bad)


setpriv = _installed("setpriv", "util-linux", "every run", missing)
"""The program that ties every process to weft's lifetime."""
fuse2fs = _installed("fuse2fs", "fuse2fs", "--scratch loopback without root")
xfs = _installed("mkfs.xfs", "xfsprogs", "--scratch loopback with fs=xfs")
gluster = _installed("glusterfsd", "glusterfs-server", "--input, --output and --scratch gluster")
_MOOSEFS = "--input, --output and --scratch moosefs"
moosefs = _installed("mfsmaster", "moosefs-master", _MOOSEFS)
moosefs_chunks = _installed("mfschunkserver", "moosefs-chunkserver", _MOOSEFS)
moosefs_client = _installed("mfsmount", "moosefs-client", _MOOSEFS)


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
