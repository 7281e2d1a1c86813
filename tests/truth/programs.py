"""Jobs of known work, compiled against an engine's own distribution."""

import subprocess
from pathlib import Path

from weft.host.provision import distribution, jdk

SOURCES = Path(__file__).parent / "java"
LIBRARIES = {"spark": "jars", "flink": "lib", "hadoop": "lib"}
"""Directory of an engine's jars in its distribution."""


def spin(engine: str, folder: Path) -> Path:
    """The jar of a job whose tasks compute for known numbers of seconds."""
    return jar(f"{engine.capitalize()}Spin", engine, folder, "Spin")


def jar(name: str, engine: str, folder: Path, *others: str) -> Path:
    """Compile `java/NAME.java` with others; NAME is the main class."""
    home, tools = distribution.home(engine, print), jdk.java().parent
    classes = folder / f"{name}-classes"
    sources = [SOURCES / f"{each}.java" for each in (name, *others)]
    library = f"{home}/{LIBRARIES[engine]}/*"
    subprocess.run([tools / "javac", "-cp", library, "-d", classes, *sources], check=True)
    made = folder / f"{name}.jar"
    subprocess.run([tools / "jar", "-cfe", made, name, "-C", classes, "."], check=True)
    return made
