"""Who checked a result: as records have it, and as reports say it."""

from typing import Final, Literal

CheckedBy = Literal[
    "an independent program",
    "the job against the generator's formula",
    "another version of the engine",
    "the user's own command",
    "",
]
PROGRAM: Final = "an independent program"
JOB: Final = "the job against the generator's formula"
"""In records of earlier versions: the job compared its result itself, in the process of the engine's driver."""
SAME: Final = "another version of the engine"
"""DuckDB's answers are compared with DuckDB's: what all of its versions have wrong is not seen."""
OWN: Final = "the user's own command"
NOBODY: Final = ""
"""There is only an exit code."""


def clause(checked_by: str) -> str:
    """The end of a sentence on a result that was found right."""
    if checked_by == JOB:
        return "self-checked: the job compared the result with the generator's formula, and it is right"
    if checked_by == SAME:
        return "self-checked: another version of the same engine compared the result with its own, and both agree"
    return f"{checked_by or 'a program'} checked the result, and it is right"
