"""Converts the command line to a study: the name of a workload or a file, overridden by flags."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.errors import UsageError
from weft.spec.keys import STUDY_KEYS, put
from weft.spec.study import Study, load, study_from
from weft.text.nearest import nearest
from weft.workloads import KINDS


@dataclass(frozen=True)
class Flags:
    """The flags of `weft run` and `weft plan`; None if not given."""

    engine: str | None = None
    nodes: str | None = None
    size: str | None = None
    scratch: str | None = None
    input: str | None = None
    output: str | None = None
    set: tuple[str, ...] = ()
    repeat: str | None = None
    services: tuple[str, ...] = ()

    def overrides(self) -> dict[str, Any]:
        """Dotted keys and values. Raises UsageError for a --set without a value."""
        named = ("engine", "nodes", "scratch", "input", "output")
        found: dict[str, Any] = {key: getattr(self, key) for key in named if getattr(self, key) is not None}
        if self.size is not None:
            found["size"] = self.size
        if self.services:
            found["services"] = list(self.services)
        return {**found, **pairs("--set", self.set)}


def pairs(flag: str, arguments: Iterable[str]) -> dict[str, str]:
    """Keys and values of `--flag key=value`, given any number of times. Raises UsageError for one without a value."""
    found = {}
    for word in arguments:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{flag} {word}: value missing", hint=f"write {flag} key=value")
        found[key] = value
    return found


def study_of(what: str | dict[str, Any], flags: Flags) -> Study:
    """A study from a workload's name or table, a TOML file, or a folder with study.toml."""
    if isinstance(what, str) and (what.endswith(".toml") or "/" in what or Path(what, "study.toml").exists()):
        study = load(Path(what))
        own = {key: getattr(study, key) for key in STUDY_KEYS}
        return _over(dict(study.base), own, flags, name=study.name, where=what)
    if isinstance(what, str) and re.split("[:,]", what)[0] not in KINDS:
        raise UsageError(f"unknown workload {what!r}", hint=nearest(what, list(KINDS)))
    name = what if isinstance(what, str) else str(what["kind"])
    return _over({"workload": what}, {}, flags, name=name, where="the command line")


def _over(base: dict[str, Any], own: dict[str, Any], flags: Flags, *, name: str, where: str) -> Study:
    """A study overridden by flags."""
    for key, value in flags.overrides().items():
        put(base, key, value)
    if flags.repeat is not None:
        own["repeat"] = flags.repeat
    return study_from({**base, **own}, name=name, where=where)
