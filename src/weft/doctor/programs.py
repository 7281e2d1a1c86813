"""Programs that weft starts: Java and its compiler, Maven, cargo, setpriv."""

from weft.doctor.finding import Finding, finding_of, missing, ok
from weft.errors import WeftError
from weft.host import settings
from weft.host.provision import jdk, native
from weft.host.shell import tool


def java() -> Finding:
    """Java, new enough for the engines."""
    costs = f"every engine; they need Java {jdk.OLDEST}"
    return finding_of("java", lambda: f"Java {jdk.version(path := jdk.java())} at {path}", costs, missing)


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
    fix = "apt-get install openjdk-17-jdk-headless, or set JAVA_HOME to a JDK"
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


def setpriv() -> Finding:
    """The program that ties every process to weft's lifetime."""
    return finding_of("setpriv", lambda: tool("setpriv", "util-linux"), "every run", missing)
