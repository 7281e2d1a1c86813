"""OAR: oarsub, oarstat, oardel; hosts from OAR_NODEFILE, and commands on them with oarsh."""

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
    clock,
    counted,
    hosts_in,
)

_PACKAGE = "oar-user"
_WAITING = {"Waiting", "Hold", "toLaunch", "toAckReservation", "Launching"}
_ENDED = {"Terminated", "Error"}
_ENDS = {
    "FRAG_JOB_REQUEST": ("was deleted", ""),
    "WALLTIME": ("reached its time limit", "request more: --nodes oar:N,time=2h"),
}
"""By an event of the job."""
_WARNED = 60
"""Seconds before the time limit in which weft is sent a signal, and cleans up."""


class Oar(PlainScheduler):
    """OAR 2."""

    kind: ClassVar[str] = "oar"
    title: ClassVar[str] = "OAR"
    prefix: ClassVar[str] = "#OAR"
    package: ClassVar[str] = _PACKAGE
    submits: ClassVar[str] = "oarsub"
    cancels: ClassVar[Sequence[str]] = ("oardel",)
    exports: ClassVar[bool] = False
    queue_hint: ClassVar[str] = "`oarnodes -s` lists nodes"
    start_hint: ClassVar[str] = "`oarstat -j JOB` shows the start time that is foreseen"
    lost_hint: ClassVar[str] = "`oarstat -f -j JOB` may show how it ended"
    reported: ClassVar[Sequence[str]] = (
        "state",
        "queue",
        "assigned_network_address",
        "startTime",
        "exit_code",
    )
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
        lines = [f"-l {resources}{limit}", f"--checkpoint {_WARNED}", "--signal 12"]
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
            return PlainJob(self.title, number, state, waiting=True, reason=found.get("message", ""))
        how, hint = next((ends for event, ends in _ENDS.items() if event in done.out), ("", ""))
        nodes = found.get("assigned_network_address", "")
        return PlainJob(
            self.title, number, state, ended=state in _ENDED, nodes=nodes, by_system=how,
            hint=hint or self.lost_hint, fields=found,
        )  # fmt: skip
