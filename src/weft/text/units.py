"""Sizes and durations as users write them.

Sizes follow coreutils: `K M G T` (and `KiB MiB GiB TiB`) are powers of 1024, `KB MB GB TB` powers of 1000.
"""

import re

_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<prefix>[KMGT]?)(?P<suffix>I?B|)", re.IGNORECASE)
_DURATION = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s|m|h|d|)")
_RATE = re.compile(r"(?P<number>\d+)(?P<unit>[mg])bit")
_SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

_MOST = 2**63 - 1
"""Bytes of the longest file that Linux has."""
_LONGEST = 100_000 * 86400.0
"""Seconds; Python waits little longer at a time."""


def parse_size(text: str | int) -> int:
    """Bytes of "1GB" (10^9), "1GiB" or "1G" (2^30), "512K", 4096. Raises ValueError."""
    match = _SIZE.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(
            f"{text!r} is not a size; write a positive number and a unit, such as 512M, 1GB or 2GiB"
        )
    decimal = match["suffix"].upper() == "B" and bool(match["prefix"])
    base = 1000 if decimal else 1024
    size = float(match["number"]) * base ** _POWERS[match["prefix"].upper()]
    if size < 1:
        raise ValueError(f"{text!r} is not a size; it must be at least one byte")
    if size > _MOST:
        raise ValueError(f"{text!r} is not a size; it is more than any file can have")
    return int(size)


def parse_duration(text: str | float) -> float:
    """Seconds of "500ms", "30s", "2m", "1h", "7d", 30. Raises ValueError."""
    match = _DURATION.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write a number and a unit, such as 30s or 5m")
    seconds = float(match["number"]) * _SECONDS[match["unit"]]
    if seconds > _LONGEST:
        raise ValueError(f"{text!r} is not a duration; it is more than 100000d")
    return seconds


def parse_rate(text: str) -> float:
    """Bits per second of a link's rate as tc(8) reads it: "1gbit", "250mbit". Raises ValueError."""
    match = _RATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a rate; write a number and a unit, such as 250mbit or 1gbit")
    rate = float(match["number"]) * {"m": 1e6, "g": 1e9}[match["unit"]]
    if rate > _MOST:
        raise ValueError(f"{text!r} is not a rate; it is more than any link has")
    return rate


def write_size(size: int) -> str:
    """As users write it, exactly: 1G, 64M, 1000000."""
    unit = next((unit for unit in "TGMK" if size and size % 1024 ** _POWERS[unit] == 0), "")
    return f"{size // 1024 ** _POWERS[unit]}{unit}"


def write_duration(seconds: float) -> str:
    """As users write it, exactly: 1h, 90s, 0.5s."""
    unit = next((unit for unit in "dhm" if seconds and seconds % _SECONDS[unit] == 0), "s")
    return f"{seconds / _SECONDS[unit]:.12g}{unit}"


def show_size(size: float) -> str:
    """Three digits and a decimal unit: 1 GB, and 64 KiB is 65.5 kB."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        small = abs(size) < 999.5  # more would be shown as 1000
        if small or unit == "TB":
            return f"{size:.3g} {unit}" if small and unit != "B" else f"{size:.0f} {unit}"
        size /= 1000
    raise AssertionError


def show_seconds(seconds: float) -> str:
    """12.3 s, 1 min 05 s, 2 h 03 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
