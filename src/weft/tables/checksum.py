"""A checksum of a result's rows that does not depend on the engine: by value, whatever their order and their types."""

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from weft.tables.compare import Row

_DIGITS = 12
"""Of floating-point numbers, whose last digits depend on the order of a sum."""
_BITS = 64


def checksum(rows: Iterable[Row]) -> str:
    """The sum of a hash of each row, so that rows that are repeated or lost change it; 16 hexadecimal digits."""
    total = 0
    for row in rows:
        digest = hashlib.blake2b("\x1f".join(map(_text, row)).encode(), digest_size=_BITS // 8).digest()
        total += int.from_bytes(digest, "big")
    return f"{total % (1 << _BITS):0{_BITS // 4}x}"


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
