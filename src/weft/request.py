"""From what stands on the command line to a study: a workload's name or a file, with flags put over it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.errors import UsageError
from weft.spec import Study, load, nearest, place, study_from
from weft.workloads import KINDS


@dataclass(frozen=True)
class Flags:
    """The flags of `weft run` and `weft plan`; None where one was not given."""

    engine: str | None = None
    nodes: str | None = None
    size: str | None = None
    scratch: str | None = None
    input: str | None = None
    output: str | None = None
    set: tuple[str, ...] = ()
    repeat: int | None = None

    def overrides(self) -> dict[str, Any]:
        """Dotted keys and values. Raises UsageError for a --set without a value."""
        named = ("engine", "nodes", "scratch", "input", "output")
        found: dict[str, Any] = {key: getattr(self, key) for key in named if getattr(self, key) is not None}
        if self.size is not None:
            found["size"] = self.size
        for word in self.set:
            key, equals, value = word.partition("=")
            if not equals:
                raise UsageError(f"--set {word}: there is no value", hint="write --set key=value")
            found[key] = value
        return found


def study_of(what: str, flags: Flags) -> Study:
    """A study from a workload's name, a TOML file or a folder that holds study.toml."""
    is_file = what.endswith(".toml") or "/" in what or Path(what, "study.toml").exists()
    if is_file:
        study = load(Path(what))
        base, own, where = (
            dict(study.base),
            {"matrix": study.matrix, "repeat": study.repeat, "shuffle_seed": study.shuffle_seed},
            what,
        )
        name = study.name
    else:
        if what.split(":", maxsplit=1)[0].split(",", maxsplit=1)[0] not in KINDS:
            raise UsageError(f"there is no workload {what!r}", hint=nearest(what, list(KINDS)))
        base, own, where, name = {"workload": what}, {}, "the command line", what
    for key, value in flags.overrides().items():
        place(base, key, value)
    if flags.repeat is not None:
        own["repeat"] = flags.repeat
    return study_from({**base, **own}, name=name, where=where)
