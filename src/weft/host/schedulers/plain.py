"""What batch systems other than Slurm have in common here: the job's script keeps its output and exit code in files."""

import os
import re
import shlex
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from weft.errors import MissingError, NodeError, UsageError, WeftError
from weft.host import nfs, settings, shell, signals
from weft.host.schedulers.base import SUBMISSION, Known, Scheduler, Script, prepared
from weft.host.schedulers.slurm.text import seconds

ENDS_A_COMMAND = "HUP INT TERM USR1 USR2 XCPU"
"""What batch systems send before they kill; the script outlives it, and writes down the exit code of its command."""
_UNNAMED = re.compile(r"[^A-Za-z0-9_.-]")
"""What the name of a job may not contain, as it is one word of a directive."""
_VISIBLE = 5.0
"""Seconds until a file that another host wrote is seen here."""


@dataclass(frozen=True)
class JobHost:
    """A host of the job of this process. `cores`: of the job there; 0 if only the host knows."""

    name: str
    cores: int = 0
    rank: int = 0
    """Its place in the job."""


@dataclass(frozen=True)
class Launcher:
    """A client that starts commands on a host of the job."""

    client: tuple[str, ...]
    login_shell: bool
    """Whether a shell there parses the command as text, or receives it as arguments."""


@dataclass(frozen=True)
class JobRequest:
    """What a job asks for; empty or None where nothing is asked for."""

    count: int
    cores: int | None = None
    memory: int | None = None
    """Bytes of each host."""
    queue: str = ""
    account: str = ""
    time: int | None = None
    """Seconds."""
    environment: str = ""
    """Parallel environment, of Grid Engine."""
    resource: str = ""
    """What Grid Engine calls memory on this machine."""


@dataclass(frozen=True)
class PlainJob:
    """The current state of a job; `state` is the batch system's own term."""

    title: str
    """The batch system."""
    number: str
    state: str
    waiting: bool = False
    ended: bool = False
    ending: bool = False
    """Whether its command has ended, and the batch system still has the job."""
    reason: str = ""
    """Why it waits, or how it ends."""
    hopeless: bool = False
    nodes: str = ""
    code: int | None = None
    """Of its command, which the script wrote down; None if the command has not ended by itself."""
    by_system: str = ""
    """How the batch system ends it, such as `was deleted`; empty if it does not."""
    hint: str = ""
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)
    requeued: ClassVar[bool] = False

    @property
    def exit_code(self) -> int:
        """Of its command."""
        return self.code or 0

    @property
    def own_end(self) -> bool:
        """Whether its command has ended, for whatever reason."""
        return self.code is not None

    def waits_for(self) -> str:
        """Why it has not started, as text."""
        return self.reason or f"{self.title} gives no reason"

    def end(self) -> NodeError:
        """How it ended."""
        own = f"ended with exit code {self.code}" if self.own_end else ""
        how = self.by_system or own or "ended before its command did: it was deleted, or reached a limit"
        return NodeError(f"{self.title} job {self.number} {how}", hint=self.hint)


@dataclass(frozen=True)
class TimeFields:
    """Fields of a job with its start, which has this form, and its time limit."""

    began: str
    form: str
    limit: str


