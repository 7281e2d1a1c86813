"""Why a program failed, from its log: its exception, and not the last lines, which often report its shutdown."""

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from weft.host import shell

_READ = 1 << 18
"""Bytes of a log, from its end, in which the exception is sought."""
_SHOWN = 8
"""Lines of a log in a message."""
_LONGEST = 500
"""Characters of an exception in a message."""
_NOISE = re.compile(r"\bINFO\b|Picked up J\w+_OPTIONS")
"""What log4j writes if nothing is wrong, and what every JVM writes that has options."""
_ENDS = re.compile(r'Exception in thread "main"|Traceback \(most recent call last\):')
"""The exception that ended a program, rather than one that it survived."""
_PYTHON = "Traceback (most recent call last):"
_BY = re.compile(r"^\s*Caused by: (.+)")
_NAMED = re.compile(r'^:? ?(?:Exception in thread "[^"]*" )?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Exception|Error|Exit|Interrupt)\b(?:: .*)?)$')  # fmt: skip
_CLASS = re.compile(r"Failed to load class \S+?(?=\.?$)|Could not find or load main class \S+")
"""A program that never began: without an exception."""
_FRAME = re.compile(r'^\s+at |^\s+\.\.\. \d+ more|^\s+File "[^"]*\.zip/')
_LINE = re.compile(
    r'^\s*File "(?!.*(?:\.zip|/site-packages|/lib/python[\d.]+)/)(?:[^"]*/)?([^"/<>]+)", line (\d+)'
)
"""A frame of a Python program, and not of a library."""


def cause(log: Path) -> tuple[str, list[str]]:
    """The exception in one line, empty if there is none; and the lines of the log that show most."""
    lines = shell.tail(log, _READ, _READ)
    begin = max((i for i, line in enumerate(lines) if _ENDS.search(line)), default=None)
    if begin is None:
        begin = max((i for i, line in enumerate(lines) if _first(line)), default=None)
    if begin is None:
        unknown = [match[0] for line in lines if (match := _CLASS.search(line))]
        return "".join(unknown[-1:])[:_LONGEST], _last(lines)
    last = next((i for i, line in enumerate(lines) if i >= begin and _NAMED.match(line)), begin)
    trace = [*lines[begin : last + 1], *takewhile(_of_a_trace, lines[last + 1 :])]
    found = [match[1] for line in trace if (match := _BY.match(line) or _NAMED.match(line))][-1:] or [""]
    shown = [line for line in trace if not _FRAME.match(line)][-_SHOWN:]
    where = [match for line in trace if (match := _LINE.match(line))][-1:] if found[0] else []
    place = "".join(f" ({match[1]}, line {match[2]})" for match in where)
    return found[0][:_LONGEST] + place, shown if found[0] else _last(lines)


def ends_in_python(output: Path) -> bool:
    """Whether the output of a program has the traceback of a Python exception near its end."""
    return any(_PYTHON in line for line in shell.tail(output, _READ, _READ))


def _first(line: str) -> bool:
    return bool(_NAMED.match(line)) and not _BY.match(line)


def _of_a_trace(line: str) -> bool:
    return bool(line[:1].isspace() or _BY.match(line) or _NAMED.match(line))


def _last(lines: Sequence[str]) -> list[str]:
    return ([line for line in lines if not _NOISE.search(line)] or list(lines))[-_SHOWN:]
