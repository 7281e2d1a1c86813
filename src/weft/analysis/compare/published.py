"""A study's folder as data: the paper's figures, and rules about the predicted shapes of the study's cells."""

import csv
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from weft.analysis.read.part import Part
from weft.errors import UsageError
from weft.text import toml

FIGURES, RULES = "published.csv", "expected.toml"


Measure = Literal[
    "seconds",
    "opens",
    "reads",
    "bytes_read",
    "mean_read",
    "writes",
    "bytes_written",
    "mean_write",
    "output_calls",
    "map_files",
    "read_files",
    "ingest",
    "latency_median_seconds",
    "latency_mean_seconds",
    "records_per_second",
]
"""The subject of a rule: the time, a value of `operations.Operations`, the seconds of the run phase spent in file calls on
scratch, on the map side or the read side of shuffles, megabits of input per second and slot of the stages that read shuffles, or
what a stream's run found."""


class Published(Part):
    """A figure of a paper. `cell` and `at` are its equivalents in the study; empty if there are none."""

    paper: str
    experiment: str
    engine: str
    storage: str
    scale: str
    metric: str
    value: str
    unit: str
    cores: int | None = None
    cell: str = ""
    at: str = ""
    note: str = ""

    @property
    def number(self) -> float | None:
        """The value, if it is one number and not a range."""
        try:
            return float(self.value)
        except ValueError:
            return None


class Rule(Part):
    """A statement about the cells: `value` is a formula over the values `of`, compared with a bound, or with a range."""

    name: str
    value: str
    of: Measure = "seconds"
    at_least: float | None = None
    at_most: float | None = None
    paper: str = Field(description="the paper's figure, as text")
    source: str

    @model_validator(mode="after")
    def _bounded(self) -> "Rule":
        if self.at_least is None and self.at_most is None:
            raise ValueError(f"the rule {self.name!r} needs at_least, at_most, or both")
        if self.at_least is not None and self.at_most is not None and self.at_least >= self.at_most:
            raise ValueError(f"the rule {self.name!r} has no value between at_least and at_most")
        return self

    @property
    def bound(self) -> str:
        """The bound as text."""
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:g} to {self.at_most:g}"
        return f"at least {self.at_least:g}" if self.at_least is not None else f"at most {self.at_most:g}"

    def side(self, value: float) -> int:
        """-1 below the range, 0 within it, 1 above it."""
        if self.at_least is not None and value < self.at_least:
            return -1
        return int(self.at_most is not None and value > self.at_most)


class Expected(Part):
    """Names of a study's cells, and its rules."""

    axis: str = Field(description="the key of the matrix whose values are in a formula's brackets")
    places: tuple[str, ...] = Field(default=(), description="its values in order; default: as numbers")
    series: str = Field(description="the key of the matrix that distinguishes the cells")
    base: str = Field(description="short name of the cell with which the others are compared")
    cells: dict[str, str] = Field(description="values of `series` by short name")
    rules: tuple[Rule, ...] = Field(default=(), alias="rule")

    @model_validator(mode="after")
    def _base_is_a_cell(self) -> "Expected":
        if self.base not in self.cells:
            raise ValueError(f"base is {self.base!r}, which is not one of the cells")
        return self

    def rank(self, at: str) -> tuple[float, str]:
        """The sort key for the values of `axis`."""
        if at in self.places:
            return self.places.index(at), at
        try:
            return float(at), at
        except ValueError:
            return float("inf"), at


class Paper(Part):
    """The contents of a study's folder besides its matrix."""

    expected: Expected
    figures: tuple[Published, ...] = ()


def load(folder: Path) -> Paper | None:
    """The papers' side of a study; None if the folder has no rules. Raises UsageError for invalid files."""
    if not (folder / RULES).is_file():
        return None
    try:
        table = toml.read(folder / RULES)
        return Paper(expected=Expected.model_validate(table), figures=figures(folder / FIGURES))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"{folder}: {RULES} or {FIGURES} is invalid: {error}") from error


def figures(path: Path) -> tuple[Published, ...]:
    """The rows of a published.csv; none if there is no such file."""
    if not path.is_file():
        return ()
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(
            Published.model_validate({key: text for key, text in row.items() if text})
            for row in csv.DictReader(file)
        )