class PlainScheduler(Scheduler):
    """A batch system whose jobs are known by name, state and hosts."""

    package: ClassVar[str]
    """What has its programs."""
    article: ClassVar[str] = "a"
    """Before its title."""
    submits: ClassVar[str]
    """The program that takes a script."""
    lingering: ClassVar[float] = 60.0
    kills_descendants: ClassVar[bool] = False
    """Whether a deleted job is killed at once by the descent of its processes: the watchdog of the first host is then started by the launcher too."""
    before: ClassVar[str] = ""
    """What the message of a refusal begins with."""
    fixes: ClassVar[Sequence[tuple[str, str]]] = ()
    """Of a refusal: a part of its message, and what to do."""
    limited: ClassVar[TimeFields | None] = None
    """What the time limit of a job is read from; None if the batch system reports that a job has reached it."""
    no_memory: ClassVar[str] = ""
    """Why a job cannot ask for memory; empty if it can."""

    @abstractmethod
    def hosts(self) -> list[JobHost]:
        """The hosts of the job of this process, the first one first. Raises NodeError outside of a job."""

    @abstractmethod
    def launcher(self, host: JobHost) -> Launcher | None:
        """The batch system's own way to a host of the job of this process; None if there is none here."""

    @abstractmethod
    def directives(self, request: JobRequest) -> list[str]:
        """Lines of a script, without their prefix. Raises UsageError."""

    def unrequested(self, request: JobRequest) -> list[str]:
        """What a job does not ask for, though it was requested, one sentence each."""
        return [f"the job asks for no memory: {self.no_memory}"] if request.memory and self.no_memory else []

    @abstractmethod
    def query(self, number: str) -> PlainJob | None:
        """A job, or None if it is not known. Raises WeftError if the batch system does not answer."""

    def known(self, number: str, last: PlainJob | None = None) -> PlainJob | None:
        """A job with what was last reported about it: a batch system may forget one as soon as it has ended."""
        now = self.query(number)
        if now is not None:
            job = replace(now, fields={**last.fields, **now.fields}) if last else now
        elif last is not None:
            hint = last.hint if last.by_system else self.lost_hint
            job = replace(last, ended=True, waiting=False, hint=hint)
        else:
            return None
        return job if job.waiting else self._limited(job)

    def _limited(self, job: PlainJob) -> PlainJob:
        """The clock says when a job has reached its time limit: it looks like one that was deleted, or is forgotten."""
        if self.limited is None:
            return job
        text = job.fields.get(self.limited.limit, "")
        limit = float(text) if text.isdigit() else seconds(text)
        try:
            began = time.mktime(time.strptime(job.fields.get(self.limited.began, ""), self.limited.form))
        except ValueError:
            return job
        if time.time() - began < limit - 1:
            return job
        how = f"reached its time limit of {clock(int(limit))}"
        return replace(job, by_system=how, hint=f"request more: --nodes {self.kind}:N,time=2h")

    def job(self, number: str, followed: Known | None = None) -> PlainJob | None:
        if followed is None:
            return self.known(number)
        files, last = followed.files, followed.last
        assert last is None or isinstance(last, PlainJob)
        now = self.known(number, last)
        if now is not None and not now.ended:
            code = _code(files)
            return replace(now, code=code, ending=code is not None)
        nfs.refresh(files.parent)
        signals.until(lambda: _code(files) is not None, _VISIBLE)
        code = _code(files)
        ended = now or PlainJob(self.title, number, "ended", hint=self.lost_hint)
        return replace(ended, ended=True, waiting=False, ending=False, code=code)

    def ended_by_system(self, number: str, last: PlainJob | None = None) -> NodeError | None:
        """How the batch system ends a job, if it does; one in which this process runs has not ended by itself."""
        try:
            now = self.known(number, last)
        except WeftError:
            return None
        return now.end() if now is not None and (now.by_system or now.ended) else None

    def stem(self, script: Path, number: str) -> str:  # noqa: ARG002 - its files exist before it has a number
        return script.stem

    def submit(self, script: Path) -> str:
        argv = [shell.tool(self.submits, self.package), *self.submission(script)]
        try:
            # OAR's client reads the directory from this variable, which a shell sets and cron does not
            done = shell.run(argv, timeout=SUBMISSION, env={"PWD": str(Path.cwd())}, check=False)
        except MissingError:
            raise
        except WeftError as error:  # of LSF, the program is a shell
            raise NodeError(
                f"{self.title} did not answer within {SUBMISSION:.0f} s",
                hint=f"{self.title} may have accepted the job: look for it before you submit it again",
            ) from error
        number = self.number_in(done.out) if done.code == 0 else ""
        if not number:
            raise self.refused(done.err or done.out)
        return number

    def submission(self, script: Path) -> list[str]:
        """Arguments of the program that submits."""
        return [str(script)]

    @abstractmethod
    def number_in(self, output: str) -> str:
        """The job's ID in what the program that submits prints; empty if there is none."""

    def cancel(self, number: str) -> None:
        program, *arguments = self.cancels
        shell.run([shell.tool(program, self.package), *arguments, number], check=False)

    def refused(self, output: str) -> NodeError:
        """The error message about a job that was rejected."""
        lines = [line.strip().removeprefix(self.before) for line in output.splitlines() if line.strip()]
        reason = next((line for line in lines if not line.lower().startswith("warning")), "no reason given")
        fix = next((fix for part, fix in self.fixes if part in output.lower()), "")
        return NodeError(
            f"{self.title} rejected the job: {reason}",
            tail=[line for line in lines if line != reason],
            hint=fix or "`weft plan` prints the script that is submitted",
        )

    def script(self, parts: Script) -> str:
        """The script opens the output itself: some batch systems give it back only when the job has ended."""
        files = parts.folder
        lines = [
            "#!/bin/bash -l" if parts.modules else "#!/bin/sh",
            *(
                f"{self.prefix} {line}"
                for line in [*parts.directives, *self.names(_UNNAMED.sub("-", parts.name))]
            ),
            *map(self.marked, parts.extra),
            "umask 077",
            f"exec >{shlex.quote(f'{files}/{parts.stem}.out')} 2>{shlex.quote(f'{files}/{parts.stem}.err')}",
            *_entered(parts.directory),
            f"trap : {ENDS_A_COMMAND}",
            *prepared(parts),
            *self.commanded(parts.command),
            f'echo "$code" >{shlex.quote(f"{files}/{parts.stem}.exit")}',
            'exit "$code"',
        ]
        return "\n".join(lines) + "\n"

    def commanded(self, command: Sequence[str]) -> list[str]:
        """Lines of a script that start its command, and set `code` when that has ended."""
        return [shlex.join(command), "code=$?"]

    @abstractmethod
    def names(self, name: str) -> list[str]:
        """Directives with the job's name, that it is not started twice, and that its own output is not kept."""


