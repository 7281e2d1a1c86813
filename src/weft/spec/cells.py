"""The cells of a study: every combination of its matrix except the excluded ones.

A value of the matrix is set at its key. A table with a `name` is a case: the study uses its name,
and its other keys are set together.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from weft.errors import UsageError
from weft.text.nearest import nearest

Matrix = Mapping[str, Sequence[Any]]
Coordinates = dict[str, Any]
"""By key of the matrix: the value, or the name of the case."""


def combinations(matrix: Matrix, exclude: Sequence[Mapping[str, Any]] = ()) -> list[Coordinates]:
    """The coordinates of each cell. Raises UsageError for an exclusion without effect, and if no cell is left."""
    for number, one in enumerate(exclude, start=1):
        _require_known(one, matrix, f"exclude {number}")
    names = {key: [_name(value) for value in values] for key, values in matrix.items()}
    for key, named in names.items():
        if twice := [name for i, name in enumerate(named) if name in named[:i]]:
            raise UsageError(f"matrix.{key} has {twice[0]!r} twice", hint="list each value or name once")
    found = [dict(zip(matrix, cell, strict=True)) for cell in product(*names.values())]
    left = [cell for cell in found if not any(_fits(cell, one) for one in exclude)]
    if not left:
        raise UsageError("the matrix has no cells", hint="check its lists and exclusions")
    return left


def settings(matrix: Matrix, coordinates: Coordinates) -> dict[str, Any]:
    """The settings of a cell: dotted keys of the spec and their values, with a case's keys instead of its name."""
    found: dict[str, Any] = {}
    for key, name in coordinates.items():
        value = next(value for value in matrix[key] if _name(value) == name)
        if _is_case(value):
            found |= {own: inner for own, inner in value.items() if own != "name"}
        else:
            found[key] = value
    return found


def _is_case(value: Any) -> bool:
    return isinstance(value, Mapping) and "name" in value


def _name(value: Any) -> Any:
    return value["name"] if _is_case(value) else value


def _fits(cell: Coordinates, excluded: Mapping[str, Any]) -> bool:
    return all(cell[key] in _listed(values) for key, values in excluded.items())


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _require_known(excluded: Mapping[str, Any], matrix: Matrix, where: str) -> None:
    if not excluded:
        raise UsageError(f"{where} names no key of the matrix", hint="write key = value, or key = [values]")
    for key, values in excluded.items():
        if key not in matrix:
            raise UsageError(
                f"{where}: {key!r} is not a key of the matrix",
                hint=nearest(key, list(matrix)) if matrix else "there is no [matrix]",
            )
        known = [_name(value) for value in matrix[key]]
        for value in _listed(values):
            if value not in known:
                listed = [str(each) for each in known]
                raise UsageError(f"{where}: matrix.{key} has no {value!r}", hint=nearest(str(value), listed))
