"""Why a program failed, from its log: its exception, and not the last lines, which often report its shutdown."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
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
_ENDS = re.compile(
    r'Exception in thread "main"|Traceback \(most recent call last\):|program finished with the following exception'
)
"""The exception that ended a program, rather than one that it survived."""
CAUGHT = "the work failed: "
"""With which weft's own programs begin the reason, after the trace of the exception that ended their work."""
_PYTHON = "Traceback (most recent call last):"
_CAUSED = ", caused by "
CHAINED = {
    "The above exception was the direct cause of the following exception:": _CAUSED,
    "During handling of the above exception, another exception occurred:": ", while handling ",
}
"""Between the traces of two Python exceptions."""
_UNREADABLE = re.compile(r"(?:SyntaxError|IndentationError|TabError): ")
"""Python prints no traceback for the program itself: only the place, above."""
_BY = re.compile(r"^\s*Caused by: (.+)")
_NAMED = re.compile(r'^:? ?(?:Error: )?(?:Exception in thread "[^"]*" )?((?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Exception|Error|Exit|Interrupt)|Exception|(?<=\.)Error|KilledWorker)\b(?:: .*)?)$')  # fmt: skip
_RAISED = re.compile(r"^((?:(?:[A-Za-z_]\w*|<locals>)\.)+[A-Za-z_]\w*|[A-Z]\w*)(?P<of>\([\w.]+\))?(?:: .*)?$")
"""The line below the frames of a Python trace, where a class of any name may be; Ray's has that of a task `of` this class below it."""
_PLACE = re.compile(r" \([^()]+, line \d+\)$")
_CLASS = re.compile(
    r"Failed to load class \S+?(?=\.?$)|Could not find or load main class \S+|(?<=failed with state )\w+ due to: .+"
)
"""A program that never began, or whose job failed: without an exception."""
_WRAPPED = re.compile(r"[a-z]+[ ,].*[^{\[]$")
"""A line of prose that goes on with the sentence above it, and is no line of a log."""
_FRAME = re.compile(r'^\s+at |^\s+\.\.\. \d+ more|^\s+File "[^"]*\.zip/')
_LINE = re.compile(
    r'^\s*File "(?!.*(?:\.zip|/site-packages|/lib/python[\d.]+|/[a-z]+-[\d.]+-[0-9a-f]{8}/lib)/)(?:[^"]*/)?([^"/<>]+)", line (\d+)'
)
"""A frame of a Python program, and not of a library or of a distribution that weft downloaded."""
_SENT = re.compile(r'^\s*File "<dynamic-code>", line (\d+), in (\S+)')
"""A frame of a function that cloudpickle sent to a worker (cloudpickle.py, _code_reduce): with its line, and without its file."""
_JAVA_LINE = re.compile(
    r"^\s+(?:at )?(?:[\w.-]*//?)?([\w.]+)[\w.$]*\.[\w$<>]+\(([\w$]+\.(?:java|scala|kt)):(\d+)\)"
)
"""A frame of a Java program: the class around all, the file and the line."""


@dataclass(frozen=True)
class Ended:
    """The exception that ended a program, among the lines of its log."""

    exception: str
    """In one line, with the user's own file and line; empty if there is none."""
    shown: Sequence[str]
    """The lines that show most."""
    begin: int = 0
    end: int = 0
    """Where its trace is: indexes of lines."""
    earlier: str = ""
    """What the exception was raised from, in the user's own code, as the end of a sentence: `, caused by KeyError: 'a' (job.py, line 3)`."""
    certain: bool = False
    """Whether it ended the program; otherwise it is the last one that the log has, and may have been caught."""


def cause(log: Path, *, certain: bool = False) -> tuple[str, list[str]]:
    """The exception in one line, empty if there is none; and the lines of the log that show most.

    `certain`: only one that ended the program, and none that it may have caught.
    """
    found = ended(lines := shell.tail(log, _READ, _READ))
    if certain and not found.certain:
        return "", _last(lines)
    return found.exception + found.earlier, list(found.shown)


def ended(lines: Sequence[str], classes: Collection[str] = ()) -> Ended:
    """The exception that ended the program that wrote these lines; `classes`: a Java program's own, by which its line is found."""
    begin = ending = max((i for i, line in enumerate(lines) if _ENDS.search(line)), default=None)
    if begin is None:
        begin = ending = _unreadable(lines)
    if begin is None:
        begin = max((i for i, line in enumerate(lines) if _first(line)), default=None)
    if begin is None:
        return _never_began(lines)
    raised = last = _raised(lines, begin)
    if last is None:
        last = next((i for i, line in enumerate(lines) if i >= begin and _NAMED.match(line)), None)
    if last is None:
        return _without_class(lines, begin, classes, certain=ending is not None)
    trace = [*lines[begin : last + 1], *takewhile(_of_a_trace, lines[last + 1 :])]
    texts = (_text(line) or (line if i == raised else "") for i, line in enumerate(trace, begin))
    found = [text for text in texts if text][-1:] or [""]
    shown = [line for line in trace if not _FRAME.match(line)][-_SHOWN:]
    place = _own_line(trace, classes) if found[0] else ""
    shown = shown if found[0] else _last(lines)
    ends = ending is not None or any(line.startswith(CAUGHT) for line in lines[begin:])
    earlier = _earlier(lines[:begin], found[0]) if found[0] else ""
    whole = (
        found[0] if raised is None else " ".join([found[0], *takewhile(_WRAPPED.match, lines[last + 1 :])])
    )
    return Ended(whole[:_LONGEST] + place, shown, begin, begin + len(trace), earlier, certain=ends)


