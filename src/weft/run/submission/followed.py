"""A submitted job, followed from where it was submitted: why it is pending, its output, its end."""

import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from weft.errors import NodeError, WeftError
from weft.host import lease, nfs, settings, signals
from weft.host.schedulers.base import BatchJob, Known, Scheduler
from weft.record import record as records
from weft.record.covering import cover
from weft.record.record import Record
from weft.run.progress import Progress, forwarded
from weft.text.closed import silence

POLL = 1.0
"""Seconds between two looks at what the job has printed, and at first between requests to the batch system."""
_GROWTH = 60
"""Seconds of waiting for which the pause between requests grows by one: the batch system serves the whole machine."""
_LONGEST = 30.0
"""Seconds of such a pause at most."""
_RUNNING = 5.0
"""Seconds between requests about a running job, whose output is read from its files."""
_SILENT = 300.0
"""Seconds without a response from the batch system: a restart takes less."""
_ENDING = 90.0
"""Maximum seconds for a cancelled job to end: Slurm kills its processes 30 s (KillWait) after the signal."""


@dataclass
class Followed:
    """A job by its ID; `folder` is for its output."""

    scheduler: Scheduler
    number: str
    folder: Path
    stem: str
    """The name of its files there, without the suffix."""
    progress: Progress
    printed: dict[str, int] = field(default_factory=dict)
    """Bytes forwarded, by the suffix of the file."""
    last: BatchJob | None = None
    ending: float | None = None
    """When it began to end."""
    unknown: bool = False
    """Whether the batch system no longer answers, so that the job may go on."""
    lost: bool = False
    """Whether the batch system no longer knows the job, which has ended then."""
    secrets: Sequence[Mapping[str, str]] = field(default=(), repr=False)
    """By placeholder: the user's own, of each run of the job."""

    @property
    def title(self) -> str:
        """The job, as messages name it."""
        return f"{self.scheduler.title} job {self.number}"

    @property
    def _key(self) -> str:
        """Where a record has what is known of the job."""
        return "slurm" if self.scheduler.kind == "slurm" else "batch"

    def follow(self, patience: float | None) -> int:
        """Wait until the job has ended and return its exit code. Raises NodeError if it cannot start or was ended."""
        with self.progress.phase("queue"):
            job = self._started(patience)
        asked = time.monotonic()
        while not self._over(job):
            if job.requeued:
                raise NodeError(
                    f"{self.title} was requeued, but a run cannot continue",
                    hint="run it again",
                )
            signals.sleep(POLL)
            self._pass_on()
            # the script of most batch systems writes a file when its command has ended
            if self._has("exit") or time.monotonic() - asked >= _RUNNING:
                job, asked = self._poll(), time.monotonic()
        nfs.refresh(self.folder)  # a short job: its output may be in files that were missing a moment ago
        self._pass_on()
        if job.own_end:
            return job.exit_code
        raise job.end()

    def _over(self, job: BatchJob) -> bool:
        """Whether its script has ended; the last nodes of a completing job may be nodes that do not respond."""
        if not job.ending:
            self.ending = None
            return job.ended
        self.ending = self.ending or time.monotonic()
        return time.monotonic() - self.ending > self.scheduler.lingering

    def _started(self, patience: float | None) -> BatchJob:
        begin, shown, doubts = time.monotonic(), "", 0
        while (job := self._poll()).waiting:
            why = job.waits_for()
            self.progress.detail = why
            if why != shown and not self.progress.console.is_terminal:
                self.progress.say(f"  waiting: {why}")
            shown = why
            # the first reason may be temporary; one that persists is final
            doubts = doubts + 1 if job.hopeless else 0
            if doubts > 2:
                raise NodeError(f"{self.title} cannot start: {why}", hint=self.scheduler.queue_hint)
            waited = time.monotonic() - begin
            if patience is not None and waited > patience:
                raise NodeError(
                    f"{self.title} did not start within {patience:.0f} s: {why}",
                    hint=f"wait longer with --set nodes.wait=1h; {self.scheduler.start_hint}",
                )
            pause = min(POLL + waited / _GROWTH, _LONGEST)
            signals.sleep(pause if patience is None else min(pause, max(POLL, patience - waited)))
        return job

    def _poll(self, patience: float | None = None) -> BatchJob:
        """The current state of the job; waits while the batch system restarts, so many seconds at most."""
        end = time.monotonic() + (_SILENT if patience is None else patience)
        while True:
            try:
                found = self.scheduler.job(self.number, Known(self.folder / self.stem, self.last))
                break
            except WeftError as error:
                if time.monotonic() > end:
                    self.unknown = True
                    error.hint = f"{self.title} may go on: its output is in {self.folder}/{self.stem}.out, and its record in {settings.runs()}"
                    raise
            signals.sleep(POLL)
        if found is None:
            self.lost = True
            raise self._forgotten()
        self.last = found
        return found

    def _forgotten(self) -> NodeError:
        return NodeError(
            f"{self.scheduler.title} no longer knows job {self.number}", hint=self.scheduler.lost_hint
        )

    def _pass_on(self) -> None:
        for end, stream in (("err", sys.stderr), ("out", sys.stdout)):
            if not self._has(end):
                continue
            try:
                self.printed[end] = forwarded(self._file(end), self.printed.get(end, 0), stream)
            except OSError as error:
                if end == "out":
                    raise
                silence(stream, error)  # progress, without which the job goes on

    def cancel(self) -> None:
        """Cancel the job, and wait until it has ended: then its record is complete."""
        try:
            self.scheduler.cancel(self.number)  # before a word of it: the terminal may be closed
            self.progress.say(f"cancelling {self.title}")
            if not signals.until(lambda: self._over(self._poll(_ENDING)), _ENDING, POLL / 4):
                self.progress.warn(f"warning: {self.title} has not ended within {_ENDING:.0f} s")
        except WeftError as error:  # why it was cancelled is what the user has to know
            self.unknown = not self.lost
            if self.unknown:
                self.progress.warn(f"warning: {self.title} may go on: {error}")
        nfs.refresh(self.folder)
        with suppress(OSError):  # nobody reads it any more, which may be why the job was cancelled
            self._pass_on()

    @property
    def _may_go_on(self) -> bool:
        """Whether the job may still run: it needs its files then, and writes its own verdict."""
        if self.unknown or self.last is None:
            return not self.lost
        return not (self.lost or self.last.ended or self.last.ending or self.last.waiting)

    def release(self) -> None:
        """Remove what the job's runs left in shared directories: the end of a job kills every process of it, the cleanup watchdog too."""
        if self.last is None or not self.last.ended:
            return
        for stored in self._records():
            for item in lease.release_ended(stored.directory.name):
                self.progress.say(f"could not remove {item}")

    def keep(self) -> None:
        """Write the batch system's data about the job to the records of its runs, with its script and output."""
        if self._may_go_on:
            return
        known = self.last.fields if self.last else {}
        kept = {key: known[key] for key in self.scheduler.reported if key in known}
        facts = {**kept, "accounting": self.scheduler.accounted(self.number)}
        for stored in self._records():
            record = Record(stored.directory, stored.head)
            killed = stored.head.verdict == "RUNNING"  # before it could write a verdict
            if killed and self.last:
                # how a job ended that was running when it was last seen is not known
                end = self._forgotten() if self.lost else self.last.end()
                reason = f"{end.message} in phase {stored.head.phase}, on {self.last.nodes}"
                record.update(verdict="INVALID", reason=reason, hint=end.hint, evidence=end.evidence)
            record.update(**{self._key: {**getattr(stored.head, self._key), **facts}})
            (stored.directory / "job").mkdir(exist_ok=True)
            for path in self._files():
                shutil.copy(path, stored.directory / "job" / f"job{path.suffix}")
            for values in self.secrets:
                # what a job prints is in its output too, and a killed one has covered nothing
                cover(stored.directory if killed else stored.directory / "job", values)
        for path in self._files():
            path.unlink()

    def _files(self) -> list[Path]:
        return [path for end in ("sh", "out", "err", "exit") if (path := self._file(end)).exists()]

    def _has(self, end: str) -> bool:
        """Whether the job has written a file; False too while its file system does not answer: the job goes on."""
        try:
            return self._file(end).exists()
        except OSError:
            return False

    def _file(self, end: str) -> Path:
        return self.folder / f"{self.stem}.{end}"

    def _records(self) -> Iterator[records.Stored]:
        nfs.refresh(settings.runs())
        for stored in records.all_records(settings.runs()):
            job = getattr(stored.head, self._key)
            own = str(job.get("job", "")) == self.number and job.get("system", "slurm") == self.scheduler.kind
            # a batch system that was installed again, or another one, may have had a job of this number before
            if own and "accounting" not in job:
                yield stored
