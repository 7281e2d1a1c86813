"""A program from its begin: what its logs and the kernels had then, so that what came since is its own."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft.errors import ClusterError, FailureEvidence
from weft.layout.plan import Command, Layout
from weft.record import record as records
from weft.run.diagnosis import texts
from weft.run.diagnosis.kernel import Kernel
from weft.run.diagnosis.program import EndedProgram
from weft.run.diagnosis.waits import Hopeless
from weft.run.diagnosis.why import Case, Why


@dataclass
class ObservedProgram:
    """A program of a run, since it began."""

    layout: Layout
    kernel: Kernel
    since: Mapping[Path, int]
    """How long each log was then."""
    began: float = field(default_factory=time.time)
    """Seconds since the epoch."""

    @classmethod
    def of(cls, layout: Layout) -> "ObservedProgram":
        return cls(layout, Kernel.of(layout), texts.sizes(layout.record))

    def why(
        self, command: Command, log: Path, output: Path | None, code: int, lost: Sequence[str] = ()
    ) -> Why:
        """Why a program ended with an exit code other than 0; `lost`: daemons that ended meanwhile, as text."""
        jars = [
            Path(word) for word in command.argv if word.endswith(".jar") and Path(word).name == command.title
        ]
        return self._case(log, output, *jars[:1]).reason(code, lost)

    def waited(self, hopeless: Hopeless, log: Path) -> Why:
        """Why a program was ended that waited for what never happens."""
        return self._case(log, None).never(hopeless.found, hopeless.text)

    def ended(self, error: ClusterError, title: str, log: Path) -> ClusterError:
        """The end of the cluster, with the reason that its logs or the kernel have."""
        found = self._case(log, None).elsewhere(None)
        node, says = (found.node, found.says) if found else self._lost()
        if says:
            error.message = f"{title} failed on {node or self.layout.head.name}: {says}; {error.message}"
        if found and found.evidence:
            error.evidence, error.hint = found.evidence, found.hint or error.hint
            error.tail = (f"{found.evidence.where}: {found.evidence.excerpt}", *error.tail)
        return error

    def last_line(self, log: Path, output: Path | None) -> FailureEvidence | None:
        """What a program printed last before its time was over, or without output what it logged."""
        for path in filter(None, (output, log)):
            text = texts.read(path, self.layout.record, self.since.get(path, 0))
            if (last := text.last()) is not None:
                return text.evidence(last, "time-limit")
        return None

    def _case(self, log: Path, output: Path | None, jar: Path | None = None) -> Case:
        return Case(EndedProgram(self.layout, log, output, self.since, jar), self.kernel)

    def _lost(self) -> tuple[str, str]:
        """The node of the first daemon that ended, and how; empty if the record has none."""
        events = records.read(self.layout.record).events()
        lost = [event for event in events if event["event"] == "daemon-lost" and event["t"] >= self.began]
        return next(((e["node"], f"{e['daemon']} ended ({e['how']})") for e in lost), ("", ""))
