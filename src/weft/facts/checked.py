"""Who checked a result: as records have it, and as reports say it."""

from typing import Final, Literal

CheckedBy = Literal[
    "an independent program", "the job against the generator's formula", "the user's own command", ""
]
PROGRAM: Final = "an independent program"
JOB: Final = "the job against the generator's formula"
"""In records of earlier versions: the job compared its result itself, in the process of the engine's driver."""
OWN: Final = "the user's own command"
NOBODY: Final = ""
"""There is only an exit code."""


def clause(checked_by: str) -> str:
    """The end of a sentence on a result that was found right."""
    if checked_by == JOB:
        return "self-checked: the job compared the result with the generator's formula, and it is right"
    return f"{checked_by or 'a program'} checked the result, and it is right"
