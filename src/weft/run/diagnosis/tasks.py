"""What logs have on tasks that failed: where, whether it is always the same one, and which process was lost with it."""

import re
from collections import Counter
from collections.abc import Iterator

from weft.facts import failures
from weft.facts.failures import Failure
from weft.run.diagnosis.program import EndedProgram
from weft.run.diagnosis.texts import Text

_CHANCE = 3
"""Failures of a task from which on it is not chance."""


def node_of(program: EndedProgram, line: str = "") -> str:
    """The node of the task that a line names; otherwise of the first that failed; or empty."""
    pattern = program.facts.failed
    named = re.search(pattern, line) if pattern else None
    matches = [*([named] if named else []), *(match for _, match in program.failed)]
    matches += [match for _, match in _placed(program)]
    if attempts := [match["attempt"] for match in matches if "attempt" in match.groupdict()]:
        return _node_of_attempt(program, attempts[0])
    hosts = [host.partition(":")[0] for match in matches if (host := match.groupdict().get("host"))]
    found = next(filter(None, (_node_at(program, host) for host in hosts)), "")
    return found or next((text.node for text, match in _placed(program) if not match.groupdict()), "")


def _node_of_attempt(program: EndedProgram, name: str) -> str:
    logs = (text for text in program.others if text.of == "task")
    return next((text.node for text in logs if any(name in line for line in text.lines)), "")


def _placed(program: EndedProgram) -> Iterator[tuple[Text, re.Match[str]]]:
    """The logs of daemons with lines on tasks that failed."""
    if pattern := program.facts.placed:
        for text in program.others:
            lines = text.lines if text.of == "daemon" else ()
            yield from ((text, match) for line in lines if (match := re.search(pattern, line)))


def _node_at(program: EndedProgram, host: str) -> str:
    nodes = program.layout.all_nodes
    return next((node.name for node in nodes if host == node.name or host in node.addresses), "")


def again(program: EndedProgram, found: Failure) -> str:
    """Whether it is one task of a stage again and again, whose others end; as text, or empty."""
    lines = program.logged.lines
    same = [
        match
        for i, match in program.failed
        if found.rule.pattern.search(lines[i]) and match.groupdict().get("task")
    ]
    if len(same) < _CHANCE or not program.facts.ended:
        return ""
    (stage, task), times = Counter((match["stage"], match["task"]) for match in same).most_common(1)[0]
    ended = (re.search(program.facts.ended, line) for line in lines)
    good = {match["task"] for match in ended if match and match["stage"] == stage} - {task}
    if times < _CHANCE or times * 2 <= len(same) or not good:
        return ""
    others = f"{len(good)} other{'s' if good - {min(good)} else ''}"
    return f": {times} times in task {task} of stage {stage}, of which {others} ended, so its data is skewed"


def lost(program: EndedProgram) -> tuple[int, str, str] | None:
    """The line of the program's log on the first process of tasks that was lost, its node, and how it ended."""
    pattern = program.facts.lost
    for index, line in enumerate(program.logged.lines if pattern else ()):
        if match := re.search(pattern, line):
            how = f"executor {match['name']} was lost, {failures.ended(int(match['code']), executor=True)}"
            return index, _node_at(program, match["host"]), how
    return None
