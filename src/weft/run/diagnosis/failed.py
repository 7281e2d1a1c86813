"""The error of a program that failed: what, on which node, why; then the evidence; then one remedy."""

import zipfile
from dataclasses import replace
from pathlib import Path

from weft.errors import WorkloadError
from weft.facts import failures
from weft.layout.plan import Command
from weft.run.diagnosis.why import Why

_LINES = 8
"""Lines of a log in a message."""


def failed(title: str, command: Command, why: Why, code: int | None, log: Path) -> WorkloadError:
    """`code`: with which it ended; None if weft ended it."""
    why = _with_jar(why, command)
    node = why.node or command.node.name
    ends = "" if code is None else f" with exit code {code}"
    if why.says:
        message = f"{title} failed on {node}: {why.says}"
    else:
        message = f"{title} failed on {node}{ends}: {_unknown(why, command)}"
    tail = [f"{why.evidence.where}: {why.evidence.excerpt}"] if why.evidence else []
    tail += [line for line in why.lines if not why.evidence or line.strip() != why.evidence.excerpt]
    error = WorkloadError(
        message,
        tail=tail[:_LINES],
        hint=why.hint or f"the whole log is {log}",
        # the exit code of a user's own program is that of weft
        exit_code=code if command.output is not None and code else None,
    )
    error.evidence = why.evidence
    return error


def _unknown(why: Why, command: Command) -> str:
    if why.evidence is None:
        return "why is not known, and no log has an error"
    last = command.output is not None and why.evidence.file.endswith(command.output.name)
    what = "the last line of its output" if last else "the first error in time"
    return f"why is not known; {what} is {why.evidence.excerpt!r}"


def _with_jar(why: Why, command: Command) -> Why:
    """A class that is missing is missing in a jar, which may be damaged."""
    jars = [word for word in command.argv if word.endswith(".jar") and Path(word).is_file()]
    if not jars or why.evidence is None or why.evidence.rule not in {"main-class", "class"}:
        return why
    if zipfile.is_zipfile(jars[-1]):
        return replace(why, says=f"{why.says} ({jars[-1]})")
    rule = next(rule for rule in failures.listed() if rule.name == "jar")
    evidence = replace(why.evidence, rule=rule.name)
    return replace(why, says=f"the jar {jars[-1]} is damaged", hint=rule.hint, evidence=evidence)
