"""LSF: bsub, bjobs, bkill; hosts from LSB_DJOB_HOSTFILE, and commands on them with blaunch."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from weft.errors import NodeError, WeftError
from weft.host import settings, shell
from weft.host.schedulers.plain import (
    JobHost,
    JobRequest,
    Launcher,
    PlainJob,
    PlainScheduler,
    counted,
    hosts_in,
)

_PACKAGE = "lsf"
_WAITING = {"PEND", "PSUSP", "WAIT"}
_ENDED = {"DONE", "EXIT", "ZOMBI"}
_COLUMNS = "stat: exec_host: pend_reason: exit_reason: delimiter='|'"
_REDIRECTED = 'exec bsub <"$0"'
"""bsub reads a script with directives from its input. The path is passed as an argument."""


class Lsf(PlainScheduler):
    """IBM Spectrum LSF."""

    kind: ClassVar[str] = "lsf"
    title: ClassVar[str] = "LSF"
    article: ClassVar[str] = "an"
    prefix: ClassVar[str] = "#BSUB"
    package: ClassVar[str] = _PACKAGE
    submits: ClassVar[str] = "sh"
    cancels: ClassVar[Sequence[str]] = ("bkill",)
    queue_hint: ClassVar[str] = "`bqueues` and `bhosts` list queues and hosts"
    start_hint: ClassVar[str] = "`bjobs -p JOB` shows what it waits for"
    lost_hint: ClassVar[str] = "`bhist -l JOB` may show how it ended"
    reported: ClassVar[Sequence[str]] = ("stat", "exec_host", "exit_reason")
    fixes: ClassVar[Sequence[tuple[str, str]]] = (
        ("queue", "queue=NAME selects another queue; `bqueues` lists them"),
        ("project", "account=NAME selects another project"),
        ("run limit", "time=10:00 requests less time"),
        ("runlimit", "time=10:00 requests less time"),
        ("processors", "request fewer nodes; `bqueues -l` shows limits of queues"),
    )

    def current(self) -> str:
        variables = settings.job_variables()
        return variables.get("LSB_JOBID", "") if "LSB_DJOB_HOSTFILE" in variables else ""

    def hosts(self) -> list[JobHost]:
        found = counted(hosts_in("LSB_DJOB_HOSTFILE", self.title))
        if not found:
            raise NodeError("this is not an LSF job", hint="submit with bsub, or start one with bsub -Is")
        # one slot of an exclusive host is the whole host
        return [JobHost(host.name, host.cores if host.cores > 1 else 0, host.rank) for host in found]

    def launcher(self, host: JobHost) -> Launcher | None:
        return Launcher(("blaunch", host.name), login_shell=True) if shutil.which("blaunch") else None

    def directives(self, request: JobRequest) -> list[str]:
        slots = request.cores or 1
        lines = [f"-n {request.count * slots}", f'-R "span[ptile={slots}]"', "-x"]
        if request.memory:
            # LSF may count for each task; the keyword needs fix pack 9 of LSF 10.1
            each = "/host" if slots > 1 else ""
            lines += [f'-R "rusage[mem={-(-request.memory >> 20)}MB{each}]"']
        lines += [f"-q {request.queue}"] if request.queue else []
        lines += [f"-P {request.account}"] if request.account else []
        return [*lines, *([f"-W {-(-request.time // 60)}"] if request.time else [])]

    def names(self, name: str) -> list[str]:
        return [f"-J {name}", "-rn", "-o /dev/null", "-e /dev/null"]

    def submission(self, script: Path) -> list[str]:
        shell.tool("bsub", _PACKAGE)
        return ["-c", _REDIRECTED, str(script)]

    def number_in(self, output: str) -> str:
        found = re.search(r"Job <(\d+)>", output)
        return found[1] if found else ""

    def query(self, number: str) -> PlainJob | None:
        done = shell.run([shell.tool("bjobs", _PACKAGE), "-noheader", "-o", _COLUMNS, number], check=False)
        if done.code != 0 or not done.out.strip():
            if "not found" in done.err:
                return None
            raise WeftError("LSF does not answer", tail=done.err.splitlines()[-3:])
        state, hosts, waits, ends, *_ = [*done.out.strip().split("|"), "", "", ""]
        if state in _WAITING:
            return PlainJob(self.title, number, state, waiting=True, reason=waits.strip(" -"))
        reason = ends.strip(" -")
        fields = {"stat": state, "exec_host": hosts, **({"exit_reason": reason} if reason else {})}
        return PlainJob(
            self.title, number, state, ended=state in _ENDED, nodes=hosts, hint=self.lost_hint, fields=fields,
            by_system=f"was ended by LSF: {reason}" if reason else "",
        )  # fmt: skip
