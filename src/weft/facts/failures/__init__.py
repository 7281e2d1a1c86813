"""Reasons why programs fail that logs name, with what to do: the rules are data, the files of this folder."""

import re
import signal
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Role = Literal["driver", "task", "daemon"]
"""Whose log it is: the program that was submitted, a process that runs tasks, or a daemon of the cluster."""
_FILES = ("resources", "code", "inputs", "cluster", "ends")
"""In the order of their rules."""
_HEAP_EXIT = 52
"""With which Spark's executors end when a task found their heap full (SparkExitCode.scala)."""


@dataclass(frozen=True)
class FailureRule:
    """A reason, and how a log names it."""

    name: str
    pattern: re.Pattern[str]
    says: str
    """With names of the pattern's groups in braces; without a name of a node or a file."""
    hint: str
    of: Sequence[str]
    """The roles in whose logs it counts."""
    ends: bool
    """Whether it ends a process, so that it counts also in the log of another than the submitted program."""
    follows: bool
    """Whether it is the consequence of something that another log may have."""
    patience: float | None
    """Seconds after which a running program that logs it is ended, because it waits for what never happens; None: not."""
    again: int
    """How often it must be logged before the program is ended."""
    despite: bool
    """Whether it counts also if tasks end meanwhile."""
    undone: re.Pattern[str] | None
    """A later line that says that it is over."""
    detail: re.Pattern[str] | None
    """Of one of the next lines, whose first group says more."""
    caused: str
    """How a test causes it on a real engine; empty: nobody has seen it, and the sentence says `looks like`."""

    @property
    def of_executor(self) -> bool:
        """Whether it is the loss of an executor of Spark."""
        return self.name.startswith("executor-lost")

    def undone_by(self, line: str) -> bool:
        """Whether this line of the same log says that it is over."""
        return self.undone is not None and bool(self.undone.search(line))


@dataclass(frozen=True)
class Failure:
    """A reason, and where it was read."""

    rule: FailureRule
    says: str
    words: str
    """Of the log."""
    line: int
    """Index of the line that says so."""


def named(lines: Iterable[str], of: Role, rules: Sequence[FailureRule] | None = None) -> Failure | None:
    """The reason that these lines of a log give: that of the first rule that matches any; None if none does."""
    found: tuple[int, Failure] | None = None
    known = listed() if rules is None else rules
    read = list(lines)
    for number, line in enumerate(read):
        for rank, rule in enumerate(known[: found[0] if found else None]):
            if of in rule.of and (match := rule.pattern.search(line)):
                if any(map(rule.undone_by, read[number + 1 :])):
                    continue
                found = rank, Failure(rule, _says(rule, match), match[0].strip(), number)
                break
    return found[1] if found else None


def ended(code: int, *, executor: bool = False) -> str:
    """How a process, or an executor of Spark, ended, by its exit code as a shell gives it: 128 + N after signal N."""
    if executor and code == _HEAP_EXIT:
        return "its heap was full (exit code 52)"
    number = code - 128 if code > 128 else -code
    if number > 0:
        try:
            return f"it was killed by signal {number} ({signal.Signals(number).name})"
        except ValueError:
            pass
    return f"it ended with exit code {code}"


def _says(rule: FailureRule, match: re.Match[str]) -> str:
    groups = {name: text or "" for name, text in match.groupdict().items()}
    code = groups.get("code", "")
    how = ended(int(code), executor=rule.of_executor) if code.lstrip("-").isdigit() else ""
    says = rule.says.format_map({**groups, "ended": how})
    return says if rule.caused else f"it looks like {says}"


@cache
def listed() -> tuple[FailureRule, ...]:
    """All rules: a special case is before what it is a case of."""
    tables = [Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8") for name in _FILES]
    return tuple(
        FailureRule(
            each["name"],
            re.compile(each["pattern"]),
            each["says"],
            each.get("hint", ""),
            each.get("of", ("driver", "task", "daemon")),
            each.get("ends", False),
            each.get("follows", False),
            each.get("patience"),
            each.get("again", 1),
            each.get("despite", False),
            re.compile(each["undone"]) if "undone" in each else None,
            re.compile(each["detail"]) if "detail" in each else None,
            each.get("caused", ""),
        )
        for table in tables
        for each in tomllib.loads(table)["failure"]
    )
