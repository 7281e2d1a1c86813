"""The exception that ended a program, and the tasks that its log says failed."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from zipfile import ZipFile

from weft.errors import FailureEvidence
from weft.facts import engines, failures
from weft.facts.enginefacts import TaskLog
from weft.facts.failures import Failure, Role
from weft.host.cause import CHAINED, Ended, ended, ends_in_python
from weft.layout.plan import Layout
from weft.run.diagnosis import texts
from weft.run.diagnosis.texts import Text, short
from weft.text.zips import DAMAGED

_DATED = re.compile(r"\d{4}-\d\d-\d\d ")
_PLACE = re.compile(r" \([^()]+, line \d+\)$")
_PACKAGE = re.compile(r"^(?:[a-z_]\w*\.)+(?=[A-Z])")
"""Of the class of an exception."""
_CHAINED = re.compile(rf"^({'|'.join(CHAINED.values())})(?:[a-z_]\w*\.)+(?=[A-Z])")
"""The same, of the one before it."""


@dataclass
class EndedProgram:
    """A program that has ended, by its log and the file of its output."""

    layout: Layout
    log: Path
    output: Path | None
    since: Mapping[Path, int]
    """How long each log was when it began."""
    jar: Path | None = None
    """The jar that it is, if it is a user's."""

    @property
    def facts(self) -> TaskLog:
        return engines.of(self.layout.engine).tasks

    def text(self, path: Path) -> Text:
        return texts.read(path, self.layout.record, self.since.get(path, 0))

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes of its jar, without those that are nested in others."""
        with suppress(*DAMAGED):
            if self.jar is not None:
                with ZipFile(self.jar) as jar:
                    names = [name for name in jar.namelist() if name.endswith(".class")]
                return frozenset(re.split(r"[$.]", name)[0].replace("/", ".") for name in names)
        return frozenset()

    @cached_property
    def logged(self) -> Text:
        return self.text(self.log)

    @property
    def printed(self) -> list[Text]:
        """All that it wrote."""
        return [self.logged, *([self.text(self.output)] if self.output else [])]

    @cached_property
    def own(self) -> Text:
        """Where its exception is: spark-submit gives a Python program's standard error to its standard output."""
        if self.output is not None and ends_in_python(self.output):
            return self.text(self.output)
        return self.logged

    @cached_property
    def others(self) -> list[Text]:
        """The other logs of the run."""
        return texts.others(self.layout.record, self.log, self.since)

    @cached_property
    def _stop(self) -> str:
        """When it began to end all its processes; empty: it did not, or its log does not say so."""
        pattern, lines = self.facts.stops, self.logged.lines
        begin = next((i for i, line in enumerate(lines if pattern else ()) if re.search(pattern, line)), None)
        return "" if begin is None else self.logged.time(begin)

    def _after_its_stop(self, text: Text, index: int) -> bool:
        """Whether an error of another process may be a consequence of that."""
        if text is self.logged or not self._stop:
            return False
        until, stop = texts.comparable([text.until(index) or self._stop, self._stop])
        # an executor that still boots then dies with an exception that has no time of its own
        return until > stop or (not text.stamped(index) and until == stop)

    @cached_property
    def failed(self) -> Sequence[tuple[int, re.Match[str]]]:
        """Lines of its log on tasks that failed."""
        pattern = self.facts.failed
        found = enumerate(self.logged.lines) if pattern else ()
        return [(i, match) for i, line in found if (match := re.search(pattern, line))]

    @cached_property
    def end(self) -> Ended:
        if self.facts.block and self.failed:
            return self._of_task(self.failed[0][0])
        return ended(self.own.lines, self.classes)

    def _of_task(self, index: int) -> Ended:
        """The exception of a task that the program printed below this line."""
        block = [*takewhile(lambda line: not _DATED.match(line), self.own.lines[index + 1 :])]
        found, begin = ended(block, self.classes), index + 1
        says = found.exception or next((line.strip() for line in block if line.strip()), "")
        end = begin + (found.end if found.exception else len(block))
        return Ended(says, found.shown, begin, end, found.earlier, certain=bool(says))

    @property
    def trace(self) -> Sequence[str]:
        return self.own.lines[self.end.begin : self.end.end]

    @cached_property
    def role(self) -> Role:
        """Whose failure its exception is: its own, or that of a task."""
        pattern = self.facts.failed
        if self.facts.block and self.failed:
            return "task"
        # the name of a Python exception comes before the trace that it carries
        lines = self.own.lines[max(0, self.end.begin - 1) : self.end.end]
        return "task" if pattern and any(re.search(pattern, line) for line in lines) else "driver"

    @property
    def place(self) -> str:
        """The user's own file and line, as text."""
        match = _PLACE.search(self.end.exception)
        return match[0] if match else ""

    def named(self) -> Failure | None:
        """What its exception means."""
        found = failures.named(self.trace, self.role) if self.end.exception else None
        return replace(found, line=self.end.begin + found.line) if found else None

    def quoted(self) -> tuple[str, int]:
        """Its exception in a line, and where that is."""
        words = self.end.exception.partition(" (")[0][:80]
        lines = range(self.end.end - 1, self.end.begin - 1, -1)
        index = next((i for i in lines if words in self.own.lines[i]), self.end.begin)
        says = self.end.exception.removesuffix(self.place)
        if task := re.search(self.facts.failed, says) if self.facts.failed else None:
            says = says[task.end() :] or says  # that of the task, without how the job ended
        return short(_PACKAGE.sub("", says)) + self.place + _CHAINED.sub(r"\1", self.end.earlier), index

    def first_error(self) -> FailureEvidence | None:
        """The first error in time of all logs; without one, the last line that it printed."""
        logs = [self.logged, *self.others]
        errors = [
            (text.time(i), i, text)
            for text in logs
            if (i := text.first_error()) is not None and not self._after_its_stop(text, i)
        ]
        if errors:
            _, index, text = texts.earliest(errors, lambda each: each[:2])
            return text.evidence(index)
        printed = self.text(self.output) if self.output is not None else self.logged
        last = printed.last() if self.output is not None else None
        return None if last is None else printed.evidence(last)
