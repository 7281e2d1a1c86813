"""The JDK: which `java` to use, and whether an engine can run on it."""

import re
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell

OLDEST = 17
"""The oldest Java that Spark 4 runs on (its documentation, "Downloading")."""

_MODULES = re.compile(r'^MODULES="(.*)"$', re.MULTILINE)
_WHOLE = "set JAVA_HOME to a whole Java 17, such as openjdk-17-jre-headless has"


def _install() -> str:
    return f"{shell.install('openjdk-17-jdk-headless')}, or set JAVA_HOME"


def java() -> Path:
    """The `java` program of JAVA_HOME, else of PATH, resolved. Raises MissingError."""
    home = settings.java_home()
    found = shutil.which("java") if home is None else str(home / "bin" / "java")
    if found is None or not Path(found).exists():
        where = "on PATH" if home is None else f"in JAVA_HOME ({home})"
        raise MissingError(f"found no java {where}", hint=_install())
    path = Path(found).resolve()
    if (major := version(path)) < OLDEST:
        raise MissingError(f"{path} is Java {major}; Spark 4 needs Java {OLDEST} or newer", hint=_install())
    return path


def require_modules(java: Path, modules: Sequence[str], engine: str) -> None:
    """Raises MissingError for a runtime that was cut down (jlink) and lacks a module that an engine's processes need."""
    try:
        listed = _MODULES.search((home(java) / "release").read_text())
    except OSError:
        return
    if listed and (lacking := [name for name in modules if name not in listed[1].split()]):
        raise MissingError(f"{java} lacks the module {lacking[0]}, which {engine} needs", hint=_WHOLE)


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


def require_compiler() -> None:
    """Raises MissingError if the JDK has no compiler or Maven is missing."""
    if not (java().parent / "javac").exists():
        raise MissingError(f"{java().parent} has a Java runtime but no compiler", hint=_install())
    shell.tool("mvn", "maven")
