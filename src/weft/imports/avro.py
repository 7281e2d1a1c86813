"""Job histories in Avro's binary encoding, Hadoop's default since 3.0, as the lines that `jhist.format=json` writes.

The file has two lines, `Avro-Binary` and the schema as JSON, then one event after the other (Avro's specification 1.11).
"""

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAGIC = b"Avro-Binary\n"
_MOST = 1 << 24
"""Bytes of a string or entries of a list above which the file is damaged."""

_DAMAGED = (AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)


def lines(data: bytes, gaps: list[str]) -> Iterator[str]:
    """Each event as one line of JSON; a damaged one ends it, because nothing marks where the next begins."""
    schema, _, body = data.removeprefix(MAGIC).partition(b"\n")
    try:
        reader = _Reader(body, json.loads(schema))
    except _DAMAGED:
        gaps.append("its schema is damaged, and nothing of it could be read")
        return
    while reader.at < len(body):
        try:
            yield json.dumps(reader.read(reader.schema), separators=(",", ":"))
        except _DAMAGED:
            gaps.append(f"it is damaged or cut off at byte {reader.at:,}, and what follows was not read")
            return


@dataclass
class _Reader:
    """Decodes values one after the other."""

    body: bytes
    schema: Any
    at: int = 0
    names: dict[str, Any] = field(default_factory=dict)
    """Records and enumerations by name, which a schema defines once and refers to afterwards."""

    def __post_init__(self) -> None:
        self._learn(self.schema)

    def _learn(self, schema: Any) -> None:
        if isinstance(schema, list):
            for each in schema:
                self._learn(each)
        elif isinstance(schema, dict):
            if "name" in schema:
                self.names[schema["name"]] = schema
            for inner in (schema.get("type"), schema.get("items"), schema.get("values")):
                if not isinstance(inner, str):
                    self._learn(inner)
            for each in schema.get("fields", []):
                self._learn(each["type"])

    def read(self, schema: Any) -> Any:
        """A value of this schema. Raises ValueError, IndexError or KeyError where the bytes are none."""
        if isinstance(schema, list):
            return self._union(schema)
        if isinstance(schema, dict):
            return self._nested(schema["type"], schema)
        simple = self._SIMPLE.get(schema)
        return simple(self) if simple else self.read(self.names[schema.rpartition(".")[2]])

    def _nested(self, kind: Any, schema: Mapping[str, Any]) -> Any:
        if kind == "record":
            return {each["name"]: self.read(each["type"]) for each in schema["fields"]}
        if kind == "enum":
            return self._one_of(schema["symbols"])
        if kind == "array":
            return [self.read(schema["items"]) for _ in self._entries()]
        if kind == "map":
            return {self._text(): self.read(schema["values"]) for _ in self._entries()}
        return self.read(kind)

    def _union(self, branches: list[Any]) -> Any:
        """Avro's JSON wraps a value of a union in an object with its type."""
        branch = self._one_of(branches)
        value = self.read(branch)
        if branch == "null":
            return None
        return {branch if isinstance(branch, str) else branch.get("name", branch["type"]): value}

    def _one_of(self, choices: list[Any]) -> Any:
        index = self._long()
        if not 0 <= index < len(choices):
            raise ValueError("a choice does not exist")
        return choices[index]

    def _entries(self) -> Iterator[None]:
        """As often as a list or a map has entries, block by block."""
        while count := self._long():
            if count < 0:
                count = -count
                self._long()
            if count > _MOST:
                raise ValueError("a list is too long")
            for _ in range(count):
                yield None

    def _long(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.body[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise ValueError("a number is too long")

    def _bytes(self) -> bytes:
        size = self._long()
        if not 0 <= size <= _MOST or self.at + size > len(self.body):
            raise ValueError("a string does not end")
        self.at += size
        return self.body[self.at - size : self.at]

    def _text(self) -> str:
        return self._bytes().decode(errors="replace")

    def _boolean(self) -> bool:
        self.at += 1
        return self.body[self.at - 1] == 1

    def _float(self) -> float:
        self.at += 4
        return float(struct.unpack_from("<f", self.body, self.at - 4)[0])

    def _double(self) -> float:
        self.at += 8
        return float(struct.unpack_from("<d", self.body, self.at - 8)[0])

    _SIMPLE: "Mapping[str, Callable[[_Reader], Any]]" = field(
        default_factory=lambda: {
            "null": lambda _: None,
            "boolean": _Reader._boolean,
            "int": _Reader._long,
            "long": _Reader._long,
            "float": _Reader._float,
            "double": _Reader._double,
            "bytes": _Reader._text,
            "string": _Reader._text,
        }
    )
