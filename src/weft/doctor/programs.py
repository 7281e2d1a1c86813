"""Programs that weft starts: Java and its compiler, Maven, cargo, setpriv; and those with which files are mounted."""

from collections.abc import Callable

from weft.doctor.finding import Finding, finding_of, limits, missing, ok
from weft.errors import MissingError, WeftError
from weft.facts import engines
from weft.host import settings
from weft.host.provision import jdk, native
from weft.host.shell import install, tool
from weft.host.site import survey
from weft.host.site.profile import load


def java() -> Finding:
    """Java, new enough for the engines, and with the modules that they need."""
    costs = f"every engine; they need Java {jdk.OLDEST}"
    found = finding_of("java", lambda: f"Java {jdk.version(path := jdk.java())} at {path}", costs, missing)
    if found.status != "ok":
        return found
    for name, facts in engines.ALL.items():
        try:
            jdk.require_modules(jdk.java(), facts.java_modules, name)
        except MissingError as error:
            return limits("java", error.message, costs=f"runs on {name}", fix=error.hint)
    return found


_SHIPPED = "not needed: this weft was installed with what it builds"


def compiler() -> Finding:
    """The compiler of the same JDK."""
    costs = "building weft's jars"
    if settings.shipped():
        return ok("javac", _SHIPPED)
    try:
        path = jdk.java().parent / "javac"
    except WeftError as error:
        return missing("javac", "no usable Java", costs=costs, fix=error.hint)
    if path.exists():
        return ok("javac", str(path))
    fix = f"{install('openjdk-17-jdk-headless')}, or set JAVA_HOME to a JDK"
    return missing("javac", f"{path.parent} is a runtime without a compiler", costs=costs, fix=fix)


def maven() -> Finding:
    """Maven, which builds weft's jars."""
    if settings.shipped():
        return ok("maven", _SHIPPED)
    return finding_of("maven", lambda: tool("mvn", "maven"), "building weft's jars", missing)


def cargo() -> Finding:
    """Rust's build tool, for the programs in native/."""
    if settings.shipped():
        return ok("cargo", _SHIPPED)
    return finding_of(
        "cargo", lambda: native.cargo()[1], "the programs in native/: --scratch pool and delayed"
    )


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
