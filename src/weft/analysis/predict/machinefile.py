"""Machine files: a machine's capacity in TOML, each value with its source."""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weft.analysis.predict.machine import Machine
from weft.analysis.predict.storagemodel import StorageModel
from weft.errors import UsageError
from weft.text import toml
from weft.text.nearest import nearest

_Range = tuple[float, float]
_NODE: Mapping[str, _Range] = {
    "cores": (1, 4096), "speed": (0.01, 100), "memory": (1e8, 1e14), "link": (1e5, 1e12), "round_trip": (1e-8, 1),
    "processors": (1, 4096),
}  # fmt: skip
"""Keys of [node] with their least and greatest sensible value: cores, bytes, bytes per second, seconds."""
_STORAGE: Mapping[str, _Range] = {
    "latency": (1e-8, 10), "rate": (1, 1e10), "servers": (1, 4096), "bandwidth": (1e5, 1e15),
    "client_bandwidth": (1e5, 1e13), "call": (0, 10), "attribute_cache": (0, 1),
}  # fmt: skip
"""Keys of [storage.NAME]: seconds, operations per second, servers, bytes per second, a share."""
_WHOLE = {"cores", "memory", "processors", "servers"}
_TABLES_OF_STORAGE: Mapping[str, _Range] = {"work": (0, 1000), "trips": (0, 1000), "calls": (0, 10)}
"""Tables of [storage.NAME] by operation; of the last one, values are seconds."""
_LAUNCHES: _Range = (1, 1e6)
_TABLES = ("name", "summary", "node", "driver", "storage")


@dataclass
class _MachineFile:
    """A file that is read; `where` names it in errors."""

    where: str
    text: str
    sources: dict[str, str] = field(default_factory=dict)

    def number(self, key: str, entry: Any, allowed: _Range) -> float:
        """A value with its source. Raises UsageError that names key and line."""
        if not isinstance(entry, Mapping) or set(entry) != {"value", "source"}:
            raise self.error(key, "must be { value = NUMBER, source = TEXT }")
        value, source = entry["value"], entry["source"]
        if not isinstance(source, str) or not source.strip():
            raise self.error(key, "has no source")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.error(key, f"is {value!r}, not a number")
        low, high = allowed
        if not low <= value <= high:
            raise self.error(key, f"is {value:g}; sensible are {low:g} to {high:g}")
        self.sources[key] = source
        return float(value)

    def numbers(self, key: str, table: Mapping[str, Any], allowed: Mapping[str, _Range]) -> dict[str, Any]:
        """Those of a table; counts and sizes are whole."""
        found = {word: self.number(f"{key}.{word}", entry, allowed[word]) for word, entry in table.items()}
        return {word: int(value) if word in _WHOLE else value for word, value in found.items()}

    def table(self, key: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self.error(key, "must be a table")
        return value

    def error(self, key: str, what: str, hint: str = "") -> UsageError:
        return UsageError(
            f"{self.where}{self._line(key)}: {key} {what}",
            hint=hint
            or "machines/cori.toml, which comes with weft, is an example; units are seconds and bytes",
        )

    def _line(self, key: str) -> str:
        """The line of a key, found again in the text: `, line 7`; empty if it is not there."""
        *tables, last = key.split(".")
        pattern = re.compile(rf'^\s*(?:"?{re.escape(last)}"?\s*=|\[{re.escape(key)}\])')
        begin = next((n for n, line in enumerate(self.text.splitlines()) if tables and
                      line.strip().startswith(f"[{'.'.join(tables[:2])}")), 0)  # fmt: skip
        lines = self.text.splitlines()[begin:]
        found = [number for number, line in enumerate(lines, begin + 1) if pattern.match(line)]
        return f", line {found[0]}" if found else ""


def parse(text: str, where: str) -> Machine:
    """A machine from TOML. Raises UsageError that names the line or the key of what is missing, unknown or absurd."""
    try:
        table = toml.table_of(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where}: {error}", hint="the file must be TOML") from error
    reader = _MachineFile(where, text)
    _known(reader, "", table, _TABLES)
    if not isinstance(table.get("name"), str):
        raise reader.error("name", "is missing: the machine's name, as text")
    node = reader.table("node", table.get("node", {}))
    _known(reader, "node.", node, tuple(_NODE))
    if "cores" not in node:
        raise reader.error("node.cores", "is missing: cores of a node")
    values = reader.numbers("node", node, _NODE)
    driver = reader.table("driver", table.get("driver", {}))
    storages = reader.table("storage", table.get("storage", {}))
    found = {name: _service(reader, name, entry) for name, entry in storages.items()}
    return Machine(
        name=table["name"],
        **values,
        launches={key: reader.number(f"driver.{key}", entry, _LAUNCHES) for key, entry in driver.items()},
        storages=found,
        mounts={place: name for name, entry in storages.items() for place in entry.get("mounts", ())},
        sources=reader.sources,
    )


def _known(reader: _MachineFile, prefix: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise reader.error(f"{prefix}{key}", "is unknown", nearest(key, list(known)))


def _service(reader: _MachineFile, name: str, entry: Any) -> StorageModel:
    key = f"storage.{name}"
    table = dict(reader.table(key, entry))
    shared, mounts = table.pop("shared", None), table.pop("mounts", [])
    if not isinstance(shared, bool):
        raise reader.error(
            f"{key}.shared", "is missing: true if all nodes share it, false if each has its own"
        )
    if not isinstance(mounts, list) or not all(isinstance(place, str) for place in mounts):
        raise reader.error(f"{key}.mounts", "must be a list of directories")
    of_operations = {
        kind: dict(reader.table(f"{key}.{kind}", table.pop(kind, {}))) for kind in _TABLES_OF_STORAGE
    }
    _known(reader, f"{key}.", table, tuple(_STORAGE))
    if "latency" not in table:
        raise reader.error(f"{key}.latency", "is missing: seconds of a metadata operation without load")
    values = reader.numbers(key, table, _STORAGE)
    each = {
        kind: {
            word: reader.number(f"{key}.{kind}.{word}", one, _TABLES_OF_STORAGE[kind])
            for word, one in rows.items()
        }
        for kind, rows in of_operations.items()
    }
    return StorageModel(
        name,
        shared=shared,
        **values,
        weights=each["work"],
        trips=each["trips"],
        calls=each["calls"],
        source=where_from(reader.sources, key),
    )


def where_from(sources: Mapping[str, str], key: str) -> str:
    """The sources of a table's values, each once."""
    return "; ".join(dict.fromkeys(text for one, text in sources.items() if one.startswith(f"{key}.")))
