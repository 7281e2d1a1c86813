"""Why a program failed: what is certain first, then what other logs have, and otherwise the first error in time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from weft.errors import FailureEvidence
from weft.facts import engines, failures
from weft.facts.failures import Failure, FailureRule, Role
from weft.host.cause import ended
from weft.run.diagnosis import tasks
from weft.run.diagnosis.kernel import Kernel
from weft.run.diagnosis.program import EndedProgram
from weft.run.diagnosis.texts import Text, earliest, short

_FOLLOWING = 30
"""Lines after one that names a reason which may say more."""
_SCRATCH = re.compile(r"\.shuffle\.|storage\.Disk|unsafe\.sort|MapOutputBuffer|mapred\.Merger|[sS]pill")
"""Frames of what engines write to the scratch."""
_PRIOR = re.compile("may have been caused by a prior exception|Executor: Exception in task")
"""What Spark logs of a Python worker whose input failed, before the exception (PythonRunner.scala, Executor.scala)."""
_OF_CHILDREN = ("streaming", "task-failed")
"""Rules that say only that a task failed, of which the program that it started may have left the reason in its own log."""
_NEXT = 60
"""Lines in which that exception is."""
_KERNEL = "`dmesg -T` on the node shows what the kernel killed"
_MORE_MEMORY = "--nodes KIND:N,memory=SIZE gives nodes more; or lower the memory of executors, which leaves more to others"


@dataclass(frozen=True)
class Why:
    """The reason, as far as it is known."""

    says: str = ""
    """In a few words, without the node; empty: nobody knows."""
    node: str = ""
    """Where, if it is another node than the program's."""
    hint: str = ""
    evidence: FailureEvidence | None = None
    lines: Sequence[str] = ()
    """Of the log, which show it."""


