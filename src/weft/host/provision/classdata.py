"""Class-data archives: an engine's classes as the JVM has parsed them, stored so that no process has to parse them again.

A JVM that starts with the archive of its class path maps the classes instead of parsing and verifying them (JEP 350).
If the archive does not match, for example with another Java, the JVM ignores it.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.errors import WeftError
from weft.host import settings, shell
from weft.host.cause import ended
from weft.host.javaprogram import IN_PLACE, JavaProgram
from weft.host.own import made, open_own
from weft.host.programs.removal import remove_tree
from weft.host.provision import classlist, jdk
from weft.host.provision.tree import Say, building, cached, digest

_ARCHIVE = "classes.jsa"
_LIST = "classes"
_FAILED = "failed"
_ERROR = "error: "
"""With which weft's own message begins."""
_DAY = 24 * 60 * 60
_LONGEST = 600.0
"""Seconds for the small run in which classes are listed."""
_GRACE = 60.0
"""Seconds for it to stop its cluster when it is stopped itself."""


Training = Callable[[Path], JavaProgram]
"""By a directory to work in: the program."""


@dataclass(frozen=True)
class Observed:
    """A run of weft's in which an engine's processes write down what they load."""

    arguments: Sequence[str]
    """Of weft's command line."""
    environment: Mapping[str, str]


def empty() -> Path:
    """An empty directory: a class path may begin with it and still match the archive, but not with a different one."""
    return cached("empty") or settings.cache() / "empty"


def known(name: str) -> bool:
    """Whether an archive for an engine was made, or left to the next run."""
    prefix = settings.prefix()
    folders = [settings.cache(), *([prefix / "engines"] if prefix else [])]
    return _left(name).exists() or any(any(folder.glob(f"classes-{name}-*")) for folder in folders)


def leave(name: str) -> bool:
    """Leave making it to the next run; False where that cannot be noted."""
    try:
        made(settings.cache(), 0o755)
        open_own(_left(name)).close()
    except (OSError, WeftError):
        return False
    return True


def _left(name: str) -> Path:
    return settings.cache() / f".classes-{name}.next"


def build(name: str, java: Path, home: Path, training: Training, say: Say) -> Path | None:
    """The archive for an engine's home; None where it could not be made, and `say` reports why."""
    made = [*IN_PLACE, *training(Path("scratch")).arguments]
    key = digest([jdk.home(java) / "release"], str(java), str(home), *made)
    return _kept(name, key, lambda target: _train(java, training, target), say)


def observe(name: str, java: Path, home: Path, job: Observed, say: Say) -> Path | None:
    """The file with the classes that an engine's processes loaded in a run of weft; None if they loaded nothing.

    The classes of a failed run are used for a day; then the run is repeated. An installed weft has the lists of the
    releases of engines that it downloads.
    """
    shipped = settings.shipped()
    if shipped and (listed := shipped / "classes" / f"{home.name}.txt").exists():
        return listed
    # what is loaded does not depend on the way to the engine
    where = str(home.resolve())
    key = f"classlist-{name}-{digest([jdk.home(java) / 'release'], str(java), where, *job.arguments)}"
    found = cached(key)
    if found and (failed := found / _FAILED).exists() and time.time() - failed.stat().st_mtime > _DAY:
        remove_tree(str(found))
    if (found := cached(key)) is None:
        with building(key, 100_000_000, say) as target:
            if target is not None:
                say(
                    f"running a small job to see which classes {name}'s processes load (once, about a minute)"
                )
                _observe(job, target, say)
        found = cached(key)
    assert found is not None
    listed = found / _LIST
    return listed if listed.exists() else None


