"""A study: a matrix of runs, from TOML or from a table."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from weft.errors import UsageError, why
from weft.record.record import LABEL
from weft.spec import cells
from weft.spec.keys import STUDY_KEYS
from weft.spec.messages import hint, say
from weft.spec.model import Spec
from weft.spec.parse import overridden, parse
from weft.text import toml


def _label(text: str) -> str:
    if not re.fullmatch(LABEL, text):
        raise ValueError(f"{text!r} is no label; use letters, digits and . : + - _, at most 64")
    return text


Label = Annotated[str, AfterValidator(_label)]


class Study(BaseModel):
    """A matrix of runs: a base table, lists of values to set in it, and the number of runs of each cell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    base: dict[str, Any]
    matrix: dict[str, list[Any]] = Field(default_factory=dict)
    exclude: list[dict[str, Any]] = Field(default_factory=list, description="combinations to skip")
    repeat: int = Field(default=1, ge=1, le=1000)
    shuffle_seed: int = Field(default=0, description="order of the runs; the same seed gives the same order")
    control: bool = Field(
        default=False, description="before each run, a second of known work, whose time its record keeps"
    )
    labels: tuple[Label, ...] = Field(default=(), description="what its runs are called")

    def cells(self) -> list[tuple[dict[str, Any], Spec]]:
        """Each combination of the matrix that is not excluded: its coordinates and its spec."""
        return [(dict(cell), spec) for cell, spec in self._cells]

    @cached_property
    def _cells(self) -> list[tuple[dict[str, Any], Spec]]:
        found = cells.combinations(self.matrix, self.exclude)
        parsed = [(cell, parse(self.base, self.settings(cell))) for cell in found]
        _require_different(parsed)
        return parsed

    def settings(self, coordinates: dict[str, Any]) -> dict[str, Any]:
        """The settings of a cell in addition to the base, by dotted key."""
        return cells.settings(self.matrix, coordinates)

    def table(self, coordinates: dict[str, Any]) -> dict[str, Any]:
        """The base with them: what alone makes the same run."""
        return overridden(self.base, self.settings(coordinates))


def _require_different(every: Sequence[tuple[dict[str, Any], Spec]]) -> None:
    """Raises UsageError for a cell that another one runs too: a finished run would count for both."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for cell, spec in every:
        if (other := first.setdefault((spec.key(), str(spec.secrets)), cell)) is not cell:
            same = " and ".join(", ".join(f"{key} = {one[key]!r}" for key in one) for one in (other, cell))
            raise UsageError(
                f"two cells of the matrix are the same run: {same}",
                hint="remove one of them; repeat = 2 runs each cell twice",
            )


def load(path: Path) -> Study:
    """A study from TOML: a spec's keys, `repeat`, `shuffle_seed`, `control`, a `[matrix]` of lists, and `[[exclude]]`."""
    name, table = read(path)
    return study_from(table, name=name, where=str(path))


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """The name and the table of a study in a TOML file, or in a folder with one."""
    file = path / "study.toml" if path.is_dir() else path
    try:
        table = toml.read(file)
    except OSError as error:
        raise UsageError(
            f"cannot read {file}: {why(error)}", hint="give a TOML file, or a folder with study.toml"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not TOML: it is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not TOML: {error}") from error
    return folder_name(path) if path.is_dir() else file.stem, table


def folder_name(folder: Path) -> str:
    """The name of the study in a folder, also of `weft run .`; a link has its own."""
    return (folder if folder.name not in {"", ".."} else folder.resolve()).name


def study_from(table: Mapping[str, Any], *, name: str, where: str = "") -> Study:
    """A study from a table; `where` names its file in errors, if it has one."""
    prefix = f"{where}: " if where else ""
    own = {key: table[key] for key in STUDY_KEYS if key in table}
    base = {key: value for key, value in table.items() if key not in STUDY_KEYS}
    try:
        study = Study(name=name, base=base, **own)
    except ValidationError as error:
        raise UsageError(f"{prefix}{say(error)}", hint=hint(error)) from error
    try:
        study.cells()
    except UsageError as error:
        raise UsageError(f"{prefix}{error.message}", hint=error.hint) from error
    return study
