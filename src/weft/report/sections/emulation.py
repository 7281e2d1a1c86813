"""Summary of emulated storage in records."""

import re
from collections.abc import Iterable

_ROLE = re.compile(r"the (\w+) file system is (.*)")


def joined(sentences: Iterable[str]) -> list[str]:
    """One sentence for roles with the same description; others unchanged."""
    roles: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(sentences):
        found = _ROLE.fullmatch(sentence)
        names = roles.setdefault(found[2] if found else sentence, [])
        names += [found[1]] if found else []
    return [_sentence(description, names) for description, names in roles.items()]


def _sentence(description: str, names: list[str]) -> str:
    if not names:
        return description
    if len(names) == 1:
        return f"the {names[0]} file system is {description}"
    return f"the {', '.join(names[:-1])} and {names[-1]} file systems are {description}"
