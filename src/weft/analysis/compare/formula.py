"""Formulas over the cells of a study, `lustre[2] / memory[2]` or `lustre[spark]`: medians, multiplied and divided."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.analysis.compare import statistics
from weft.analysis.compare.estimate import Estimate
from weft.errors import UsageError

Cell = tuple[str, str]
"""Short name of the cell, and its value on the axis: the name `lustre[2]`."""


def cells(text: str) -> list[Cell]:
    """The cells that a formula uses. Raises UsageError for anything but products and quotients of cells."""
    found: list[Cell] = []

    def note(cell: Cell) -> float:
        found.append(cell)
        return 1.0

    _work_out(_tree(text), text, note)
    return list(dict.fromkeys(found))


def estimate(text: str, times: Mapping[Cell, Sequence[float]]) -> Estimate | None:
    """The formula's value for the medians, with its interval; None if a cell has no valid run."""
    named = cells(text)
    if any(not times.get(cell) or min(times[cell]) <= 0 for cell in named):
        return None
    tree = _tree(text)
    return statistics.combined(
        {cell: times[cell] for cell in named},
        lambda medians: _work_out(tree, text, lambda cell: medians[cell]),
    )


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise UsageError(f"{text!r} is not a formula: {error.msg}", hint=_HINT) from error


_HINT = "write cells as name[position on the axis], combined with *, / and parentheses"


def _work_out(tree: ast.expr, text: str, value: Callable[[Cell], Any]) -> Any:
    match tree:
        case ast.BinOp(left, ast.Div(), right):
            return _work_out(left, text, value) / _work_out(right, text, value)
        case ast.BinOp(left, ast.Mult(), right):
            return _work_out(left, text, value) * _work_out(right, text, value)
        case ast.Subscript(ast.Name(name), ast.Constant(at) | ast.Name(at)):
            return value((name, str(at)))
    raise UsageError(f"{text!r} is not a formula over cells", hint=_HINT)
