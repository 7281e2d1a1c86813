"""Jobs that fail, each for one cause: what weft must say of it, and nothing else."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from weft.facts import failures
from weft.host.provision import distribution, jdk

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Cause:
    """A job that fails, and what the first line says of it."""

    name: str
    rule: str
    """In `facts/failures/`; empty: the job's own exception is quoted."""
    says: str
    """Regular expression for the reason."""
    job: str = ""
    """Text of a Python job; empty: `words` name a jar."""
    words: Sequence[str] = ()
    """Options of `weft submit`, and for a jar the program and its arguments."""
    node: str = r"node\d"
    environment: dict[str, str] = field(default_factory=dict)
    with_: Sequence[str] = ()
    """Rules of what follows from it, which the first line names too."""
    marks: Sequence[pytest.MarkDecorator] = ()


def params(causes: Sequence[Cause]) -> list[object]:
    return [pytest.param(cause, id=cause.name, marks=cause.marks) for cause in causes]


@contextmanager
def persistent(home: Path, *words: str) -> Iterator[Weft]:
    """A cluster `causes` for the length of a `with` block, and what it leaves: nothing."""
    weft = Weft(home)
    done = weft("up", "--name", "causes", *words)
    assert done.returncode == 0, done.stderr
    try:
        yield weft
    finally:
        weft("down", "causes")
    assert weft.leftovers() == []


def require_named(weft: Weft, cause: Cause) -> None:
    """The first line of the error has the cause, and no other; the evidence is where it says it is."""
    words = list(cause.words)
    if cause.job:
        (weft.home / f"{cause.name}.py").write_text(cause.job)
        words.append(f"{cause.name}.py")
    done = weft("submit", "--to", "causes", *words, **cause.environment)
    assert done.returncode != 0, done.stdout
    error = f"\n{done.stderr}".rpartition("\nerror: ")[2].splitlines()
    assert error, done.stderr
    title = (
        f"{cause.name}.py" if cause.job else next(Path(word).name for word in words if word.endswith(".jar"))
    )
    first = re.fullmatch(rf"{re.escape(title)} failed on {cause.node}: (?P<says>.*)", error[0])
    assert first, error[0]
    assert re.search(cause.says, first["says"]), error[0]
    assert [rule for rule in others(cause.rule, first["says"]) if rule not in cause.with_] == []
    assert "\nhint: " in done.stderr
    found = re.fullmatch(r" {4}(.+?)(?::(\d+))?: (.*)", error[1])
    assert found or not cause.rule, error
    if found and found[2]:
        lines = (weft.record() / found[1]).read_text(errors="replace").split("\n")
        assert found[3].strip(".") in lines[int(found[2]) - 1]


def others(rule: str, says: str) -> list[str]:
    """Rules whose sentences are in a reason, besides the one that should be."""
    beginnings = {each.name: re.split(r"[{:;]", each.says)[0].strip() for each in failures.listed()}
    return [name for name, text in beginnings.items() if len(text) > 12 and text in says and name != rule]


def jar(home: Path, name: str, libraries: str) -> Path:
    """A jar of NAMECauses.java, compiled against the engine's own libraries."""
    tools, classes = jdk.java().parent, home / f"classes-{name}"
    source = HERE / f"{name}Causes.java"
    path = f"{distribution.home(name.lower(), print)}/{libraries}/*"
    subprocess.run(
        [tools / "javac", "-nowarn", "-cp", path, "-d", classes, source], check=True, capture_output=True
    )
    made = home / f"{name.lower()}.jar"
    subprocess.run([tools / "jar", "-cfe", made, source.stem, "-C", classes, "."], check=True)
    return made
