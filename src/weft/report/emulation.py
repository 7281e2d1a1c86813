"""What records say of storage that is not real, in few words."""

import re
from collections.abc import Iterable

_ROLE = re.compile(r"the (\w+) file system is (.*)")


def joined(sentences: Iterable[str]) -> list[str]:
    """One sentence for the roles of which the same is said; others as they are."""
    roles: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(sentences):
        found = _ROLE.fullmatch(sentence)
        said = roles.setdefault(found[2] if found else sentence, [])
        said += [found[1]] if found else []
    return [_sentence(said, names) for said, names in roles.items()]


def _sentence(said: str, names: list[str]) -> str:
    if not names:
        return said
    if len(names) == 1:
        return f"the {names[0]} file system is {said}"
    return f"the {', '.join(names[:-1])} and {names[-1]} file systems are {said}"
