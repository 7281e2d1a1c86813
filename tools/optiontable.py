"""Options of commands as rows of a table: how each is written, the type of its value, its default, its meaning."""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from weft.cli.command import written
from weft.spec.keys import describe
from weft.spec.model import Spec

HEAD = ("| option | type | default | meaning |", "|---|---|---|---|")
_IN_HELP = re.compile(r"[;,] default: (.+)$")
_TYPES = {bool: "flag", int: "whole number", float: "number"}
_VALUES = {
    "SIZE": "size",
    "TIME": "time",
    "PERCENT": "percentage",
    "N": "whole number",
    "NUMBERS": "whole numbers",
    "FILE": "file",
    "PATHS": "files",
    "JAVA": "directory",
    "PROGRAM": "file",
    "LOG": "file or directory",
    "STORAGE": "storage",
    "NODES": "nodes",
    "KEY=VALUE": "key and value",
    "NAME": "name",
    "[NAME]": "name",
    "NAME=FILES": "name and files",
    "RUN": "record",
    "RUN|LOG": "record or file",
}
"""By name of a value, what it is; a value of another name is text."""
_OF_SITE = ("engine", "nodes", "scratch")
"""Keys for which a site profile may have another default."""
_TAKEN = MappingProxyType(
    {
        ("weft submit", "--name"): "that of its file",
        ("weft submit", "--driver-memory"): "that of the engine",
        ("weft submit", "--executor-memory"): "that of the engine",
        ("weft submit", "--out"): "`result.parquet` in the record",
        ("weft report", "--out"): "`report.html` in the record",
        ("weft predict", "--out"): "`prediction.html` in the record",
        ("weft predict", "--scratch"): "that of the run",
        ("weft predict", "--input"): "that of the run",
        ("weft predict", "--output"): "that of the run",
        ("weft predict", "--size"): "that of the run",
        ("weft predict", "--partitions"): "worked out from the run",
        ("weft predict", "--cores"): "those of the machine, or of the run",
        ("weft calibrate", "--nodes"): "`local:2`, or that of the site profile",
        ("weft calibrate", "--scratch"): "`disk`",
        ("weft doctor", "--nodes"): "this machine",
        ("weft survey", "--scratch"): "`disk,memory`",
        ("weft runs", "--last"): "all",
        ("", "--size"): "that of the workload",
        ("", "--repeat"): "`1`, or that of the study",
        ("", "--partition"): "that of the site profile",
        ("", "--account"): "that of the site profile",
        ("", "--time"): "that of the site profile",
        ("", "[NAME]"): "the only one that runs",
    }
)
"""By command, or for each, and option: what is taken where code has no value."""


def rows(name: str, command: Any) -> Iterator[str]:
    """The table's lines; none for a command without options."""
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    if shown:
        yield from HEAD
    for each in shown:
        yield f"| {_code(written(each))} | {_type(each)} | {_default(name, each)} | {cell(_meaning(each))} |"


def _type(parameter: Any) -> str:
    """What kind of value it takes; of a list, each."""
    described = parameter.type_descriptor
    several = parameter.multiple if parameter.param_type_name == "option" else parameter.nargs != 1
    if described.choices:
        found = "one of these"
    else:
        metavar = parameter.metavar.removesuffix(",...").removesuffix(" ...")
        found = _TYPES.get(described.annotation) or _VALUES.get(metavar, "text")
    bounds = [
        f"at {word} {bound}"
        for word, bound in (("least", _bound(parameter, "min")), ("most", _bound(parameter, "max")))
        if bound is not None
    ]
    return ", ".join([found, *bounds]) + ("; several" if several else "")


def _bound(parameter: Any, name: str) -> float | None:
    found: float | None = getattr(parameter, name, None)
    return found


def _default(name: str, parameter: Any) -> str:
    """What holds without it."""
    option = parameter.opts[-1] if parameter.param_type_name == "option" else parameter.metavar
    if parameter.required:
        return "required"
    if parameter.default not in (None, ""):
        value = parameter.default
        return ("on" if value else "off") if isinstance(value, bool) else _code(str(value))
    if inside := _IN_HELP.search(parameter.help or ""):
        return cell(inside[1])
    if taken := _TAKEN.get((name, option)) or _TAKEN.get(("", option)):
        return taken
    return _of_spec(parameter) if name in {"weft run", "weft submit", "weft up"} else "none"


def _of_spec(parameter: Any) -> str:
    """The default of a key of every run."""
    (found,) = [key.default for key in describe(Spec) if key.name == parameter.name] or [""]
    if not found:
        return "none"
    other = ", or that of the site profile" if parameter.name in _OF_SITE else ""
    return f"{_code(found)}{other}"


def _meaning(parameter: Any) -> str:
    return _IN_HELP.sub("", parameter.help or "")


def _code(text: str) -> str:
    return f"`{text}`"


def cell(text: str) -> str:
    """Text that is a cell of a table."""
    return escaped(" ".join(text.split())).replace("|", "\\|")


def escaped(text: str) -> str:
    """As text, outside of code: Markdown would take some of its characters for marks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if at % 2 else re.sub(r"([*_<\[\]])", r"\\\1", part) for at, part in enumerate(parts))
