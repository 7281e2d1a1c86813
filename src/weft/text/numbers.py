"""Numbers as a table shows them; unknown values are a dash."""

import json
from collections.abc import Callable
from typing import Any

from weft.text.units import show_size

NONE = "-"


def seconds(value: float | None) -> str:
    """0.012, 1.23, 12.3, 123: three significant digits, in seconds."""
    if value is None:
        return NONE
    if value == 0:
        return "0"
    digits = next((digits for limit, digits in ((0.1, 3), (10, 2), (100, 1)) if value < limit), 0)
    return f"{value:.{digits}f}"


def percent(share: float | None) -> str:
    """12 %."""
    return NONE if share is None else f"{share * 100:.0f} %"


def times(value: float | None) -> str:
    """1.5 x."""
    return NONE if value is None else f"{value:.1f} x"


def size(value: float | None) -> str:
    """1.5 MB; zero is a dash, so that other values are noticeable."""
    return show_size(value) if value else NONE


def amount(value: float | None, unit: str = "") -> str:
    """A counter's value in its unit."""
    if value is None:
        return NONE
    if unit == "B":
        return show_size(value)
    if unit == "s":
        return f"{seconds(value)} s"
    return f"{value:,.0f} {unit}".strip()


def maybe(show: Callable[[float], str], value: float | None) -> str:
    """A text for a known value; empty otherwise."""
    return "" if value is None else show(value)


def text(value: Any) -> str:
    """A value of JSON: numbers with four significant digits, nested values as JSON."""
    match value:
        case None:
            return NONE
        case str() | bool():
            return str(value)
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return json.dumps(value)
