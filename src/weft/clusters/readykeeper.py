"""The supervisor's part of an application that is ready: there is one whenever nobody uses the cluster."""

import dataclasses
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from weft.adapters.engines.base import KeepsReady
from weft.adapters.nodes.access import access
from weft.clusters import registry
from weft.clusters.ready import FAILED, STARTING, WAITED, ReadyApplication, folder
from weft.host.shell import Process
from weft.layout.plan import Command, Layout
from weft.run.run import Live

_OFTEN = 2.0
"""Seconds between questions whether others run an application, which needs the cores."""
_PAUSE = 2.0
"""Seconds after a use of the cluster until it is started: the command works on its report."""
_GRACE = 5.0
"""Seconds from SIGTERM until it is killed."""


@contextmanager
def kept(live: Live, name: str) -> Iterator[Callable[[], None]]:
    """An application of a cluster for the length of a `with` block; gives what does what is due, to be called all the time."""
    keeper = _Keeper(live, name)
    try:
        yield keeper.keep
    finally:
        keeper.end()


@dataclass
class _Keeper:
    """Starts an application when nobody uses the cluster, and ends it when somebody does who has no use for it."""

    live: Live
    name: str
    number: int = 1
    process: Process | None = None
    failed: bool = False
    used: float = -_PAUSE
    """When a command was last seen to use the cluster."""
    asked: float = 0.0
    alone: bool = True

    @property
    def layout(self) -> Layout:
        """The cluster's."""
        return self.live.layout

    @property
    def application(self) -> ReadyApplication:
        """The one that runs, or the next one."""
        return ReadyApplication(self.layout, str(self.number))

    def keep(self) -> None:
        if self.process is None:
            if registry.in_use(self.name):
                self.used = time.monotonic()
            elif not self.failed and time.monotonic() - self.used >= _PAUSE and self._alone():
                self._start()
        elif self.process.code() is not None:
            self._ended(failed=not self._has("-e", WAITED))
        # a measured run takes it, or ends it
        elif self._has("-S", "") and (self._used_otherwise() or not self._alone()):
            self.end()

    def end(self) -> None:
        """End the one that runs."""
        if self.process:
            self.process.stop(_GRACE)
            self._ended(failed=False)

    def command(self, application: ReadyApplication) -> Command:
        """What starts it."""
        own = dataclasses.replace(self.layout, run=application.mark, metrics=False)
        engine = self.live.spec.engine
        assert isinstance(engine, KeepsReady)
        command = engine.waiting(own, application.socket)
        return dataclasses.replace(command, name=application.command)

    def _start(self) -> None:
        access(self.layout.head).make(folder(self.layout))
        self._run("touch", f"{self.application.socket}{STARTING}")
        # a run that has no use for it may have looked before there was such a file
        if registry.in_use(self.name):
            self._ended(failed=False)
        else:
            self.process = self.live.cluster.launch(self.command(self.application), self.layout)

    def _used_otherwise(self) -> bool:
        """Whether commands of its user run on the cluster, and no measured run."""
        return registry.in_use(self.name) and not registry.being_measured(self.name)

    def _has(self, kind: str, suffix: str) -> bool:
        """Whether there is such a file of the application; `kind`: an operator of test(1)."""
        test = ["test", kind, f"{self.application.socket}{suffix}"]
        return access(self.layout.head).run(test, check=False).code == 0

    def _ended(self, *, failed: bool) -> None:
        code, self.process, self.failed = self.process.code() if self.process else None, None, failed
        if code == 0:  # the run that had it has the lines of its own
            self._run("rm", "-f", str(self.application.log))
        if failed:
            self.live.record.note("ready-failed", log=str(self.application.log))
            self._run("touch", str(folder(self.layout) / FAILED))
        self._run("rm", "-f", *(f"{self.application.socket}{suffix}" for suffix in ("", WAITED, STARTING)))
        self.number += 1

    def _alone(self) -> bool:
        """Whether nobody else runs an application, as the engine reported a moment ago."""
        if (now := time.monotonic()) - self.asked >= _OFTEN:
            self.alone, self.asked = self.live.cluster.quiet(), now
        return self.alone

    def _run(self, *argv: str) -> None:
        access(self.layout.head).run(list(argv))
