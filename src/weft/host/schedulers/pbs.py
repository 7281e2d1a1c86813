"""PBS Professional and OpenPBS: qsub, qstat, qdel; hosts from PBS_NODEFILE, and commands on them with ssh."""

import re
from collections.abc import Sequence
from typing import ClassVar

from weft.errors import NodeError, WeftError
from weft.host import settings, shell
from weft.host.schedulers.plain import (
    JobHost,
    JobRequest,
    Launcher,
    PlainJob,
    PlainScheduler,
    TimeFields,
    clock,
    counted,
    hosts_in,
)

_PACKAGE = "openpbs"
_WAITING = set("QHWTM")
_ENDED = set("FX")
"""X: an ended element of a job array that others of it outlive."""


class Pbs(PlainScheduler):
    """Its `pbsdsh` gives commands no input, over which weft sends its requests: so hosts are reached with ssh."""

    kind: ClassVar[str] = "pbs"
    title: ClassVar[str] = "PBS"
    prefix: ClassVar[str] = "#PBS"
    package: ClassVar[str] = _PACKAGE
    submits: ClassVar[str] = "qsub"
    cancels: ClassVar[Sequence[str]] = ("qdel",)
    queue_hint: ClassVar[str] = "`qstat -Q` lists queues"
    start_hint: ClassVar[str] = "`qstat -f JOB` shows what it waits for"
    lost_hint: ClassVar[str] = "`qstat -x -f JOB` may show how it ended"
    reported: ClassVar[Sequence[str]] = ("job_state", "queue", "exec_host", "stime", "Exit_status")
    limited: ClassVar[TimeFields | None] = TimeFields(
        "stime", "%a %b %d %H:%M:%S %Y", "Resource_List.walltime"
    )
    before: ClassVar[str] = "qsub: "
    fixes: ClassVar[Sequence[tuple[str, str]]] = (
        ("queue", "queue=NAME selects another queue; `qstat -Q` lists them"),
        ("account", "account=NAME selects another account"),
        ("project", "account=NAME selects another account"),
        ("violates", "request fewer nodes or less time=; `qstat -Qf` shows limits of queues"),
    )

    def current(self) -> str:
        variables = settings.job_variables()
        return variables.get("PBS_JOBID", "") if "PBS_NODEFILE" in variables else ""

    def hosts(self) -> list[JobHost]:
        # it has a line for each MPI process that was asked for, which is no number of cores
        found = [JobHost(host.name, 0, host.rank) for host in counted(hosts_in("PBS_NODEFILE", self.title))]
        if not found:
            raise NodeError("this is not a PBS job", hint="submit with qsub, or start one with qsub -I")
        return found

    def launcher(self, host: JobHost) -> Launcher | None:  # noqa: ARG002 - of no host
        return None

    def directives(self, request: JobRequest) -> list[str]:
        chunk = f"select={request.count}"
        chunk += f":ncpus={request.cores}" if request.cores else ""
        chunk += f":mem={request.memory >> 20}mb" if request.memory else ""
        lines = [f"-l {chunk}", "-l place=scatter:excl"]
        lines += [f"-q {request.queue}"] if request.queue else []
        lines += [f"-A {request.account}"] if request.account else []
        return [*lines, *([f"-l walltime={clock(request.time)}"] if request.time else [])]

    def names(self, name: str) -> list[str]:
        return [f"-N {name}", "-S /bin/bash", "-r n", "-o /dev/null", "-e /dev/null"]

    def number_in(self, output: str) -> str:
        # a site's own qsub may say more
        found = re.findall(r"^\s*(\d+(?:\.\S+)?)\s*$", output, re.MULTILINE)
        return str(found[-1]) if found else ""

    def query(self, number: str) -> PlainJob | None:
        qstat = shell.tool("qstat", _PACKAGE)
        done = shell.run([qstat, "-x", "-f", number], check=False)
        if done.code != 0 and "history" in done.err:
            # as PBS is installed, its server keeps no ended jobs, and refuses to be asked for them (job_history_enable)
            done = shell.run([qstat, "-f", number], check=False)
        if done.code != 0:
            if "unknown job" in done.err.lower():
                return None
            raise WeftError("PBS's server does not answer", tail=done.err.splitlines()[-3:])
        # long values continue in lines that begin with a tab
        lines = done.out.replace("\n\t", "").splitlines()
        found = {
            key.strip(): value.strip()
            for key, sign, value in (line.partition(" = ") for line in lines)
            if sign
        }
        state = found.get("job_state", "")
        if state in _WAITING:
            return PlainJob(self.title, number, state, waiting=True, reason=found.get("comment", ""))
        # as long as its command runs, a job exits (E) only because it is ended
        ends = "was ended by PBS: it was deleted, or reached a limit" if state == "E" else ""
        return PlainJob(
            self.title, number, state, ended=state in _ENDED, nodes=found.get("exec_host", ""), by_system=ends,
            hint=self.lost_hint, fields=found,
        )  # fmt: skip
