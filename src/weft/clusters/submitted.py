"""A job that is submitted to a persistent cluster: on the user's terminal, and with the reason if it fails."""

import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.clusters.attach import attach
from weft.clusters.registry import PersistentCluster
from weft.errors import ClusterError
from weft.facts.failures import Role
from weft.layout.plan import Command, Layout
from weft.record.covering import covered
from weft.run.diagnosis import texts
from weft.run.diagnosis.failed import failed
from weft.run.diagnosis.observed import ObservedProgram
from weft.run.diagnosis.waits import Waits


def run(
    cluster: PersistentCluster,
    command: Command,
    argv: Sequence[str],
    layout: Layout,
    files: Mapping[Path, str],
    user_secrets: Mapping[str, str],
) -> int:
    """Run a job and return 0; its own secrets are covered in what it prints. Raises WorkloadError, with its exit code, if it fails."""
    folder = layout.record / "logs" / layout.head.name / "jobs" / secrets.token_hex(4)
    log, output = folder / "driver.log", folder / "stdout"
    observed = ObservedProgram.of(layout)
    waits = Waits(layout.record, layout.engine, lambda line: print(line, file=sys.stderr))
    waits.positions.update(texts.sizes(layout.record))

    def check() -> None:
        observed.kernel.sample()
        daemons: list[tuple[Path, Role]] = [(path, "daemon") for path in texts.daemons(layout.record)]
        if hopeless := waits.check([(log, "driver"), *daemons]):
            raise failed(command.title, command, observed.waited(hopeless, log), None, log)

    directory, copies = command.directory or Path.cwd(), {1: output, 2: log}
    with covered(folder, user_secrets):
        try:
            code = attach(cluster, argv, directory, files, copies=copies, check=check)
        except ClusterError as error:
            raise observed.ended(error, command.title, log) from None
        if code:
            raise failed(command.title, command, observed.why(command, log, output, code), code, log)
    return code
