"""weft's own jars, compiled once per version of each module of java/."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path

from weft import __version__
from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.programs.removal import remove_tree
from weft.host.provision import distribution, jarfile, javamodules, jdk
from weft.host.provision.distribution import Distribution
from weft.host.provision.javamodules import CORE, Libraries, Module
from weft.host.provision.mavenset import locked
from weft.host.provision.relocation import Relocation
from weft.host.provision.tree import Say, building, cached, digest

_CLASSES = "weft-core-classes.jar"
"""Core's own classes alone, with which other modules are compiled."""
_PICOCLI = Relocation("picocli", "io.weft")
"""So that it does not meet a picocli of a user's own jar."""
_LEFT_OUT = ("META-INF/native-image/picocli", "META-INF/versions/9/module-info", "picocli/AutoComplete")
"""What no program of weft uses, of the jars that are packed."""
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_JAVAC = ("--module", "jdk.compiler/com.sun.tools.javac.Main", "--release", "17")
_ECJ = ("org.eclipse.jdt.internal.compiler.batch.Main", "-17")
"""Eclipse's compiler, for a Java without javac; such a one lacks the lists of older releases' classes too."""
_ECLIPSE = re.compile(r"org/eclipse/jdt/ecj/.*\.jar")


def build(names: Collection[str], more: Sequence[str], say: Say) -> dict[str, Path]:
    """Paths of the jars by module: core, one for each of the distributions, and `more`. An installed weft has them.

    They are compiled against weft's own distributions, also where a site's own will run them: there is one jar, in a checkout as in a
    wheel. Raises MissingError, which names what the build lacks.
    """
    if shipped := settings.shipped():
        return {module: shipped / "jars" / f"weft-{module}.jar" for module in (CORE, *names, *more)}
    modules = _modules([*_with_module(names), *more])
    keys = {name: _key(module) for name, module in modules.items()}
    if missing := [name for name, key in keys.items() if cached(key) is None]:
        say(f"building weft's jars for {', '.join(missing)} (once)")
        for name in missing:
            with building(keys[name], 200_000_000, say) as target:
                if target is not None:
                    core = target if name == CORE else _of_cache(keys[CORE])
                    _build(modules[name], modules, core, target, say)
    return {name: _of_cache(key) / f"weft-{name}.jar" for name, key in keys.items()}


def needs(names: Collection[str]) -> dict[str, Distribution]:
    """What building the jars for distributions needs, of them what their modules are compiled against; nothing if there are jars for them."""
    if settings.shipped():
        return {}
    modules = _modules(_with_module(names))
    missing = [module for module in modules.values() if cached(_key(module)) is None]
    if not missing:
        return {}
    core = modules[CORE]
    own = {name for module in missing for name in module.distributions}
    compiles = jdk.will_compile()
    libraries = [each for module in missing for each in _libraries(module, core, compiles=compiles)]
    return {
        **{name: distribution.DISTRIBUTIONS[name] for name in sorted(own)},
        **{each.name: each for each in libraries},
    }


def libraries(names: Collection[str]) -> list[Libraries]:
    """All that is downloaded to compile modules on any Java, besides distributions."""
    modules = _modules(names)
    found = [
        each for module in modules.values() for each in _libraries(module, modules[CORE], compiles=False)
    ]
    return list({each.name: each for each in found}.values())


def _with_module(names: Collection[str]) -> list[str]:
    """The distributions whose programs are in Java."""
    return [name for name in names if (settings.SOURCE / "java" / name).is_dir()]


def _modules(names: Collection[str]) -> dict[str, Module]:
    """Core, which is the first, and these."""
    java = settings.SOURCE / "java"
    artifacts = locked(java / "maven.lock")
    return {name: javamodules.read(java, name, artifacts) for name in dict.fromkeys((CORE, *sorted(names)))}


def _key(module: Module) -> str:
    """Whatever else a run has, a module's jar has the same path, and what is made from that path is made once."""
    java = module.source.parent
    sources = [each / part for each in (java / CORE, module.source) for part in ("pom.xml", "src/main")]
    engines = [distribution.DISTRIBUTIONS[name].key for name in sorted(module.distributions)]
    return f"jars-{module.name}-{digest([java / 'pom.xml', *sources], module.libraries.key, *engines)}"


def _of_cache(key: str) -> Path:
    found = cached(key)
    assert found is not None
    return found


def _libraries(module: Module, core: Module, *, compiles: bool) -> list[Libraries]:
    """What is downloaded to compile a module; `compiles`: whether there is a javac."""
    wanted = {each.name: each.libraries for each in ([core, module] if module.on_core else [module])}
    return [each for each in [*wanted.values(), *([] if compiles else [_eclipse()])] if each.artifacts]


def _eclipse() -> Libraries:
    every = locked(settings.SOURCE / "java" / "maven.lock")
    return Libraries(
        "ecj", __version__, 10_000_000, of=[each for each in every if _ECLIPSE.fullmatch(each.path)]
    )


def _build(module: Module, modules: Mapping[str, Module], core: Path, target: Path, say: Say) -> None:
    """Compile a module, with core's classes from `core`, and pack its jar."""
    java = jdk.java(say)
    compiles = jdk.compiles(java)
    homes = distribution.homes(sorted(module.distributions), say)
    wanted = _libraries(module, modules[CORE], compiles=compiles)
    found = distribution.provided({each.name: each for each in wanted}, say)
    places = {each: found[one.name] / one.folder / each.file for one in wanted for each in one.artifacts}
    path = [*module.in_distributions(homes), *places.values(), *([core / _CLASSES] if module.on_core else [])]
    classes = target / "classes"
    compiler = _JAVAC if compiles else ("-cp", *map(str, found["ecj"].glob("lib/*.jar")), *_ECJ)
    _compile(module, [str(java), *_SHORT_LIVED, *compiler], path, classes)
    own = dict(chain(jarfile.below(classes), jarfile.below(module.main / "resources")))
    if module.name == CORE:
        jarfile.write(target / _CLASSES, own)
    others = [
        *(places[each] for each in module.packed),
        *([core / "weft-core.jar"] if module.on_core else []),
    ]
    jarfile.write(target / f"weft-{module.name}.jar", _packed(own, others))
    remove_tree(str(classes))


def _compile(module: Module, compiler: Sequence[str], path: Sequence[Path], classes: Path) -> None:
    files = [str(each) for each in sorted((module.main / "java").rglob("*.java"))]
    options = ["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", str(classes)]
    try:
        shell.run([*compiler, *options, "-cp", ":".join(map(str, path)), *files], timeout=900)
    except WeftError as error:
        # without a line of the compiler's, how it ended is all that is known; its command names every file
        ended = "" if error.tail else f": the compiler {error.message.rpartition('` ')[2]}"
        raise MissingError(
            f"building weft's jar for {module.name} failed{ended}",
            tail=error.tail,
            hint="`./test java` shows all of the compiler's output"
            if error.tail
            else "start again; `dmesg` shows whether the kernel ended it for lack of memory",
        ) from error


def _packed(own: Mapping[str, bytes], jars: Sequence[Path]) -> dict[str, bytes]:
    """Own files and those of the jars, of equal names the first, with picocli elsewhere."""
    found: dict[str, bytes] = {}
    for name, content in chain(own.items(), *map(jarfile.files, jars)):
        if not name.startswith(_LEFT_OUT):
            refers = name.endswith(".class") and b"picocli" in content
            found.setdefault(_PICOCLI.path(name), _PICOCLI.class_file(content) if refers else content)
    return found
