"""OAR: oarsub, oarstat, oardel; hosts from OAR_NODEFILE, and commands on them with oarsh."""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from weft.errors import NodeError, WeftError
from weft.host import settings, shell, signals
from weft.host.schedulers.plain import (
    ENDS_A_COMMAND,
    JobHost,
    JobRequest,
    Launcher,
    PlainJob,
    PlainScheduler,
    clock,
    counted,
    hosts_in,
)

_PACKAGE = "oar-user"
_LONGER = "request more: --nodes oar:N,time=2h"
_WAITING = {"Waiting", "Hold", "toLaunch", "toAckReservation", "Launching"}
_ENDED = {"Terminated", "Error"}
_ENDS = (
    ("WALLTIME:[sarko]", "reached its time limit of {walltime}", _LONGER),
    ("CHECKPOINT:User oar", "is about to reach its time limit of {walltime}", _LONGER),
    ("CHECKPOINT:", "was asked to end by `oardel -c`", ""),
    ("FRAG_JOB_REQUEST:", "was deleted", ""),
)
"""By an event of the job, the first that there is: a job at its limit is deleted too."""
_WARNED = 60
"""Seconds before the time limit at which the job is sent a signal, and weft cleans up; OAR looks each 10 s."""
_SIGNAL = "12"
"""SIGUSR2."""
_CLEANING = 60.0
"""Seconds for a job that was sent a signal to end."""
_POLL = 1.0


class Oar(PlainScheduler):
    """OAR 2."""

    kind: ClassVar[str] = "oar"
    title: ClassVar[str] = "OAR"
    article: ClassVar[str] = "an"
    prefix: ClassVar[str] = "#OAR"
    package: ClassVar[str] = _PACKAGE
    submits: ClassVar[str] = "oarsub"
    cancels: ClassVar[Sequence[str]] = ("oardel",)
    kills_descendants: ClassVar[bool] = True
    queue_hint: ClassVar[str] = "`oarnodes -s` lists nodes"
    start_hint: ClassVar[str] = "`oarstat -j JOB` shows the start time that is foreseen"
    lost_hint: ClassVar[str] = "`oarstat -f -j JOB` may show how it ended"
    reported: ClassVar[Sequence[str]] = (
        "state",
        "queue",
        "assigned_hostnames",
        "startTime",
        "exit_code",
    )
    no_memory: ClassVar[str] = (
        "OAR has no option for it; a property of this site can be in oar.extra of the site profile"
    )
    before: ClassVar[str] = "ERROR : "
    fixes: ClassVar[Sequence[tuple[str, str]]] = (
        ("queue", "queue=NAME selects another queue"),
        ("project", "account=NAME selects another project"),
        ("not enough resources", "request fewer nodes; `oarnodes -s` lists them"),
        ("walltime", "time=10:00 requests less time"),
    )

    def current(self) -> str:
        variables = settings.job_variables()
        return variables.get("OAR_JOB_ID", "") if "OAR_NODEFILE" in variables else ""

    def hosts(self) -> list[JobHost]:
        found = counted(hosts_in("OAR_NODEFILE", self.title))
        if not found:
            raise NodeError("this is not an OAR job", hint="submit with oarsub, or start one with oarsub -I")
        return found

    def launcher(self, host: JobHost) -> Launcher | None:
        return Launcher(("oarsh", host.name), login_shell=True) if shutil.which("oarsh") else None

    def directives(self, request: JobRequest) -> list[str]:
        resources = f"/nodes={request.count}" + (f"/core={request.cores}" if request.cores else "")
        limit = f",walltime={clock(request.time)}" if request.time else ""
        warned = min(_WARNED, request.time // 2) if request.time else _WARNED
        lines = [f"-l {resources}{limit}", f"--checkpoint {warned}", f"--signal {_SIGNAL}"]
        lines += [f"-q {request.queue}"] if request.queue else []
        return [*lines, *([f"--project {request.account}"] if request.account else [])]

    def names(self, name: str) -> list[str]:
        return [f"-n {name}", "-O /dev/null", "-E /dev/null"]

    def submission(self, script: Path) -> list[str]:
        script.chmod(0o700)  # OAR starts the file itself
        return ["-S", str(script)]

    def number_in(self, output: str) -> str:
        found = re.search(r"OAR_JOB_ID=(\d+)", output)
        return found[1] if found else ""

    def cancel(self, number: str) -> None:
        """Deleting kills at once; so a running job is sent the signal first, and removes what it wrote."""
        program = shell.tool("oardel", _PACKAGE)
        if shell.run([program, "-s", _SIGNAL, number], check=False).code == 0:
            signals.until(lambda: self._cleaned(number), _CLEANING, _POLL)
        super().cancel(number)

    def _cleaned(self, number: str) -> bool:
        """Whether a job is known to have ended; it is deleted too if OAR does not answer."""
        try:
            return self.gone(number)
        except WeftError:
            return False

    def commanded(self, command: Sequence[str]) -> list[str]:
        """OAR sends its signal to the script alone, not to the command that it waits for."""
        return [
            f"{shlex.join(command)} &",
            "child=$!",
            f"trap 'came=1; kill -USR2 \"$child\" 2>/dev/null' {ENDS_A_COMMAND}",
            "came=1 code=127",
            "# a signal ends the wait, but not the command; 127: its code was read before",
            'while [ "$came" ]; do',
            "    came=",
            '    wait "$child"',
            "    last=$?",
            '    [ "$last" = 127 ] || code=$last',
            "done",
        ]

    def query(self, number: str) -> PlainJob | None:
        done = shell.run([shell.tool("oarstat", _PACKAGE), "-f", "-j", number], check=False)
        if done.code != 0:
            raise WeftError("OAR does not answer", tail=(done.err or done.out).splitlines()[-3:])
        found = {
            key.strip(): value.strip()
            for key, sign, value in (line.partition(" = ") for line in done.out.splitlines())
            if sign
        }
        state = found.get("state", "")
        if not state:
            return None
        if state in _WAITING:
            start = found.get("scheduledStart", "no")
            reason = found.get("message", "")
            if start[:1].isdigit():
                reason = f"its start is foreseen at {start}"
            elif reason.startswith("R="):  # what the job asks for
                reason = ""
            return PlainJob(self.title, number, state, waiting=True, reason=reason)
        how, hint = _ends(done.out, found)
        return PlainJob(
            self.title, number, state, ended=state in _ENDED, nodes=found.get("assigned_hostnames", ""),
            by_system=how, hint=hint or self.lost_hint, fields=found,
        )  # fmt: skip


def _ends(output: str, found: Mapping[str, str]) -> tuple[str, str]:
    """How OAR ends a job, and a hint; events are the last lines, `DATE> TYPE:DESCRIPTION`."""
    listed = re.split(r"^ *events =", output, maxsplit=1, flags=re.MULTILINE)[1:]
    events = [line.partition("> ")[2] for line in "".join(listed).splitlines()]
    for begin, how, hint in _ENDS:
        if any(event.startswith(begin) for event in events):
            return how.format(walltime=found.get("walltime", "its request")), hint
    return "", ""
