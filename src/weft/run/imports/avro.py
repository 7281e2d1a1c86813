"""Job histories in Avro's binary encoding, Hadoop's default since 3.0, as the lines that `jhist.format=json` writes.

The file has two lines, `Avro-Binary` and the schema as JSON, then one event after the other (Avro's specification 1.11).
fastavro trusts schema and lengths; here each value takes at least a byte of the file, and an event has a limit.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

from fastavro import parse_schema, schemaless_reader
from fastavro.schema import SchemaParseException, UnknownType

MAGIC = b"Avro-Binary\n"
_SCHEMA, _EVENT = 1 << 20, 1 << 20
"""Bytes of the schema and of an event above which the file is damaged."""
_NAME, _DEPTH = 200, 40
_SIMPLE = ("boolean", "int", "long", "float", "double", "bytes", "string")
_DAMAGED = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, RecursionError, TypeError, ValueError,
    SchemaParseException, UnknownType, struct.error,
)  # fmt: skip


def lines(file: BufferedReader, gaps: list[str]) -> Iterator[str]:
    """Each event as one line of JSON; a damaged one ends it, because nothing marks where the next begins."""
    file.readline(len(MAGIC))
    try:
        found = json.loads(file.readline(_SCHEMA))
        _require_bounded(found, set(), 0)
        schema = parse_schema(found)
    except _DAMAGED:
        gaps.append("its schema is damaged, and nothing of it could be read")
        return
    while file.peek(1):
        at = file.tell()
        try:
            part: Any = _Event(file)
            event: Any = schemaless_reader(part, schema, None, return_record_name=True)
            kind, found = event["event"]
            yield json.dumps({"type": event["type"], "event": {kind: found}}, separators=(",", ":"))
        except _DAMAGED:
            gaps.append(f"it is damaged or cut off at byte {at:,}, and what follows was not read")
            return


@dataclass
class _Event:
    """What is left of the file for one event."""

    file: BufferedReader
    left: int = _EVENT

    def read(self, size: int) -> bytes:
        if not 0 <= size <= self.left:
            raise ValueError("an event is too long")
        self.left -= size
        return self.file.read(size)


def _require_bounded(schema: Any, whole: set[str], depth: int) -> None:
    """Raises ValueError unless each value of the schema takes a byte, and none is part of itself."""
    if depth > _DEPTH:
        raise ValueError("it is nested too deeply")
    if isinstance(schema, list):
        for each in schema:
            if each != "null":  # the choice has taken the byte
                _require_bounded(each, whole, depth + 1)
    elif isinstance(schema, dict):
        _require_nested(schema, whole, depth)
    elif schema not in _SIMPLE and schema.rpartition(".")[2] not in whole:
        raise ValueError("it has a value that takes no bytes, or that is part of itself")


def _require_nested(schema: dict[str, Any], whole: set[str], depth: int) -> None:
    kind, fields = schema["type"], schema.get("fields", [])
    names = [schema.get("name", ""), *(each["name"] for each in fields)]
    if "logicalType" in schema or max(map(len, names)) > _NAME or (kind == "record" and not fields):
        raise ValueError("it has a type that no job history has")
    if kind == "record":
        for each in fields:
            _require_bounded(each["type"], whole, depth + 1)
    elif kind != "enum":
        inner = {"array": "items", "map": "values"}.get(kind, "type") if isinstance(kind, str) else "type"
        _require_bounded(schema[inner], whole, depth + 1)
    whole.add(names[0].rpartition(".")[2])
