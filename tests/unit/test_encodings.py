"""Texts that weft reads and writes are UTF-8 whatever the locale says: records, settings and logs move between machines."""

import ast
from collections.abc import Iterator

from weft.host import settings

WHOLE = {"read_text", "write_text"}
OPENED = {"open": 0, "fdopen": 1, "NamedTemporaryFile": 0}
"""What opens a file, and the place of its mode; `open(path, mode)` has it one later."""


def without_encoding(tree: ast.AST) -> Iterator[int]:
    """Lines of calls that leave the encoding of a text to the locale."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or "encoding" in {each.arg for each in node.keywords}:
            continue
        function = node.func
        name = getattr(function, "attr", getattr(function, "id", ""))
        owner = getattr(getattr(function, "value", None), "id", "")
        opened = name in OPENED and owner not in {"os", "tarfile"} and is_text(node, name)
        if name in WHOLE or opened:
            yield node.lineno


def is_text(call: ast.Call, name: str) -> bool:
    at = OPENED[name] + (name == "open" and isinstance(call.func, ast.Name))
    given = [each.value for each in call.keywords if each.arg == "mode"] or call.args[at : at + 1]
    if not given:
        return name != "NamedTemporaryFile"
    return isinstance(given[0], ast.Constant) and "b" not in str(given[0].value)


def test_no_text_has_the_encoding_of_the_locale() -> None:
    """Names of files have it, so that commands which print names, and job scripts, are left out."""
    root = settings.SOURCE / "src" / "weft"
    found = [
        f"{path.relative_to(root)}:{line}"
        for path in sorted(root.rglob("*.py"))
        for line in without_encoding(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []
