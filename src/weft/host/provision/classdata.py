"""Class-data archives: what the JVM makes of an engine's classes, kept, so that no process has to make it again.

A JVM that starts with the archive of its class path maps the classes instead of parsing and verifying them (JEP 350).
One that does not fit the archive, such as another Java, runs as if it were not there.
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from weft.errors import WeftError
from weft.host import settings, shell
from weft.host.provision.tree import Say, building, cached, digest

_ARCHIVE = "classes.jsa"

LISTS = Path(__file__).parent
"""Where NAME.classes stands for an engine whose processes are told by a list (tools/classlist).

A line is a package and its classes, or what the JVM wrote about a lambda expression, which begins with @.
"""

Training = Callable[[Path], Sequence[str]]
"""By a directory to work in: the words after `java` that make it load what an engine's processes load."""


def empty() -> Path:
    """A directory without files: a class path may begin with it and fit its archive, with another it may not."""
    return settings.cache() / "empty"


def build(name: str, java: Path, home: Path, training: Training, say: Say) -> Path | None:
    """The archive for an engine's home; None where it could not be made, and `say` tells why."""
    key = digest([java.parent.parent / "release"], str(java), str(home), *training(Path("scratch")))
    return _kept(name, key, lambda target: _train(java, training, target), say)


def dump(name: str, java: Path, classes: Path, class_path: Sequence[str], say: Say) -> Path | None:
    """The archive of listed classes, for processes whose class path begins so; None as for `build`."""
    key = digest([java.parent.parent / "release", classes], str(java), *class_path)
    return _kept(name, key, lambda target: _dump(java, classes, class_path, target), say)


def _kept(name: str, key: str, make: Callable[[Path], None], say: Say) -> Path | None:
    key = f"classes-{name}-{key}"
    if (found := cached(key)) is None:
        try:
            with building(key, 250_000_000) as target:
                if target is not None:
                    say(f"archiving {name}'s classes (once)")
                    make(target)
        except WeftError as error:
            say(f"{name}'s classes could not be archived, its processes start slower: {error.message}")
            return None
        found = cached(key)
    assert found is not None
    return found / _ARCHIVE


def _train(java: Path, training: Training, target: Path) -> None:
    empty().mkdir(exist_ok=True)
    scratch = target / "scratch"
    scratch.mkdir()
    flags = [
        f"-XX:ArchiveClassesAtExit={target / _ARCHIVE}",
        f"-Djava.io.tmpdir={scratch}",
        "-XX:-UsePerfData",
    ]
    shell.run([str(java), *flags, *training(scratch)], timeout=300, env={"TMPDIR": str(scratch)})
    shutil.rmtree(scratch)


def _dump(java: Path, classes: Path, class_path: Sequence[str], target: Path) -> None:
    """What is listed and not found is left out: another release of an engine has other classes."""
    lines = classes.read_text().splitlines()
    packages = (line.split(" ") for line in lines if line[0] != "@")
    names = [f"{package}/{name}" for package, *own in packages for name in own]
    listed = target / "listed"
    listed.write_text("\n".join([*names, *(line for line in lines if line[0] == "@")]) + "\n")
    flags = [
        "-Xshare:dump",
        f"-XX:SharedClassListFile={listed}",
        f"-XX:SharedArchiveFile={target / _ARCHIVE}",
        "-Xlog:cds=off",
    ]
    shell.run([str(java), *flags, "-cp", ":".join(class_path)], timeout=300)
    listed.unlink()
