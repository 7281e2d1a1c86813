"""Run the programs of a workload, and check the cluster meanwhile."""

import json
import re
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.adapters.workloads.base import Outcome
from weft.errors import ClusterError, WorkloadError
from weft.facts.failures import Role
from weft.host import shell, signals
from weft.host.cause import CAUGHT
from weft.host.shell import Process
from weft.layout.plan import Command, Layout
from weft.run.cluster import Cluster
from weft.run.diagnosis.failed import failed
from weft.run.diagnosis.observed import ObservedProgram
from weft.run.diagnosis.waits import Waits
from weft.run.progress import Progress, forwarded

_SHARED = 10.0
"""Seconds until a file that another host wrote is visible here, if a network file system caches metadata."""
_PROGRESS = re.compile(r"progress: (\d+) (\d+)")


@dataclass
class Running:
    """A command that has been started."""

    command: Command
    process: Process
    observed: ObservedProgram
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

    @property
    def title(self) -> str:
        return self.command.title or self.command.name

    def failure(self, lost: Sequence[str]) -> WorkloadError:
        """Why it ended with an exit code other than 0; `lost`: daemons that ended meanwhile."""
        reason = self.outcome().get("reason")
        if reason and not reason.startswith(CAUGHT):
            where = f"{self.title} on {self.command.node.name}"
            return WorkloadError(f"{where}: {reason}", hint=f"the whole log is {self.process.log}")
        code = self.process.code() or 0
        found = self.observed.why(self.command, self.process.log, self.command.output, code, lost)
        return failed(self.title, self.command, found, code, self.process.log)

    def outcome(self) -> Outcome:
        """The result in its JSON file; empty if it wrote none."""
        path = self.command.outcome
        if path is None or not path.exists():
            return {}
        found: Outcome = json.loads(path.read_text(encoding="utf-8"))
        return found


def run_all(
    commands: Sequence[Command], layout: Layout, cluster: Cluster, progress: Progress, timeout: float
) -> list[Outcome]:
    """Run commands concurrently, each on its node. Raises WorkloadError if one fails or does not end in time."""
    live: list[Running] = []
    observed, waits = ObservedProgram.of(layout), Waits(layout.record, layout.engine, progress.say)
    for each in commands:
        progress.step(f"    {each.name} on {each.node.name}: {shlex.join(map(str, each.argv))}")
    try:
        live.extend(
            Running(each, cluster.launch(each, layout, cwd=each.directory, out=each.output), observed)
            for each in commands
        )
        began = time.monotonic()
        end = began + timeout
        while any(running.process.code() is None for running in live):
            _watch(live, cluster, observed)
            _poll(live, cluster, progress)
            observed.kernel.sample()
            _require_possible(live, cluster, waits)
            if time.monotonic() > end:
                raise _late([each for each in live if each.process.code() is None], timeout)
            # the end of a short program is seen soon
            signals.sleep(min(0.1, 0.01 + (time.monotonic() - began) / 10))
        _poll(live, cluster, progress)
        return [_required(running) for running in live]
    finally:
        for running in live:
            running.process.stop()


def _watch(live: Sequence[Running], cluster: Cluster, observed: ObservedProgram) -> None:
    try:
        cluster.watch()
    except ClusterError as error:
        raise observed.ended(error, live[0].title, live[0].process.log) from None


def _poll(live: Sequence[Running], cluster: Cluster, progress: Progress) -> None:
    for running in live:
        running.pass_on()
        if running.process.code():
            raise running.failure(cluster.lost)
        running.count()
    if any(running.total for running in live):
        progress.fraction(sum(running.done for running in live), sum(running.total for running in live))


def _require_possible(live: Sequence[Running], cluster: Cluster, waits: Waits) -> None:
    """Raises WorkloadError for a program that waits for what never happens, as its log or that of a daemon says."""
    own: list[tuple[Path, Role]] = [(running.process.log, "driver") for running in live]
    daemons: list[tuple[Path, Role]] = [(p.log, "daemon") for d, p in cluster.processes if d.essential]
    if hopeless := waits.check([*own, *daemons]):
        by_log = {running.process.log: running for running in live}
        running = by_log.get(hopeless.text.path, live[0])
        log = running.process.log
        raise failed(running.title, running.command, running.observed.waited(hopeless, log), None, log)


def _late(live: Sequence[Running], timeout: float) -> WorkloadError:
    names = ", ".join(running.title for running in live)
    nodes = ", ".join(dict.fromkeys(running.command.node.name for running in live))
    error = WorkloadError(
        f"{names} did not end within its time limit of {timeout:.0f} s on {nodes}",
        tail=shell.tail(live[0].process.log, 3),
        hint="--set timeout=2h allows more time; `weft report` shows what it did",
    )
    error.evidence = live[0].observed.last_line(live[0].process.log, live[0].command.output)
    return error


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