def _earlier(lines: Sequence[str], says: str) -> str:
    """The first exception of a chain, if these lines end with one: of those that the user's own code raised or met, or from which
    a library raised its own that says something else."""
    end = next((i for i in reversed(range(len(lines))) if lines[i].strip()), None)
    if end is None or (how := CHAINED.get(lines[end].strip())) is None:
        return ""
    before = ended(lines[:end])
    if before.earlier:
        return before.earlier
    other = how == _CAUSED and before.exception not in {"", says[:_LONGEST]}
    return how + before.exception if other or _PLACE.search(before.exception) else ""


def _raised(lines: Sequence[str], begin: int) -> int | None:
    """Where a Python trace names the exception, whatever its class is called; None where it is no such trace, or not whole."""
    found = None
    for i in range(begin + 1, len(lines) if _PYTHON in lines[begin] else 0):
        if not lines[i].strip() or lines[i][:1].isspace():
            continue
        match = _RAISED.match(lines[i]) if lines[i - 1][:1].isspace() else None
        found = i if match else found
        if match is None or not match["of"]:
            break
    return found


def _text(line: str) -> str:
    """The exception that a line names; empty if it names none."""
    match = _BY.match(line) or _NAMED.match(line)
    return match[1] if match else ""


def _unreadable(lines: Sequence[str]) -> int | None:
    """Where Python says which line of the program it cannot read."""
    at = max((i for i, line in enumerate(lines) if _UNREADABLE.match(line)), default=0)
    above = sum(1 for _ in takewhile(lambda line: line[:1].isspace(), reversed(lines[:at])))
    return at - above if above and _LINE.match(lines[at - above]) else None


def _without_class(lines: Sequence[str], begin: int, classes: Collection[str], *, certain: bool) -> Ended:
    """An exception of which a program printed only the message and the frames, as `flink run` does."""
    first = next((i for i in range(begin + 1, len(lines)) if lines[i].strip()), None)
    if first is None or not _ENDS.search(lines[begin]) or _PYTHON in lines[begin]:
        return Ended("", _last(lines), begin, begin + 1, certain=certain)
    trace = [lines[first], *takewhile(lambda line: line[:1].isspace(), lines[first + 1 :])]
    place = _own_line(trace, classes)
    return Ended(lines[first][:_LONGEST] + place, trace[:_SHOWN], first, first + len(trace), certain=certain)


def _own_line(trace: Sequence[str], classes: Collection[str]) -> str:
    """The user's own line: the last of a Python trace, the first below the last cause of a Java trace that has one."""
    if python := [match for line in trace if (match := _LINE.match(line))]:
        sent = [f"; in {match[2]}, line {match[1]}" for line in trace if (match := _SENT.match(line))]
        return f" ({python[-1][1]}, line {python[-1][2]}{sent[-1] if sent else ''})"
    causes = [0, *(number for number, line in enumerate(trace) if _BY.match(line))]
    for begin in reversed(causes):
        frames = (match for line in trace[begin:] if (match := _JAVA_LINE.match(line)))
        if java := next((match for match in frames if match[1] in classes), None):
            return f" ({java[2]}, line {java[3]})"
    return ""


def _never_began(lines: Sequence[str]) -> Ended:
    for number, line in reversed(list(enumerate(lines))):
        if match := _CLASS.search(line):
            return Ended(match[0][:_LONGEST], _last(lines), number, number + 1, certain=True)
    return Ended("", _last(lines))


def ends_in_python(output: Path) -> bool:
    """Whether the output of a program has the traceback of a Python exception near its end, or a line that Python cannot read."""
    return any(_PYTHON in line or _UNREADABLE.match(line) for line in shell.tail(output, _READ, _READ))


def _first(line: str) -> bool:
    return bool(_NAMED.match(line)) and not _BY.match(line)


def _of_a_trace(line: str) -> bool:
    return bool(line[:1].isspace() or _BY.match(line) or _NAMED.match(line))


def _last(lines: Sequence[str]) -> list[str]:
    return ([line for line in lines if not _NOISE.search(line)] or list(lines))[-_SHOWN:]
