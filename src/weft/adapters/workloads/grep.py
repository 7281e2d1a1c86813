"""grep: how often each string occurs that matches a regular expression, the most frequent first."""

from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.workloads.base import Checker
from weft.adapters.workloads.zipftext import ZipfText


class Grep(ZipfText):
    """Hadoop's example on generated text; every count and the order are checked."""

    kind: Literal["grep"] = "grep"
    main_class: ClassVar[str] = "Grep"
    checker = Checker(
        "GrepValidate",
        "the output: every matching string, its count, and their order; by lines that are made again",
        ("LineMutant",),
        ("TextValidateTest.wrongMatchesAreNamed",),
    )

    pattern: str = Field(
        default="ka[a-z]*",
        min_length=1,
        description="regular expression in Java's syntax, matched in each line",
    )

    def options(self) -> dict[str, object]:
        return {"pattern": self.pattern}