def _observe(job: Observed, target: Path, say: Say) -> None:
    lists = target / "lists"
    lists.mkdir()
    own = {settings.CLASS_LISTS: str(lists), "WEFT_RUNS": str(target / "runs")}
    argv = [sys.executable, "-P", "-m", "weft", *job.arguments]
    try:
        _finish(argv, target / "log", {**job.environment, **own})
    except WeftError as error:
        (target / _FAILED).write_text("\n".join([error.message, *error.tail]) + "\n", encoding="utf-8")
        say(
            f"the job failed; processes may start more slowly until weft tries again in a day: {error.message}"
        )
    if found := classlist.merge(lists):
        (target / _LIST).write_text("\n".join(found) + "\n", encoding="utf-8")
    (target / "log").unlink(missing_ok=True)
    remove_tree(str(lists))
    remove_tree(str(target / "runs"))


def _finish(argv: Sequence[str], log: Path, env: Mapping[str, str]) -> None:
    """Run weft to its end; if it has to be stopped, it can stop its cluster first. Raises WeftError if it fails."""
    process = shell.spawn("small-run", argv, log=log, env=env, bound=False)
    try:
        code = process.wait(_LONGEST)
    finally:
        process.stop(_GRACE)
    if code != 0:
        lines = shell.tail(log)
        # the message of weft's own error is the reason
        shown = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)] or _last(lines)
        how = f"ended with exit code {code}" if code is not None else f"did not end within {_LONGEST:.0f} s"
        raise WeftError(f"it {how}: {shown[-1]}", tail=lines)


def _last(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()][-1:] or ["it printed nothing"]


def _require(done: shell.Completed) -> None:
    """Raises WeftError, with the reason that a program printed, if it failed."""
    if done.code:
        lines = [*done.out.splitlines(), *done.err.splitlines()]
        found = ended(lines)
        why = found.exception or _last(lines)[0]
        raise WeftError(f"a program ended with exit code {done.code}: {why}", tail=found.shown)


def dump(name: str, java: Path, listed: Path, class_path: Sequence[str], say: Say) -> Path | None:
    """The archive of listed classes, for processes whose class path begins with these jars; None as for `build`."""
    key = digest([jdk.home(java) / "release", listed], str(java), *IN_PLACE, *class_path)
    return _kept(name, key, lambda target: _dump(java, listed, class_path, target), say)


def _kept(name: str, key: str, make: Callable[[Path], None], say: Say) -> Path | None:
    key = f"classes-{name}-{key}"
    if (found := cached(key)) is None:
        try:
            with building(key, 250_000_000, say) as target:
                if target is not None:
                    say(f"archiving {name}'s classes (once)")
                    make(target)
        except WeftError as error:
            say(
                f"{name}'s classes could not be archived, so its processes start more slowly: {error.message}"
            )
            return None
        found = cached(key)
    assert found is not None
    return found / _ARCHIVE


def _train(java: Path, training: Training, target: Path) -> None:
    empty().mkdir(exist_ok=True)
    scratch = target / "scratch"
    scratch.mkdir()
    # a Java that refuses what its processes would have to start with makes no archive
    flags = [*IN_PLACE, f"-XX:ArchiveClassesAtExit={target / _ARCHIVE}", f"-Djava.io.tmpdir={scratch}"]
    # it runs for seconds: what C2 would compile takes longer than it saves, and is in no archive
    flags.append("-XX:TieredStopAtLevel=1")
    program = training(scratch)
    argv = [str(java), *flags, "-XX:-UsePerfData", *program.arguments]
    _require(shell.run(argv, timeout=300, env={"TMPDIR": str(scratch), **program.environment}, check=False))
    remove_tree(str(scratch))


def _dump(java: Path, listed: Path, class_path: Sequence[str], target: Path) -> None:
    """Without listed classes that do not exist: another release of an engine has other classes."""
    flags = [f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={target / _ARCHIVE}"]
    argv = [str(java), *IN_PLACE, "-Xshare:dump", *flags, "-Xlog:cds=off", "-cp", ":".join(class_path)]
    _require(shell.run(argv, timeout=300, check=False))
