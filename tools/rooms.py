"""Counts the rooms of a package, its floors and the imports between rooms: the figures of docs/decisions/0046.

usage: tools/python requirements-dev.lock tools/rooms.py [FOLDER]    default: src/weft

A room is a folder or a module directly below the package, an arrow a pair of rooms of which one imports the other, and a floor
a step of the longest chain of arrows. Imports inside of functions count, those for type checkers alone do not.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path


def main(package: Path) -> None:
    print(f"{sum(len(path.read_text().splitlines()) for path in package.rglob('*.py'))} lines of Python")
    for folder in (package, package / "analysis", package / "report"):
        if folder.is_dir():
            arrows = {arrow for path in folder.rglob("*.py") for arrow in imports(path, folder, package)}
            rooms = {room(path.relative_to(folder)) for path in folder.rglob("*.py")} - {"__init__"}
            print(f"{folder}: {len(rooms)} rooms, {floors(rooms, arrows)} floors, {len(arrows)} arrows")


def room(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def imports(path: Path, folder: Path, package: Path) -> Iterator[tuple[str, str]]:
    """The room of a file, with each other one that it imports."""
    here, tree = room(path.relative_to(folder)), ast.parse(path.read_text())
    checked = {id(inner) for node in ast.walk(tree) if is_for_types(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in checked:
            for name in node.names:
                found = package.parent.joinpath(*f"{node.module}.{name.name}".split("."))
                if found.is_relative_to(folder) and found != folder:
                    there = room(found.relative_to(folder))
                    if there != here and any(folder.glob(f"{there}*")):
                        yield here, there


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def floors(rooms: set[str], arrows: set[tuple[str, str]]) -> int:
    @cache
    def height(one: str) -> int:
        return 1 + max((height(there) for here, there in arrows if here == one), default=0)

    return max(map(height, rooms))


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else "src/weft"))
