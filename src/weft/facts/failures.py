"""Reasons why programs fail that their logs name, with what to do: the rules are data, `failures.toml`."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Failure:
    """A reason, and where it was read."""

    says: str
    """Without a name of a node or a file."""
    hint: str
    words: str
    """Of the log."""
    line: int
    """Number of the line that says so, from 1."""
    follows: bool
    """Whether it is the consequence of something that another process's log may have."""


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    says: str
    hint: str
    where: str
    follows: bool


def named(lines: Iterable[str], log: str) -> Failure | None:
    """The reason that these lines of a log give: that of the first rule that matches any; None if none does."""
    found: tuple[int, Failure] | None = None
    for number, line in enumerate(lines, 1):
        for rank, rule in enumerate(_rules()[: found[0] if found else None]):
            if log.startswith(rule.where) and (match := rule.pattern.search(line)):
                says = rule.says.format_map(match.groupdict())
                found = rank, Failure(says, rule.hint, match[0], number, rule.follows)
                break
    return found[1] if found else None


@cache
def _rules() -> tuple[_Rule, ...]:
    table = tomllib.loads(Path(__file__).with_name("failures.toml").read_text(encoding="utf-8"))
    return tuple(
        _Rule(
            re.compile(each["pattern"]),
            each["says"],
            each["hint"],
            each.get("where", ""),
            each.get("follows", False),
        )
        for each in table["failure"]
    )
