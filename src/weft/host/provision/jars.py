"""weft's own jars, built by Maven once per version of java/."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.provision import jdk
from weft.host.provision.tree import Say, building, cached, digest


def build(homes: Mapping[str, Path], more: Sequence[str], say: Say) -> dict[str, Path]:
    """Paths of the jars by module: core, one for each distribution with a home, and `more`. An installed weft has them.

    Raises MissingError, which names what the build lacks.
    """
    if shipped := settings.shipped():
        wanted = ("core", *sorted(homes), *sorted(more))
        return {module: shipped / "jars" / f"weft-{module}.jar" for module in wanted}
    source = settings.SOURCE / "java"
    modules = ("core", *sorted(homes), *sorted(more))
    key = f"jars-{digest([source], *(f'{name}={homes[name].name}' for name in sorted(homes)), *sorted(more))}"
    if (found := cached(key)) is None:
        jdk.require_compiler()
        with building(key, 200_000_000, say) as target:
            if target is not None:
                say("building weft's jars (once)")
                _maven(source, homes, modules, target)
        found = cached(key)
        assert found is not None
    return {module: found / f"weft-{module}.jar" for module in modules}


def _maven(source: Path, homes: Mapping[str, Path], modules: Sequence[str], target: Path) -> None:
    copy = target / "build"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("target"))
    argv = [
        "mvn",
        "--batch-mode",
        "-Dstyle.color=never",
        "--quiet",
        "--file",
        str(copy / "pom.xml"),
        *(f"-D{name}.home={home}" for name, home in homes.items()),
        "-DskipTests",
        "package",
    ]
    try:
        shell.run(argv, timeout=900, env={"JAVA_HOME": str(jdk.java().parent.parent)})
    except WeftError as error:
        raise MissingError(
            "building weft's jars failed",
            tail=error.tail,
            hint=f"run `{' '.join(argv[:1])}` in java/ to see all of Maven's output",
        ) from error
    for module in modules:
        shutil.copy(copy / module / "target" / f"weft-{module}.jar", target)
    shutil.rmtree(copy)
