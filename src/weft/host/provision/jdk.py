"""The Java that engines run on: JAVA_HOME's, else PATH's, else one that weft downloads."""

import re
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.provision import distribution
from weft.host.provision.tree import Say, cached

OLDEST = 17
"""The oldest Java that Spark 4 runs on (its documentation, "Downloading")."""

_MODULES = re.compile(r'^MODULES="(.*)"$', re.MULTILINE)
OWN_LACKS = ("jdk.security.jgss",)
"""Modules that weft's own Java lacks, of those that anything needs: known before it is downloaded."""
_WHOLE = "set JAVA_HOME to a whole Java 17, such as openjdk-17-jre-headless has"


def _install() -> str:
    return f"{shell.install('openjdk-17-jdk-headless')}, or set JAVA_HOME"


def java(say: Say | None = None) -> Path:
    """The `java` of JAVA_HOME, resolved, else of PATH if it is new enough, else weft's own, which is downloaded if `say` is given.

    Raises MissingError.
    """
    if found := installed():
        return found
    home = own(say) if say else cached(distribution.JAVA.key)
    if home is None:
        raise MissingError(
            f"found no Java {OLDEST} on PATH, and weft's own is not downloaded yet", hint=_install()
        )
    return home / "bin" / "java"


def own(say: Say) -> Path:
    """The home of weft's own Java, downloaded on first use."""
    return distribution.provided({distribution.JAVA.name: distribution.JAVA}, say)[distribution.JAVA.name]


def installed() -> Path | None:
    """The `java` of JAVA_HOME, else of PATH if it is new enough. Raises MissingError for what JAVA_HOME names."""
    home = settings.java_home()
    if home is None:
        found = shutil.which("java")
        here = Path(found).resolve() if found else None
        return here if here and _suits(here) else None
    if not (home / "bin" / "java").exists():
        raise MissingError(f"found no java in JAVA_HOME ({home})", hint=_install())
    path = (home / "bin" / "java").resolve()
    if (major := version(path)) < OLDEST:
        raise MissingError(f"{path} is Java {major}; Spark 4 needs Java {OLDEST} or newer", hint=_install())
    return path


def _suits(java: Path) -> bool:
    try:
        return version(java) >= OLDEST
    except MissingError:
        return False


def lacking() -> Mapping[str, distribution.Distribution]:
    """Weft's own Java by its name, where it has to be downloaded with what else a run needs."""
    wanted = distribution.JAVA
    return {} if installed() or cached(wanted.key) else {wanted.name: wanted}


def require_modules(java: Path | None, modules: Sequence[str], user: str) -> None:
    """Raises MissingError for a runtime that lacks a module that processes of an engine or a service need; None is weft's own."""
    if lacking := _lacking(java, modules):
        which = java or f"the Java {distribution.JAVA.version} that weft downloads"
        raise MissingError(f"{which} lacks the module {lacking[0]}, which {user} needs", hint=_WHOLE)


def _lacking(java: Path | None, modules: Sequence[str]) -> list[str]:
    if java is None or home(java) == cached(distribution.JAVA.key):
        return [name for name in modules if name in OWN_LACKS]
    try:
        listed = _MODULES.search((home(java) / "release").read_text(encoding="utf-8"))
    except OSError:
        return []
    return [name for name in modules if listed and name not in listed[1].split()]


def home(java: Path) -> Path:
    """The directory of a Java runtime, from its program."""
    return java.parent.parent


@cache
def version(path: Path) -> int:
    """The major version that a `java` program reports."""
    try:
        text = shell.run([str(path), "-version"]).err
    except (WeftError, OSError) as error:
        why = error.message if isinstance(error, WeftError) else (error.strerror or str(error)).lower()
        tail = error.tail if isinstance(error, WeftError) else ()
        raise MissingError(f"the java {path} does not run: {why}", tail=tail, hint=_install()) from error
    if not (found := major(text)):
        raise MissingError(f"{path} does not report a version", tail=text.splitlines()[:3], hint=_install())
    return found


def major(text: str) -> int:
    """The major version in what a `java` prints about itself; 0 if there is none."""
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match[1]) if match else 0


def compiles(java: Path) -> bool:
    """Whether the compiler, javac, is with it."""
    return (java.parent / "javac").exists()


def will_compile() -> bool:
    """Whether the Java of a run has one; weft's own, which may not be here yet, has none."""
    found = installed()
    return found is not None and compiles(found)
