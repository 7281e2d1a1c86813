"""Run the programs of a workload, and check the cluster meanwhile."""

import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.adapters.workloads.base import Outcome
from weft.errors import WorkloadError
from weft.facts import engines
from weft.host import shell, signals
from weft.host.shell import Process
from weft.layout.plan import Command, Layout
from weft.run.cluster import Cluster
from weft.run.failed import why
from weft.run.progress import Progress, forwarded

_SHARED = 10.0
"""Seconds until a file that another host wrote is visible here, if a network file system caches metadata."""
_CLASS = re.compile(r"Failed to load class|find or load main class|ClassNotFoundException")
_PROGRESS = re.compile(r"progress: (\d+) (\d+)")


@dataclass
class Running:
    """A command that has been started."""

    command: Command
    process: Process
    record: Path
    printed: int = 0
    """Bytes of its output that were forwarded."""
    done: int = 0
    """Units of its work that it reports as done, of `total`; 0 of 0 if it reports none."""
    total: int = 0

    def count(self) -> None:
        """Read its progress from the end of its log; without a new line the last values remain."""
        if found := _PROGRESS.findall("\n".join(shell.tail(self.process.log, 3))):
            self.done, self.total = map(int, found[-1])

    def pass_on(self) -> None:
        """Print the program's new output, if its output is weft's."""
        if self.command.output is not None and self.command.output.exists():
            self.printed = forwarded(self.command.output, self.printed, sys.stdout)

    def failure(self) -> WorkloadError:
        """Why it ended with an exit code other than 0."""
        where = f"{self.command.name} on {self.command.node.name}"
        hint = f"the whole log is {self.process.log}"
        if reason := self.outcome().get("reason"):
            return WorkloadError(f"{where}: {reason}", hint=hint)
        code = self.process.code()
        own = code if self.command.output is not None else None
        found = why(self.process.log, self.command.output, self.record)
        says = found.says
        if _CLASS.search(says) and (
            jar := [word for word in self.command.argv if word.endswith(".jar")][-1:]
        ):
            says = f"{says} in {jar[0]}"
        how = f"failed with exit code {code}" + (f": {says}" if says else "")
        return WorkloadError(
            f"{where} {how}",
            tail=found.lines,
            hint="; ".join(filter(None, [found.hint, hint])),
            exit_code=own,
        )

    def outcome(self) -> Outcome:
        """The result in its JSON file; empty if it wrote none."""
        path = self.command.outcome
        if path is None or not path.exists():
            return {}
        found: Outcome = json.loads(path.read_text())
        return found


def run_all(
    commands: Sequence[Command], layout: Layout, cluster: Cluster, progress: Progress, timeout: float
) -> list[Outcome]:
    """Run commands concurrently, each on its node. Raises WorkloadError if one fails or does not end in time."""
    live: list[Running] = []
    try:
        live.extend(
            Running(each, cluster.launch(each, layout, cwd=each.directory, out=each.output), layout.record)
            for each in commands
        )
        end = time.monotonic() + timeout
        while any(running.process.code() is None for running in live):
            cluster.watch()
            _poll(live, progress)
            _require_possible(layout, cluster)
            if time.monotonic() > end:
                names = ", ".join(r.command.name for r in live if r.process.code() is None)
                raise WorkloadError(
                    f"{names} did not end within {timeout:.0f} s",
                    hint="allow more time with --set timeout=2h",
                )
            signals.sleep(0.1)
        _poll(live, progress)
        return [_required(running) for running in live]
    finally:
        for running in live:
            running.process.stop()


def _poll(live: Sequence[Running], progress: Progress) -> None:
    for running in live:
        running.pass_on()
        if running.process.code():
            raise running.failure()
        running.count()
    if any(running.total for running in live):
        progress.fraction(sum(running.done for running in live), sum(running.total for running in live))


def _require_possible(layout: Layout, cluster: Cluster) -> None:
    """An application that asks for too much waits for ever, and only the engine's first daemon says so."""
    if refusal := engines.of(layout.engine).refusal:
        for daemon, process in cluster.processes:
            if daemon.essential and any(refusal in line for line in shell.tail(process.log)):
                raise WorkloadError(
                    "no executor can ever start: one asks for more cores or memory than any node has",
                    tail=[line for line in shell.tail(process.log) if refusal in line],
                    hint="lower spark.executor.cores and spark.executor.memory, or take larger nodes",
                )


def _required(running: Running) -> Outcome:
    outcome = running.outcome()
    end = time.monotonic() + (_SHARED if running.command.node.host else 0)
    while running.command.outcome is not None and not outcome and time.monotonic() < end:
        signals.sleep(0.2)
        outcome = running.outcome()
    if running.command.outcome is not None and not outcome:
        where = f"{running.command.name} on {running.command.node.name}"
        raise WorkloadError(f"{where} left no result", tail=shell.tail(running.process.log))
    return outcome
