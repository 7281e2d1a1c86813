"""Lists of the classes that an engine's processes load: what its JVMs wrote down in a run made for that.

A line of a list is a class, or what the JVM wrote about a lambda expression, which begins with @.
"""

from pathlib import Path

_NOT_IN_A_JAR = (
    "io/weft/",
    "com/sun/proxy/",
    "jdk/proxy",
    "$Proxy",
    "$$Lambda",
    "LambdaForm$",
    "FastClassByGuice",
    "Generated",
)
"""Parts of names that the JVM makes up, or that are weft's own."""

_MADE_EACH_TIME = ("io/weft/", "0x")
"""Parts of lines about lambda expressions that no archive can hold, or that are weft's own."""


def option(directory: Path) -> str:
    """Makes a JVM write down what it loads, into a file of its own in a directory."""
    return f"-XX:DumpLoadedClassList={directory}/%p.lst"


def merge(directory: Path) -> list[str]:
    """What all JVMs wrote that an archive can hold, each line once and in order."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(directory.glob("*.lst"))]
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    # those that the boot, platform and application loaders found; what other loaders found names a source
    found = [line for line in lines if line[0] not in "#@" and "source:" not in line]
    classes = {line.split(" ")[0] for line in found if not any(part in line for part in _NOT_IN_A_JAR)}
    made = {line for line in lines if line[0] == "@" and not any(part in line for part in _MADE_EACH_TIME)}
    return [*sorted(classes), *sorted(made)]
