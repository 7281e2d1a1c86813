"""Whether rows are the answer to a query: by value, with declared rules for ties, nulls and decimals; and a checksum of rows.

- Ties: rows that the query's order does not tell apart may come in any order; where a limit cuts through such rows, any of
  them may be there. Rows of a query without an order may come in any order.
- Nulls: a null equals a null and nothing else; they are ordered as the query says, otherwise below all values.
- Decimals and integers are exact: 2 equals 2.00. If one side is a floating-point number, as of DuckDB's averages and
  quotients, the values may differ by RELATIVE of the larger one, or by one unit of the other's last decimal.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, Protocol

Row = tuple[Any, ...]
RELATIVE = 1e-9


class Rows(Protocol):
    """Rows whose number is known before they are read, one after another: there may be more than memory holds."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Row]: ...


@dataclass(frozen=True)
class Answer:
    """The whole answer in order, without the query's limit."""

    columns: Sequence[str]
    rows: Rows
    """Each with the values that order it behind its columns."""
    ordered: bool
    limit: int | None = None

    @property
    def count(self) -> int:
        """How many rows the query returns."""
        return len(self.rows) if self.limit is None else min(self.limit, len(self.rows))

    def ties(self) -> Iterator[list[Row]]:
        """Rows that may come in any order, one group after another."""
        width = len(self.columns)
        group: list[Row] = []
        last: Row = ()
        for row in self.rows:
            key = row[width:]
            if group and self.ordered and not all(map(same, key, last)):
                yield group
                group = []
            group.append(row[:width])
            last = key
        if group:
            yield group


def difference(answer: Answer, found: Rows) -> str:
    """The first row that is wrong, and how; empty if the rows are the answer. Rows that are tied are in memory at once, no others."""
    width, total = len(answer.columns), len(found)
    count = "" if total == answer.count else f"{total} rows instead of {answer.count}; "
    at, left = 0, iter(found)
    for group in answer.ties():
        taken = list(islice(left, len(group)))
        if other := next((row for row in taken if len(row) != width), None):
            return f"the result has {len(other)} columns instead of {width}"
        if wrong := _unmatched(answer.columns, group, taken, at):
            return count + wrong
        at += len(group)
        if at >= total:
            break
    if not count:
        return ""
    return f"{count}row {min(answer.count, total) + 1} is the first"


def _unmatched(columns: Sequence[str], group: Sequence[Row], taken: Sequence[Row], at: int) -> str:
    """The first of the rows that is none of a group, each of which is there once."""
    if len(group) == len(taken) == 1 and all(map(same, taken[0], group[0])):
        return ""
    rough = [
        any(isinstance(row[i], float) for rows in (group, taken) for row in rows) for i in range(len(columns))
    ]
    left = defaultdict(list)
    for row in group:
        left[_exact(row, rough)].append(row)
    for number, row in enumerate(taken, at + 1):
        alike = left[_exact(row, rough)]
        match = next((i for i, other in enumerate(alike) if all(map(same, row, other))), None)
        if match is None:
            return _difference(columns, row, group, number)
        del alike[match]
    return ""


def _exact(row: Row, rough: Sequence[bool]) -> Row:
    """The values that must be equal; of others, whether they are null."""
    return tuple(value is None if near else value for value, near in zip(row, rough, strict=True))


def _difference(columns: Sequence[str], row: Row, group: Sequence[Row], number: int) -> str:
    """How a row differs from the row of the group that is most like it."""
    like = max(group, key=lambda other: sum(map(same, row, other)))
    pairs = zip(columns, row, like, strict=True)
    wrong = [
        f"{name} is {show(value)}, expected {show(right)}"
        for name, value, right in pairs
        if not same(value, right)
    ]
    if not wrong:
        return f"row {number} is there more often than it should be: {', '.join(map(show, row))}"
    return f"row {number}: {', '.join(wrong[:3])}"


def same(one: Any, other: Any) -> bool:
    """Whether two values count as equal."""
    if one is None or other is None:
        return one is other
    if isinstance(one, float) or isinstance(other, float):
        return _near(one, other)
    return bool(one == other)


def _near(one: Any, other: Any) -> bool:
    if not isinstance(one, (int, float, Decimal)) or not isinstance(other, (int, float, Decimal)):
        return False
    a, b = float(one), float(other)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= max(RELATIVE * max(abs(a), abs(b)), _unit(one), _unit(other))


def _unit(value: Any) -> float:
    """One unit of the last decimal; nothing for other numbers."""
    exponent = value.as_tuple().exponent if isinstance(value, Decimal) else None
    return 10.0**exponent if isinstance(exponent, int) else 0.0


def show(value: Any) -> str:
    """A value in a message."""
    return "null" if value is None else repr(value) if isinstance(value, str) else str(value)


_DIGITS = 12
"""Of floating-point numbers, whose last digits depend on the order of a sum."""
_BITS = 64


class Checksum:
    """The sum of a hash of each row, so that rows that are repeated or lost change it."""

    def __init__(self) -> None:
        self._total = 0

    def add(self, row: Row) -> None:
        """One more row."""
        digest = hashlib.blake2b("\x1f".join(map(_text, row)).encode(), digest_size=_BITS // 8).digest()
        self._total += int.from_bytes(digest, "big")

    @property
    def text(self) -> str:
        """16 hexadecimal digits."""
        return f"{self._total % (1 << _BITS):0{_BITS // 4}x}"


def _text(value: Any) -> str:
    """Numbers by value: 2, 2.0 and 2.00 are one number."""
    if value is None:
        return "\x00"
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        number = Decimal(f"{value:.{_DIGITS}g}") if isinstance(value, float) else Decimal(value)
        text = f"{number:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    return str(value)
