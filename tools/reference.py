"""Reference pages from definitions: commands, keys, and the classes that an adapter is made of."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import optiontable
from optiontable import cell, escaped

from weft.cli.verbs import VERBS, load
from weft.host import settings
from weft.spec.keys import describe
from weft.spec.model import FAMILIES, Spec

MODULES = (
    "adapters/storage/base", "adapters/nodes/base", "adapters/engines/base", "adapters/workloads/base", "adapters/probes/base", "adapters/services/base",
    "layout/node", "layout/plan", "layout/job", "layout/places", "layout/endpoint", "layout/members",
)  # fmt: skip
"""What CONTRIBUTING.md's examples import."""


def commands() -> str:
    """Every verb with its options."""
    about = (
        "What `weft COMMAND --help` and the man pages say, with types and defaults. A size is written as `512MB` or"
        " `2GiB`, a time as `500ms`, `90s` or `8h`."
    )
    lines = ["# Commands", "", about]
    for name in VERBS:
        command = load(name)
        lines += [*_command(f"weft {name}", command)]
        for below, each in getattr(command, "commands", {}).items():
            lines += _command(f"weft {name} {below}", each)
    return "\n".join([*lines, ""])


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"\n## {name}\n"
    for paragraph in (command.help or "").replace("\b", "").strip().split("\n\n"):
        text = " ".join(paragraph.split())
        example = text.removeprefix("Example: ")
        yield f"{escaped(text)}\n" if example == text else f"```\n{example}\n```\n"
    yield from optiontable.rows(name, command)


def keys() -> str:
    """Every key that can be set, with its default and its meaning."""
    about = "The same as `weft settings KIND`. `--set KEY=VALUE` sets a key; in TOML, it is in the table of its family."
    lines = ["# Keys", "", about, "", "## Every run", "", *_table(describe(Spec))]
    seen: set[type] = set()
    for family, kinds in FAMILIES.items():
        fresh = {kind: model for kind, model in kinds.items() if model not in seen}
        shown = {kind: model for kind, model in fresh.items() if getattr(model, "configurable", True)}
        seen.update(fresh.values())
        if shown:
            lines += [
                "",
                f"## {'Storage: input, output, scratch' if family == 'input' else family.capitalize()}",
            ]
        for kind, model in shown.items():
            lines += [
                "",
                f"### {kind}",
                "",
                escaped(_first(model.__doc__ or "")),
                "",
                *_table(describe(model)),
            ]
    return "\n".join([*lines, ""])


def _table(found: Sequence[Any]) -> list[str]:
    rows = [f"| {_code(key.name)} | {_code(key.default)} | {cell(key.description)} |" for key in found]
    return ["| key | default | meaning |", "|---|---|---|", *rows] if rows else ["It has no keys."]


def adapters() -> str:
    """The public classes and functions of each family's base, from their docstrings."""
    lines = [
        "# Classes of adapters",
        "",
        "[Contributing](../CONTRIBUTING.md#add-an-adapter) has a worked example of each.",
    ]
    for module in MODULES:
        tree = ast.parse((settings.PACKAGE / f"{module}.py").read_text())
        lines += ["", f"## weft.{module.replace('/', '.')}", "", escaped(ast.get_docstring(tree) or "")]
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                lines += ["", f"### {node.name}", "", _text(node), *_members(node)]
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                lines += ["", f"### {node.name}", "", f"```python\n{_signature(node)}\n```", "", _text(node)]
    return "\n".join([*lines, ""])


def _members(node: ast.ClassDef) -> Iterator[str]:
    """Methods with their signatures, fields with the strings below them."""
    for each, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
            yield from ("", f"```python\n{_signature(each)}\n```", "", _text(each))
        elif isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_"):
            below = (
                after.value.value
                if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                else ""
            )
            yield from ("", f"```python\n{ast.unparse(each)}\n```", "", escaped(str(below)))


def _signature(node: ast.FunctionDef) -> str:
    marks = [f"@{ast.unparse(one)}" for one in node.decorator_list]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return "\n".join([*marks, f"def {node.name}({ast.unparse(node.args)}){returns}"])


def _text(node: ast.ClassDef | ast.FunctionDef) -> str:
    return escaped(ast.get_docstring(node) or "")


def _first(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split())


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
