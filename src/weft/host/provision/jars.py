"""weft's own jars, built by a Maven of weft's own once per version of each module of java/."""

import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.programs.removal import remove_tree
from weft.host.provision import distribution, jdk
from weft.host.provision.distribution import Distribution
from weft.host.provision.tree import Say, building, cached, digest

_LOGGED = ("logFile=System.out", "showThreadName=false", "showLogName=false", "levelInBrackets=true")
_NOT_LOCKED = re.compile(r"in offline mode and the artifact (\S+) has not been downloaded")
"""What Maven prints of a file that its local repository does not have."""


def build(names: Collection[str], more: Sequence[str], say: Say) -> dict[str, Path]:
    """Paths of the jars by module: core, one for each of the distributions, and `more`. An installed weft has them.

    They are compiled against weft's own distributions, also where a site's own will run them: there is one jar, in a checkout as in a
    wheel. Raises MissingError, which names what the build lacks.
    """
    if shipped := settings.shipped():
        return {module: shipped / "jars" / f"weft-{module}.jar" for module in ("core", *names, *more)}
    source = settings.SOURCE / "java"
    homes = _with_module(names)
    # whatever else a run has, a module's jar has the same path, and what is made from that path is made once
    keys = {module: _key(source, module, homes) for module in sorted({"core", *homes, *more})}
    if missing := [module for module, key in keys.items() if cached(key) is None]:
        with ExitStack() as targets:
            asked = {name: targets.enter_context(building(keys[name], 200_000_000, say)) for name in missing}
            if absent := {name: target for name, target in asked.items() if target is not None}:
                say(f"building weft's jars for {', '.join(absent)} (once)")
                _build(source, distribution.homes(list(homes), say), absent, say)
    return {module: _of_cache(key) / f"weft-{module}.jar" for module, key in keys.items()}


def needs(names: Collection[str]) -> dict[str, Distribution]:
    """What building the jars for distributions needs, themselves included; nothing if there are jars for them."""
    if settings.shipped():
        return {}
    homes = _with_module(names)
    if all(cached(_key(settings.SOURCE / "java", module, homes)) for module in ("core", *homes)):
        return {}
    own = (distribution.DISTRIBUTIONS[name] for name in homes)
    return {each.name: each for each in (distribution.MAVEN, distribution.MAVEN_FILES, *own)}


def _with_module(names: Collection[str]) -> dict[str, Path]:
    """The homes of the distributions whose programs are in Java."""
    return {name: distribution.expected(name) for name in names if (settings.SOURCE / "java" / name).is_dir()}


def _key(source: Path, module: str, homes: Mapping[str, Path]) -> str:
    own = [] if module == "core" else [source / module]
    inputs = [source / "pom.xml", distribution.MAVEN_FILES.lock, source / "core", *own]
    home = [homes[module].name] if module in homes else []
    return f"jars-{module}-{digest(inputs, *home)}"


def _of_cache(key: str) -> Path:
    found = cached(key)
    assert found is not None
    return found


def maven(project: Path, homes: Mapping[str, Path], say: Say) -> list[str]:
    """The command line of Maven for a project of java/, without goals: all that it can use are the files of java/maven.lock.

    A Java without javac compiles with Eclipse's compiler.
    """
    wanted = {each.name: each for each in (distribution.MAVEN, distribution.MAVEN_FILES)}
    found = distribution.provided(wanted, say)
    java = jdk.java(say)
    return [
        *start(java, found[distribution.MAVEN.name], project),
        *("--batch-mode", "-Dstyle.color=never"),
        *("--offline", f"-Dmaven.repo.local={found[distribution.MAVEN_FILES.name]}"),
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


def _build(source: Path, homes: Mapping[str, Path], targets: Mapping[str, Path], say: Say) -> None:
    """Build modules, each into its directory."""
    copy = next(iter(targets.values())) / "build"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("target"))
    goals = ["--quiet", "--also-make", "--projects", ",".join(targets), "-DskipTests", "package"]
    argv = [*maven(copy, homes, say), *goals]
    try:
        shell.run(argv, timeout=900)
    except WeftError as error:
        if lacking := _NOT_LOCKED.search("\n".join(error.tail)):
            raise MissingError(
                f"java/maven.lock does not have {lacking[1]}, which building weft's jars needs",
                hint="after a change of a pom.xml: `tools/lock maven` writes the lock",
            ) from error
        raise MissingError(
            "building weft's jars failed",
            tail=error.tail,
            hint="`./test java` shows all of Maven's output",
        ) from error
    for module, target in targets.items():
        shutil.copy(copy / module / "target" / f"weft-{module}.jar", target)
    remove_tree(str(copy))
