"""Flux: flux batch, flux jobs, flux cancel; hosts from `flux resource list`, and commands on them with flux exec."""

from collections.abc import Sequence
from typing import ClassVar

from weft.errors import NodeError, WeftError
from weft.host import settings, shell
from weft.host.schedulers.plain import JobHost, JobRequest, Launcher, PlainJob, PlainScheduler

_PACKAGE = "flux-core"
_WAITING = {"NEW", "DEPEND", "PRIORITY", "SCHED"}
_ENDS = {
    "cancel": ("was cancelled", ""),
    "timeout": ("reached its time limit", "request more: --nodes flux:N,time=2h"),
}
"""By type of the exception that ends a job."""


class Flux(PlainScheduler):
    """A batch job is a Flux of its own, which has the hosts; the job is known to the one around it."""

    kind: ClassVar[str] = "flux"
    title: ClassVar[str] = "Flux"
    prefix: ClassVar[str] = "#flux:"
    package: ClassVar[str] = _PACKAGE
    submits: ClassVar[str] = "flux"
    cancels: ClassVar[Sequence[str]] = ("flux", "cancel")
    queue_hint: ClassVar[str] = "`flux queue list` and `flux resource list` show queues and nodes"
    start_hint: ClassVar[str] = "`flux jobs` shows the queue"
    lost_hint: ClassVar[str] = "`flux job eventlog JOB` may show how it ended"
    reported: ClassVar[Sequence[str]] = ("state", "result", "nodelist")
    no_memory: ClassVar[str] = "Flux has no option for it"
    before: ClassVar[str] = "flux-batch: ERROR: "
    fixes: ClassVar[Sequence[tuple[str, str]]] = (
        ("queue", "queue=NAME selects another queue; `flux queue list` lists them"),
        ("bank", "account=NAME selects another bank"),
        ("unsatisfiable", "request fewer nodes; `flux resource list` shows what there is"),
        ("duration", "time=10:00 requests less time"),
    )

    def current(self) -> str:
        return settings.job_variables().get("FLUX_ENCLOSING_ID", "")

    def hosts(self) -> list[JobHost]:
        from ClusterShell.NodeSet import NodeSet  # noqa: PLC0415 - reads the site's files at import

        if not self.current():
            raise NodeError(
                "this is not a Flux job", hint="submit with flux batch, or start one with flux alloc"
            )
        found: dict[str, JobHost] = {}
        for line in _ask(
            "resource", "list", "--states=all", "--no-header", "--format={ranks} {nodelist} {ncores}"
        ).splitlines():
            ranks, names, cores = line.split()
            hosts, numbers = list(NodeSet(names)), list(NodeSet(f"[{ranks}]"))
            each = int(cores) // len(hosts)
            for name, rank in zip(hosts, sorted(map(int, numbers)), strict=True):
                found[name] = JobHost(name, each, rank)
        return sorted(found.values(), key=lambda host: host.rank)

    def launcher(self, host: JobHost) -> Launcher:
        return Launcher(("flux", "exec", f"--rank={host.rank}"), login_shell=False)

    def directives(self, request: JobRequest) -> list[str]:
        lines = [f"--nodes={request.count}", "--exclusive"]
        lines += [f"--queue={request.queue}"] if request.queue else []
        lines += [f"--bank={request.account}"] if request.account else []
        return [*lines, *([f"--time-limit={request.time}s"] if request.time else [])]

    def names(self, name: str) -> list[str]:
        return [f"--job-name={name}", "--output=/dev/null", "--error=/dev/null"]

    def submission(self, script: object) -> list[str]:
        return ["batch", str(script)]

    def number_in(self, output: str) -> str:
        return output.strip().splitlines()[-1] if output.strip() else ""

    def query(self, number: str) -> PlainJob | None:
        around = ["--parent"] if self.current() == number else []
        line = _ask(
            *around,
            "jobs",
            "-a",
            "--no-header",
            "--format={state}|{result}|{nodelist}|{exception.type}",
            number,
        )
        if not line.strip():
            return None
        state, result, nodes, exception = line.splitlines()[0].split("|")
        if state in _WAITING:
            return PlainJob(self.title, number, state, waiting=True, reason=f"its state is {state}")
        how, hint = _ENDS.get(exception, ("", ""))
        fields = {"state": state, "result": result, "nodelist": nodes}
        return PlainJob(
            self.title,
            number,
            state,
            ended=state == "INACTIVE",
            nodes=nodes,
            by_system=how,
            hint=hint,
            fields=fields,
        )


def _ask(*arguments: str) -> str:
    done = shell.run([shell.tool("flux", _PACKAGE), *arguments], check=False)
    if done.code != 0:
        raise WeftError("Flux does not answer", tail=(done.err or done.out).splitlines()[-3:])
    return done.out
