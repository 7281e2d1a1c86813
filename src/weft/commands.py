"""Run the programs of a workload to their ends, watching the cluster meanwhile."""

import json
import re
import time
from collections.abc import Sequence

from weft import shell
from weft.cluster import Cluster
from weft.errors import WorkloadError
from weft.plan import Command, Layout
from weft.progress import Progress
from weft.shell import Process
from weft.workloads.base import Outcome

_PROGRESS = re.compile(r"progress: (\d+) (\d+)")


def run_all(
    commands: Sequence[Command], layout: Layout, cluster: Cluster, progress: Progress, timeout: float
) -> list[Outcome]:
    """Run commands at once, each on its node. Raises WorkloadError when one fails or none has ended in time."""
    live: list[tuple[Command, Process]] = []
    try:
        for command in commands:
            log = layout.log(command.node, command.name)
            live.append(
                (
                    command,
                    command.node.spawn(
                        command.name, command.argv, log=log, env=command.environment, cwd=layout.directory
                    ),
                )
            )
        end = time.monotonic() + timeout
        while any(process.code() is None for _, process in live):
            cluster.watch()
            _fail_early(live)
            if time.monotonic() > end:
                names = ", ".join(command.name for command, process in live if process.code() is None)
                raise WorkloadError(
                    f"{names} did not end within {timeout:.0f} s", hint="allow more with --set timeout=2h"
                )
            _show(live, progress)
            time.sleep(0.05)
        _fail_early(live)
        return [_outcome(command, process) for command, process in live]
    finally:
        for _, process in live:
            process.stop()


def _fail_early(live: Sequence[tuple[Command, Process]]) -> None:
    for command, process in live:
        if process.code():
            raise _failure(command, process)


def _failure(command: Command, process: Process) -> WorkloadError:
    where = f"{command.name} on {command.node.name}"
    hint = f"the whole log is {process.log}"
    reason = _read(command).get("reason")
    if reason:
        return WorkloadError(f"{where}: {reason}", hint=hint)
    return WorkloadError(
        f"{where} failed with exit code {process.code()}", tail=shell.tail(process.log), hint=hint
    )


def _read(command: Command) -> Outcome:
    if command.outcome is None or not command.outcome.exists():
        return {}
    outcome: Outcome = json.loads(command.outcome.read_text())
    return outcome


def _outcome(command: Command, process: Process) -> Outcome:
    outcome = _read(command)
    if command.outcome is not None and not outcome:
        raise WorkloadError(
            f"{command.name} on {command.node.name} left no result", tail=shell.tail(process.log)
        )
    return outcome


def _show(live: Sequence[tuple[Command, Process]], progress: Progress) -> None:
    counts = [
        match.groups()
        for _, process in live
        for match in _PROGRESS.finditer("\n".join(shell.tail(process.log, 3)))
    ]
    if counts:
        progress.fraction(
            sum(int(done) for done, _ in counts[-len(live) :]),
            sum(int(total) for _, total in counts[-len(live) :]),
        )
