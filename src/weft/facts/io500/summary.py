"""Reads result_summary.txt, which IO500 writes at the end of a run: the form of io500 since 2020, and that of the script before it."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from weft.errors import UsageError
from weft.facts.io500.phases import PHASES, UNITS

_LINE = re.compile(
    r"\[RESULT(?P<invalid>-invalid)?\s*\]\s+(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?(?P<phase>[\w-]+)\s+(?P<value>\S+)\s+(?P<unit>\S+)"
    r"\s*:\s*time\s+[\d.]+\s+seconds(?P<more>.*)"
)
_VERSION = re.compile(r"IO500 version\s+(.*\S)")
_LAUNCHED = re.compile(r"mdtest\S* was launched with (\d+) total task\(s\) on (\d+) node\(s\)")
_OLDER = {"kiops": "kIOPS", "GB/s": "GiB/s"}
"""Units of the script. Its GB are GiB: it divided IOR's MiB by 1024."""
_FORM = "a line is `[RESULT] mdtest-easy-write 119.113150 kIOPS : time 373.799 seconds`"
_MOST = 80
"""Characters of a line in a message."""


@dataclass(frozen=True)
class ResultSummary:
    """What one run of IO500 measured."""

    version: str
    """Empty if the file does not say."""
    rates: Mapping[str, float]
    """By phase that weft knows: operations or bytes per second of all processes together."""
    notes: tuple[str, ...] = ()
    """What is missing, or what IO500 says against it."""


def read(text: str, where: str) -> ResultSummary:
    """The figures of a result_summary.txt. Raises UsageError that names what is damaged."""
    rates: dict[str, float] = {}
    invalid: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if "RESULT" not in line:
            continue
        phase, rate, valid = _result(line, f"{where}, line {number}")
        if rates.get(phase, rate) != rate:
            raise UsageError(
                f"{where}, line {number}: {phase} is there twice, with two values",
                hint="remove the wrong line",
            )
        rates[phase] = rate
        invalid += [] if valid else [phase]
    if not rates:
        raise UsageError(f"{where} is no result_summary.txt of IO500: no line has a result", hint=_FORM)
    version = _VERSION.search(text)
    return ResultSummary(
        version[1] if version else "",
        {phase: rate for phase, rate in rates.items() if phase in PHASES and rate > 0},
        tuple(_notes(rates, invalid)),
    )


def _result(line: str, where: str) -> tuple[str, float, bool]:
    """The phase of a line, its rate in operations or bytes per second, and whether IO500 says nothing against it."""
    match = _LINE.fullmatch(line.strip())
    shown = "".join(letter if letter.isprintable() else "?" for letter in line.strip()[:_MOST])
    if match is None:
        raise UsageError(f"{where} is damaged: {shown!r}", hint=_FORM)
    unit = UNITS.get(_OLDER.get(match["unit"], match["unit"]))
    try:
        value = float(match["value"])
    except ValueError:
        value = math.nan
    if unit is None or not math.isfinite(value) or value < 0:
        what = f"the unit {match['unit']!r}" if unit is None else f"the rate {match['value']!r}"
        raise UsageError(f"{where} is damaged: {what} is none: {shown!r}", hint=_FORM)
    # programs of 2020 and 2021 wrote it in front, later ones write it behind
    valid = not match["invalid"] and "INVALID" not in match["more"]
    return match["phase"].replace("_", "-"), value * unit, valid


def _notes(rates: Mapping[str, float], invalid: list[str]) -> list[str]:
    found = []
    if missing := [phase for phase in PHASES if not rates.get(phase)]:
        found.append(f"not measured: {', '.join(missing)}")
    if others := [phase for phase in rates if phase not in PHASES]:
        found.append(f"not used: {', '.join(others)}")
    if invalid:
        found.append(f"IO500 marks as invalid: {', '.join(invalid)}")
    return found


def launched(text: str) -> tuple[int, int] | None:
    """Processes and nodes, from what mdtest printed; None if it does not say."""
    match = _LAUNCHED.search(text)
    return (int(match[1]), int(match[2])) if match else None
