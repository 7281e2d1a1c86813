"""weft's own modules as syntax trees, each parsed once a process: many tests read all of them."""

import ast
from functools import cache
from pathlib import Path


@cache
def text(path: Path) -> str:
    return path.read_text()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All of a module, in no order that a test may rely on."""
    return list(ast.walk(tree(path)))
