"""Programs that weft starts: Java and its compiler, Maven, cargo, setpriv."""

from weft.doctor.finding import Finding, limits, missing, ok
from weft.errors import WeftError
from weft.host import settings
from weft.host.provision import jdk, native
from weft.host.shell import tool


def java() -> Finding:
    """Java, new enough for the engines."""
    try:
        path = jdk.java()
        return ok("java", f"Java {jdk.version(path)} at {path}")
    except WeftError as error:
        return missing(
            "java", error.message, costs=f"every engine; they need Java {jdk.OLDEST}", fix=error.hint
        )


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
    try:
        return ok("maven", tool("mvn", "maven"))
    except WeftError as error:
        return missing("maven", error.message, costs="building weft's jars", fix=error.hint)


def cargo() -> Finding:
    """Rust's build tool, for the programs in native/."""
    if settings.shipped():
        return ok("cargo", _SHIPPED)
    try:
        return ok("cargo", native.cargo()[1])
    except WeftError as error:
        costs = "the programs in native/: --scratch pool and delayed"
        return limits("cargo", error.message, costs=costs, fix=error.hint)


def setpriv() -> Finding:
    """The program that ties every process to weft's lifetime."""
    try:
        return ok("setpriv", tool("setpriv", "util-linux"))
    except WeftError as error:
        return missing("setpriv", error.message, costs="every run", fix=error.hint)
