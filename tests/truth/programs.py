"""Jobs of known work, compiled against an engine's own distribution."""

import subprocess
import sys
from pathlib import Path

from weft.host.provision import distribution, jdk

ROOT = Path(__file__).parents[2]
SOURCES = Path(__file__).parent / "java"
PYTHON = Path(__file__).parent / "python"
"""Jobs of PySpark, of Dask (dask_*) and of Ray (ray_*)."""
LIBRARIES = {"spark": "jars", "flink": "lib", "hadoop": "lib"}
"""Directory of an engine's jars in its distribution."""


def with_pandas() -> str:
    """The Python of an environment with pandas and PyArrow, for workers of PySpark."""
    argv = [
        ROOT / "tools" / "python",
        ROOT / "requirements-workers.lock",
        "-c",
        "import sys; print(sys.executable)",
    ]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


def spin(engine: str, folder: Path) -> Path:
    """The jar of a job whose tasks compute for known numbers of seconds."""
    return jar(f"{engine.capitalize()}Spin", engine, folder, "Spin")


def crowded(folder: Path) -> Path:
    """The jar of a Spark job that keeps many small objects alive in its executors' heaps."""
    return jar("SparkCrowded", "spark", folder)


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


if __name__ == "__main__":
    print(crowded(Path(sys.argv[1])))