def _entered(directory: Path | None) -> list[str]:
    """Lines of a script that go to a directory; without it a command that names no file there can still run."""
    missing = f"weft: {directory} is not visible on this host; working in"
    return (
        [f'cd {shlex.quote(str(directory))} || echo {shlex.quote(missing)} "$PWD" >&2'] if directory else []
    )


def own_host(name: str) -> bool:
    """Whether a host is the one on which this process runs."""
    return name.partition(".")[0] == os.uname().nodename.partition(".")[0]


def counted(lines: Sequence[str]) -> list[JobHost]:
    """Hosts of a list with one line for each core, in its order."""
    names = [line.split()[0] for line in lines if line.strip()]
    return [JobHost(name, names.count(name), rank) for rank, name in enumerate(dict.fromkeys(names))]


def hosts_in(variable: str, title: str) -> list[str]:
    """Lines of the file that a variable of the job names. Raises NodeError."""
    path = settings.job_variables().get(variable)
    try:
        return Path(path or "").read_text(encoding="utf-8").splitlines() if path else []
    except OSError as error:
        raise NodeError(f"{title}'s list of hosts {path} cannot be read: {error.strerror}") from error


def wall(text: str | None) -> int | None:
    """Seconds of a time limit: minutes, or 1:00:00. Raises UsageError."""
    if text is None:
        return None
    found = 60.0 * int(text) if re.fullmatch(r"\d+", text) else seconds(text)
    if found == float("inf"):
        raise UsageError(f"{text!r} is no time limit", hint="write 8h, 20m, 1:00:00, or a number of minutes")
    return int(found)


def clock(total: int) -> str:
    """Seconds as H:MM:SS."""
    return f"{total // 3600}:{total // 60 % 60:02}:{total % 60:02}"


def _code(files: Path) -> int | None:
    try:
        return int(files.with_suffix(".exit").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
