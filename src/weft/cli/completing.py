"""What a shell completes: names of workloads, records, clusters, storage types. It reads names of files alone."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft.facts import storages
from weft.facts.io500 import percentiles, submissions
from weft.facts.io500.submissions import PREFIX
from weft.host import settings
from weft.text.entry import Entry
from weft.text.shorthand import INTERNAL

Completer = Callable[[Any, Any, str], list[str]]
_KIND = re.compile(r"^(?:    kind: |Spark\w+Test = )Literal\[(.*?)\]", re.MULTILINE | re.DOTALL)
_PROBE = re.compile(r'^    name: ClassVar\[str\] = "(.*?)"', re.MULTILINE)


def kinds(family: str) -> list[str]:
    """The kinds of a family of adapters, from its source: its modules take long to import."""
    pattern = _PROBE if family == "probes" else _KIND
    files = sorted((settings.PACKAGE / "adapters" / family).rglob("*.py"))
    found = [
        word
        for file in files
        for text in pattern.findall(file.read_text(encoding="utf-8"))
        for word in _words(text)
    ]
    return [kind for kind in dict.fromkeys(found) if kind not in (*INTERNAL, "several")]


def _words(text: str) -> list[str]:
    return re.findall(r'"(.*?)"', text) or [text]


def of(family: str) -> Completer:
    """Completes a kind; of a list, the last one."""

    def complete(ctx: Any, args: Any, incomplete: str) -> list[str]:  # noqa: ARG001 - the signature of typer's
        before, comma, _ = incomplete.rpartition(",")
        return [f"{before}{comma}{kind}" for kind in kinds(family)]

    return complete


def kind(ctx: Any, args: Any, incomplete: str) -> list[str]:  # noqa: ARG001
    """Kinds of every family."""
    families = ("workloads", "engines", "nodes", "storage", "services")
    return [one for family in families for one in kinds(family)]


def workload(ctx: Any, args: Any, incomplete: str) -> list[str]:  # noqa: ARG001
    """Workloads, and TOML files and studies below the current directory."""
    return [*kinds("workloads"), *_paths(incomplete, ".toml")]


def run(ctx: Any, args: Any, incomplete: str) -> list[str]:  # noqa: ARG001
    """Names of records, newest first."""
    names = (path.parent.name for path in settings.runs().glob("*/record.json"))
    return ["last", *sorted(filter(str.isprintable, names), reverse=True)]


def run_or_log(ctx: Any, args: Any, incomplete: str) -> list[str]:
    """The same, and logs."""
    return [*run(ctx, args, incomplete), *_paths(incomplete, "")]


def cluster(ctx: Any, args: Any, incomplete: str) -> list[str]:  # noqa: ARG001
    """Names of persistent clusters."""
    return sorted(path.stem for path in (settings.state() / "clusters").glob("*.lock"))


def running(ctx: Any, args: Any, incomplete: str) -> list[str]:
    """The same, and records."""
    return [*cluster(ctx, args, incomplete), *run(ctx, args, incomplete)]


def label(ctx: Any, args: Any, incomplete: str) -> list[str]:  # noqa: ARG001
    """Labels of records."""
    found: set[str] = set()
    for path in settings.runs().glob("*/record.json"):
        with suppress(OSError, ValueError, AttributeError, TypeError):
            found.update(
                word
                for word in (Entry(path.parent) / path.name).json().get("labels", ())
                if word.isprintable()
            )
    return sorted(found)


def machines(incomplete: str) -> list[str]:
    """Machines that come with weft; names of submissions once their prefix is written."""
    known = sorted(path.stem for path in settings.machines().glob("*.toml"))
    return _beginning(incomplete, [*known, PREFIX])


def storage(incomplete: str) -> list[str]:
    """Storage types, and the profiles of emulated file systems. What is before the last one in a list stays."""
    cut = max(incomplete.rfind(","), incomplete.rfind("+")) + 1
    kept, last = incomplete[:cut], incomplete[cut:]
    profiles = sorted(path.stem for path in settings.profiles().glob("*.toml") if path.stem != "defaults")
    offered = [
        *(kind for kind in kinds("storage") if not storages.KINDS[kind].emulated),
        *(f"delayed:{name}" for name in (*profiles, PREFIX)),
    ]
    return [kept + word for word in _beginning(last, offered)]


def _paths(incomplete: str, suffix: str) -> Iterator[str]:
    """Files with this suffix, and directories, whose names begin so."""
    folder, slash, name = incomplete.rpartition("/")
    try:
        entries = sorted(Path(f"{folder}{slash}" or ".").iterdir())
    except OSError:
        return
    for path in entries:
        if path.name.startswith(name) and (path.is_dir() or path.name.endswith(suffix)):
            yield f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"


def _beginning(incomplete: str, offered: list[str]) -> list[str]:
    """Those that begin so; a prefix that is written whole is replaced by the names that can follow it."""
    found = [word for word in offered if word.startswith(incomplete)]
    for word in offered:
        if word.endswith(PREFIX) and incomplete.startswith(word):
            more = () if word.startswith("delayed:") else percentiles.PERCENTILES
            names = (word + name for name in (*more, *submissions.all_of()))
            found = [name for name in names if name.startswith(incomplete)]
    return found
