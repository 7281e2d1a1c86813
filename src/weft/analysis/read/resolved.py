"""What resolved.json contains: what was decided for a run before it began."""

import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from weft.analysis.read.nodes import NodeInfo, PlaceInfo
from weft.record.derived import Derived
from weft.record.head import Kept, lenient
from weft.record.record import Stored

FILE = "resolved.json"
_OWN = ("own-job", "own-sql")
"""Workloads that are a program of the user's."""
_OF_EACH = ("dfsio",)
"""Workloads whose size is that of each of their files."""


class RolePlace(Kept):
    """The storage of a role."""

    storage: str = ""
    description: str = ""
    emulated: str = ""
    paths: Mapping[str, str] = {}


class Resolved(Kept):
    """As far as it is readable; empty if the run ended before its layout was decided."""

    spec: Mapping[str, Any] = {}
    amount: Mapping[str, float] | None = None
    nodes: tuple[NodeInfo, ...] = ()
    places: Mapping[str, RolePlace] = {}
    limits: tuple[str, ...] = ()
    derived: Mapping[str, Derived] = {}

    def part(self, name: str) -> Mapping[str, Any]:
        """A table of the spec: workload, engine, nodes."""
        found = self.spec.get(name)
        return found if isinstance(found, Mapping) else {}

    @property
    def conf(self) -> Mapping[str, str]:
        """The engine's own settings that the run has values for: those of the cluster, and of its job."""
        tables = [self.part(name).get("conf") or {} for name in ("engine", "workload")]
        return {key: value for table in tables for key, value in table.items()}

    @property
    def engines(self) -> tuple[str, ...]:
        """The kinds of the engines."""
        table = self.part("engine")
        several, one = table.get("engines"), table.get("kind")
        return tuple(several) if isinstance(several, Mapping) else (str(one),) if one else ()

    @property
    def slots(self) -> int | None:
        """Of the engine; None if it says nothing of them, or if several engines differ."""
        return self._only([each.slots for each in self.derived.values()])

    @property
    def executor_heap(self) -> int | None:
        """Bytes; None if it is not known."""
        return self._only([each.executor_heap for each in self.derived.values()])

    def sized(self, name: str) -> int | None:
        """Bytes of what a plan names so; None if it is not known."""
        return self._only([each.sizes.get(name) for each in self.derived.values()])

    @property
    def size(self) -> float | None:
        """Of the workload, in bytes."""
        size = self.part("workload").get("size")
        return size if isinstance(size, (int, float)) and not isinstance(size, bool) else None

    @property
    def data(self) -> float | None:
        """Bytes of all files of the workload."""
        table = self.part("workload")
        files = table.get("files") if table.get("kind") in _OF_EACH else 1
        return self.size * files if self.size is not None and isinstance(files, int) else self.size

    @property
    def whole(self) -> tuple[str, float]:
        """The key that says how much data all tasks have together, and its value; ("size", 0) where none does."""
        known = {"size": self.size or 0.0} if self.amount is None else self.amount
        return next(iter(known.items()), ("size", 0.0))

    @property
    def program(self) -> str:
        """The user's own program or query, by the name of its file, with its arguments; empty for weft's workloads."""
        table = self.part("workload")
        named = table.get("program") or table.get("query") if table.get("kind") in _OWN else ""
        words = table.get("arguments")
        arguments = [str(word) for word in words] if isinstance(words, list) else []
        return shlex.join([PurePath(named).name, *arguments]) if isinstance(named, str) and named else ""

    def located(self) -> tuple[PlaceInfo, ...]:
        """The places, each path once."""
        return tuple(
            PlaceInfo(
                role=role,
                storage=place.storage,
                description=place.description,
                emulated=place.emulated,
                paths=tuple(dict.fromkeys(place.paths.values())),
            )
            for role, place in self.places.items()
        )

    @staticmethod
    def _only(figures: list[int | None]) -> int | None:
        found = {figure for figure in figures if figure}
        return found.pop() if len(found) == 1 else None


def of_record(stored: Stored, damaged: list[str] | None = None) -> Resolved:
    """Of a record; the names of damaged keys are added to `damaged`. Raises OSError or ValueError if it is no JSON."""
    table = stored.json(FILE)
    return lenient(Resolved, table if isinstance(table, dict) else {}, damaged)