@dataclass
class Case:
    """A program that ended, and what its cluster's kernels counted meanwhile."""

    program: EndedProgram
    kernel: Kernel

    def reason(self, code: int, lost: Sequence[str]) -> Why:
        """Why it ended with this exit code; `lost`: daemons that ended meanwhile, as text."""
        program, found = self.program, self.program.named()
        if found and not found.rule.follows:
            return self._why(found, program.own, program.role)
        if not found and program.end.exception and program.end.certain:
            says, index = program.quoted()
            node = tasks.node_of(program) if program.role == "task" else ""
            return Why(says, node, "", program.own.evidence(index, node=node), program.end.shown)
        return self.elsewhere(found) or self._consequence(found, code, lost)

    def _ended_itself(self) -> Why | None:
        """What ended the program without an exception, as it printed: a JVM that crashed, or never started."""
        for text in self.program.printed:
            if found := failures.named(text.lines, "driver", _ending()):
                return self._why(found, text, "driver")
        return None

    def never(self, found: Failure, text: Text) -> Why:
        """What it waits for, and why that does not happen."""
        known = self._why(found, text, text.of)
        other = self.elsewhere(found) if found.rule.follows else None
        return replace(other, says=f"{known.says}: {other.says}") if other else known

    def elsewhere(self, found: Failure | None) -> Why | None:
        """What other processes or the kernel had before; `found`: what followed from it."""
        killed = self.kernel.killed()
        if killed and killed.certain:
            return Why(killed.says, killed.evidence.node, _MORE_MEMORY, killed.evidence)
        if own := self._ended_itself():
            return own
        if found and found.rule.name in _OF_CHILDREN and (raised := self._raised()):
            return raised
        for role in ("task", "daemon"):
            if hits := list(self._hits(role, found)):
                _, text, other = earliest(hits, lambda hit: hit[0])
                return self._why(other, text, text.of)
        if killed and (found is None or "killed" in found.says):
            says = f"{found.says}; {killed.says}" if found else killed.says
            return Why(says, "", _KERNEL, killed.evidence)
        return None

    def _raised(self) -> Why | None:
        """The first exception of Python in time that ended a program which a task had started."""
        ends = [(text, ended(text.lines)) for text in self.program.others if text.of == "task"]
        certain = [(text, end) for text, end in ends if end.exception and end.certain]
        if not certain:
            return None
        text, end = earliest(certain, lambda each: (each[0].until(each[1].begin), 0))
        if known := failures.named(text.lines[end.begin : end.end], "task"):
            return self._why(replace(known, line=end.begin + known.line), text, "task")
        return Why(short(end.exception) + end.earlier, text.node, "", text.evidence(end.end - 1), end.shown)

    def _hits(self, role: Role, followed: Failure | None) -> Iterator[tuple[tuple[str, int], Text, Failure]]:
        worker = followed is not None and followed.rule.name == "python-worker"
        prior = [rule for rule in failures.listed() if worker and not rule.follows]
        for text in self.program.others:
            for index, line in enumerate(text.lines if text.of == role else ()):
                following = text.lines[index + 1 : index + _NEXT]
                if prior and _PRIOR.search(line) and (found := failures.named(following, role, prior)):
                    found = replace(found, line=index + 1 + found.line)
                    yield (text.time(index), index), text, found
            if text.of == role and (found := failures.named(text.lines, role, _ending())):
                yield (text.time(found.line), found.line), text, found

    def _why(self, found: Failure, text: Text, role: Role) -> Why:
        program, rule, says, node = self.program, found.rule, found.says, text.node
        if role == "task" and text.of == "driver":
            node = tasks.node_of(program, text.lines[found.line])
        if rule.name == "no-space":
            full, where = self._full(text, found.line, node)
            says, node = full or says, where or node
        says += tasks.again(program, found) if role == "task" and "heap" in rule.name else ""
        says = (says + _detail(found, text)).rstrip(": ")
        says += program.place if text is program.own else ""
        shown = program.end.shown if text is program.own else text.lines[found.line : found.line + 1]
        return Why(
            says, node, self._hint(rule.hint), text.evidence(found.line, rule.name, node, found.words), shown
        )

    def _full(self, text: Text, line: int, node: str) -> tuple[str, str]:
        """Which file system was full, as text, and on which node."""
        says, where = self.kernel.full()
        frames = text.lines[line : line + _FOLLOWING]
        if (
            not says
            and any(map(_SCRATCH.search, frames))
            and (place := self.program.layout.places.get("scratch"))
        ):
            return f"the scratch ({place.description}) was full", node
        return says, where

    def _consequence(self, found: Failure | None, code: int, lost: Sequence[str]) -> Why:
        """What is known: how the program or an executor ended; or the first error in time."""
        program = self.program
        if lost:
            says = "; ".join([lost[0], *([found.says] if found else [])])
            return Why(says, "", "`weft show` lists what was lost, and when", program.first_error())
        if found:
            return self._with_lost_executor(found) or self._why(found, program.own, program.role)
        if (ended := failures.ended(code)).startswith("it was killed"):
            return Why(ended, "", _KERNEL, program.first_error())
        return Why("", "", "", program.first_error(), program.end.shown)

    def _with_lost_executor(self, found: Failure) -> Why | None:
        """What followed from the loss of an executor, with how the first one ended."""
        if (first := tasks.lost(self.program)) is None:
            return None
        index, node, how = first
        says = how if found.rule.of_executor else f"{how}; {found.says}"
        evidence = self.program.logged.evidence(index, found.rule.name, node)
        return Why(says, node, found.rule.hint, evidence, self.program.end.shown)

    def _hint(self, hint: str) -> str:
        facts = engines.of(self.program.layout.engine)
        memory = f"--set engine.{facts.memory_key}=SIZE" if facts.memory_key else "a larger node"
        return hint.replace("{memory}", memory).replace("{modules}", facts.modules)


@cache
def _ending() -> Sequence[FailureRule]:
    return [rule for rule in failures.listed() if rule.ends]


def _detail(found: Failure, text: Text) -> str:
    """What one of the next lines says more exactly."""
    if found.rule.detail is None:
        return ""
    following = text.lines[found.line + 1 : found.line + _FOLLOWING]
    return next(
        (f": {match[1].strip()}" for line in following if (match := found.rule.detail.search(line))), ""
    )
