"""Man pages, from the definitions of the commands: what `--help` shows, in the form of man(7)."""

from collections.abc import Iterator
from typing import Any

from weft import __version__
from weft.cli.command import written
from weft.cli.verbs import VERBS, line, load


def pages() -> dict[str, str]:
    """By file name: weft.1, and one page for each verb."""
    commands = {name: load(name) for name in VERBS}
    found = {"weft.1": _overview()}
    for name, command in commands.items():
        found[f"weft-{name}.1"] = _page(f"weft {name}", command)
    return found


def _overview() -> str:
    verbs = [f".TP\n\\fBweft {name}\\fR\n{_plain(line(name))}" for name in VERBS]
    see = ", ".join(f"\\fBweft\\-{name}\\fR(1)" for name in VERBS)
    summary = "run data engines on HPC machines, and see where the time goes"
    return "\n".join([*_head("weft", summary), ".SH COMMANDS", *verbs, ".SH SEE ALSO", see, ""])


def _page(name: str, command: Any) -> str:
    text = (command.help or "").replace("\b", "").strip()
    summary, _, rest = text.partition("\n")
    usage = (
        command.make_context(name, [], resilient_parsing=True).get_usage() if _plain_command(command) else ""
    )
    lines = [*_head(name, summary.rstrip("."))]
    lines += [".SH SYNOPSIS", _plain(usage.removeprefix("Usage: "))] if usage else []
    lines += [".SH DESCRIPTION", *_paragraphs(text if not rest else f"{summary}\n{rest}")]
    lines += _options(command)
    for sub, each in getattr(command, "commands", {}).items():
        lines += [
            f".SH {name} {sub}".upper(),
            *_paragraphs(each.help or ""),
            *_options(each, section=".SS OPTIONS"),
        ]
    return "\n".join([*lines, ".SH SEE ALSO", "\\fBweft\\fR(1)", ""])


def _plain_command(command: Any) -> bool:
    return not hasattr(command, "commands")


def _head(name: str, summary: str) -> list[str]:
    title = name.replace(" ", "-")
    return [
        f'.TH {title.upper()} 1 "" "weft {__version__}" "weft"',
        ".SH NAME",
        f"{_plain(title)} \\- {_plain(summary)}",
    ]


def _options(command: Any, section: str = ".SH OPTIONS") -> list[str]:
    rows = [row for row in map(_option, command.params) if row]
    return [section, *rows] if rows else []


def _option(parameter: Any) -> str:
    if getattr(parameter, "hidden", False):
        return ""
    return f".TP\n\\fB{_plain(written(parameter))}\\fR\n{_plain(getattr(parameter, 'help', None) or '')}"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        yield _plain(" ".join(paragraph.split()))


def _plain(text: str) -> str:
    """With the characters that roff would interpret."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped
