"""Class-data archives: what the JVM makes of an engine's classes, kept, so that no process has to make it again.

A JVM that starts with the archive of its class path maps the classes instead of parsing and verifying them (JEP 350).
One that does not fit the archive, such as another Java, runs as if it were not there.
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from weft import settings, shell
from weft.errors import WeftError
from weft.provision.tree import Say, building, cached, digest

_ARCHIVE = "classes.jsa"

Training = Callable[[Path], Sequence[str]]
"""By a directory to work in: the words after `java` that make it load what an engine's processes load."""


def empty() -> Path:
    """A directory without files: a class path may begin with it and fit its archive, with another it may not."""
    return settings.cache() / "empty"


def build(name: str, java: Path, home: Path, training: Training, say: Say) -> Path | None:
    """The archive for an engine's home; None where it could not be made, and `say` tells why."""
    key = f"classes-{name}-{digest([java.parent.parent / 'release'], str(java), str(home), *training(Path('scratch')))}"
    if (found := cached(key)) is None:
        try:
            with building(key, 200_000_000) as target:
                if target is not None:
                    say(f"archiving {name}'s classes (once)")
                    _train(java, training, target)
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
