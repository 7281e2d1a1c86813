"""Maven, which runs the tests of java/: all that it can use are the files of java/maven.lock."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from weft.host import settings
from weft.host.provision import distribution, jdk
from weft.host.provision.mavenset import Artifact, MavenSet
from weft.host.provision.tree import Say


@dataclass(frozen=True)
class MavenRepository(MavenSet):
    """A local repository of Maven, with every file that it reads."""

    folder: ClassVar[str] = ""

    @property
    def lock(self) -> Path:
        return settings.SOURCE / "java" / "maven.lock"

    def within(self, artifact: Artifact) -> str:
        return artifact.path


MAVEN = MavenSet(name="maven", version="3.9.11", unpacked=12_000_000)
FILES = MavenRepository(name="maven-files", version="3.9.11", unpacked=200_000_000)
"""The plugins and libraries with which it compiles and tests."""
_LOGGED = ("logFile=System.out", "showThreadName=false", "showLogName=false", "levelInBrackets=true")


def files(say: Say) -> Path:
    """Where the local repository is, downloaded on first use."""
    return distribution.provided({FILES.name: FILES}, say)[FILES.name]


def command(project: Path, homes: Mapping[str, Path], say: Say) -> list[str]:
    """The command line of Maven for a project of java/, without goals. A Java without javac compiles with Eclipse's compiler."""
    program = distribution.provided({each.name: each for each in (MAVEN, FILES)}, say)[MAVEN.name]
    java = jdk.java(say)
    return [
        *start(java, program, project),
        *("--batch-mode", "-Dstyle.color=never"),
        *("--offline", f"-Dmaven.repo.local={files(say)}"),
        *("--file", str(project / "pom.xml")),
        *(() if jdk.compiles(java) else ("-Dweft.compiler=eclipse",)),
        *(f"-D{name}.home={home}" for name, home in homes.items()),
    ]


def start(java: Path, program: Path, project: Path) -> list[str]:
    """What the script `mvn` would start for a project: its options for the JVM are in .mvn of the directory above all modules."""
    top = next((each for each in (project, *project.parents) if (each / ".mvn").is_dir()), project)
    options = top / ".mvn" / "jvm.config"
    return [
        str(java),
        *(options.read_text(encoding="utf-8").split() if options.exists() else ()),
        # as Maven's own conf/logging has it: errors are a part of its output
        *(f"-Dorg.slf4j.simpleLogger.{key}" for key in _LOGGED),
        *("-cp", f"{program}/lib/*", f"-Dmaven.multiModuleProjectDirectory={top}"),
        "org.apache.maven.cli.MavenCli",
    ]
