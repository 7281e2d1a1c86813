"""Grid Engine: qsub, qstat, qdel, qconf; hosts from PE_HOSTFILE, and commands on them with `qrsh -inherit`."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from weft.errors import NodeError, UsageError, WeftError
from weft.host import settings, shell
from weft.host.schedulers.plain import (
    JobHost,
    JobRequest,
    Launcher,
    PlainJob,
    PlainScheduler,
    TimeFields,
    clock,
    hosts_in,
)

_PACKAGE = "gridengine-client"
_NEVER = "it is in an error state: "
_ROW = re.compile(
    r"\s*(?P<number>\d+)\s.*\s(?P<state>\S+)\s+(?P<began>\d[\d/.-]+ +\d\d:\d\d:\d\d)\S*\s+(?P<queue>\S+)(?:\s+\d+)?(?:\s+(?P<element>\S+))?\s*$"
)
"""A job in the list of qstat, whose name may have spaces."""
_WAITING = set("wqhE")
"""Letters of the states of a job that has not started: qw, hqw, Eqw."""


class GridEngine(PlainScheduler):
    """Sun, Univa, Altair, Son of Grid Engine, Open Cluster Scheduler: what they have in common."""

    kind: ClassVar[str] = "gridengine"
    title: ClassVar[str] = "Grid Engine"
    prefix: ClassVar[str] = "#$"
    package: ClassVar[str] = _PACKAGE
    submits: ClassVar[str] = "qsub"
    cancels: ClassVar[Sequence[str]] = ("qdel",)
    queue_hint: ClassVar[str] = "`qstat -f` lists queues and hosts"
    start_hint: ClassVar[str] = "`qstat -j JOB` shows what it waits for"
    lost_hint: ClassVar[str] = "`qacct -j JOB` may show how it ended"
    reported: ClassVar[Sequence[str]] = ("state", "queue", "time", "slots", "h_rt")
    limited: ClassVar[TimeFields | None] = TimeFields("time", "%m/%d/%Y %H:%M:%S", "h_rt")
    before: ClassVar[str] = "Unable to run job: "
    fixes: ClassVar[Sequence[tuple[str, str]]] = (
        ("parallel environment", "pe=NAME selects another parallel environment; `qconf -spl` lists them"),
        ("unknown queue", "queue=NAME selects another queue; `qconf -sql` lists them"),
        ("project", "account=NAME selects another project; `qconf -sprjl` lists them"),
        ("no suitable queue", "no queue could ever run it: request fewer nodes, another pe= or queue=, or less time="),
        ("unknown resource", "correct gridengine.extra of the site profile; `qconf -sc` lists resources"),
    )  # fmt: skip

    def current(self) -> str:
        variables = settings.job_variables()
        element = variables.get("SGE_TASK_ID", "")
        number = variables.get("JOB_ID", "") if element else ""
        return f"{number}.{element}" if number and element.isdigit() else number

    def hosts(self) -> list[JobHost]:
        lines = hosts_in("PE_HOSTFILE", self.title)
        if not lines:
            raise NodeError(
                f"Grid Engine job {self.current()} has no parallel environment, which gives it hosts",
                hint="submit it with -pe NAME SLOTS; `qconf -spl` lists parallel environments",
            )
        slots: dict[str, int] = {}
        for name, number, *_ in (line.split() for line in lines if line.strip()):
            slots[name] = slots.get(name, 0) + int(number)  # a line for each queue that gives some there
        return [JobHost(name, number, rank) for rank, (name, number) in enumerate(slots.items())]

    def launcher(self, host: JobHost) -> Launcher:
        return Launcher(("qrsh", "-inherit", host.name), login_shell=True)

    def directives(self, request: JobRequest) -> list[str]:
        environment = request.environment
        if not environment:
            known = ", ".join(_ask("qconf", "-spl").split())
            raise UsageError(
                "a Grid Engine job with several hosts needs a parallel environment",
                hint=f"name one with --nodes gridengine:N,pe=NAME or in the site profile; there are {known}",
            )
        slots = self._slots(request)
        if request.cores and request.cores > slots:
            raise UsageError(
                f"the parallel environment {environment} gives {slots} slot(s) on each host, but cores={request.cores} were requested",
                hint=f"request cores={slots}, or a parallel environment whose allocation rule is larger: `qconf -spl`",
            )
        memory = self._memory(request, slots)
        lines = [f"-pe {environment} {request.count * slots}", *memory]
        lines += [f"-q {request.queue}"] if request.queue else []
        lines += [f"-P {request.account}"] if request.account else []
        lines += [f"-l h_rt={clock(request.time)}"] if request.time else []
        # -notify: SIGUSR2 before SIGKILL; -w e: a job that no queue could ever run is refused, and so is any that requests
        # what hosts only report, as most do their memory
        return [*lines, "-notify", *([] if memory else ["-w e"])]

    def _slots(self, request: JobRequest) -> int:
        """Slots of a host, which the parallel environment decides."""
        name = request.environment
        done = shell.run([shell.tool("qconf", _PACKAGE), "-sp", name], check=False)
        if done.code != 0:
            raise self.refused(f"there is no parallel environment {name}")
        rule = next(
            (line.split()[1] for line in done.out.splitlines() if line.startswith("allocation_rule")), ""
        )
        if rule.isdigit():
            return int(rule)
        raise UsageError(
            f"the parallel environment {name} has the allocation rule {rule}, which promises no number of hosts",
            hint=f"choose one whose rule is a number, the slots of each host: `qconf -spl`, `qconf -sp {name}`",
        )

    def unrequested(self, request: JobRequest) -> list[str]:
        if not request.memory or request.resource:
            return []
        return [
            "the job asks for no memory: gridengine.memory_resource of the site profile can name the resource, such as mem_free"
        ]

    def _memory(self, request: JobRequest, slots: int) -> list[str]:
        """The directive for memory on each host; a consumable resource is counted for each slot."""
        if not request.memory or not request.resource:
            return []
        name = request.resource
        rows = [line.split() for line in _ask("qconf", "-sc").splitlines() if line[:1] != "#"]
        # NAME SHORTCUT TYPE RELATION REQUESTABLE CONSUMABLE DEFAULT URGENCY
        consumable = next((row[5] for row in rows if len(row) > 5 and name in row[:2]), None)
        if consumable is None:
            raise self._unusable(name, "does not exist")
        if consumable == "JOB":
            raise self._unusable(name, "is counted once for a job, not on each host")
        each = -(-request.memory // (slots if consumable == "YES" else 1))
        return [f"-l {name}={-(-each >> 20)}M"]

    def _unusable(self, name: str, why: str) -> UsageError:
        return UsageError(
            f"the resource {name}, which gridengine.memory_resource of the site profile names, {why}",
            hint="`qconf -sc` lists resources and whether they are consumable",
        )

    def names(self, name: str) -> list[str]:
        return [f"-N {name}", "-S /bin/bash", "-r n", "-o /dev/null", "-e /dev/null"]

    def submission(self, script: Path) -> list[str]:
        return ["-terse", str(script)]

    def number_in(self, output: str) -> str:
        found = re.search(r"^(\d+)", output.strip().splitlines()[-1]) if output.strip() else None
        return found[1] if found else ""

    def query(self, number: str) -> PlainJob | None:
        rows = (_ROW.match(line) for line in _ask("qstat", "-u", settings.user()).splitlines())
        job, _, element = number.partition(".")
        # those of an array that wait have a line together
        row = next(
            (row for row in rows if row and row["number"] == job and element in {"", row["element"]}), None
        )
        if row is None:
            return None
        state, queue = row["state"], row["queue"]
        if set(state) <= _WAITING:
            reason, failed = self._waits(number), "E" in state
            reason = f"{_NEVER}{reason}" if failed else reason
            return PlainJob(self.title, number, state, waiting=True, reason=reason, hopeless=failed)
        fields = {"state": state, "queue": queue, "time": row["began"], **self._limit(number)}
        return PlainJob(
            self.title,
            number,
            state,
            nodes=queue,
            fields=fields,
            by_system="was deleted" if "d" in state else "",
        )

    def _waits(self, number: str) -> str:
        """What the master gives as reason; the last of them, as the first are about single queues."""
        found: list[str] = []
        for line in _details(number):
            key, _, value = line.partition(":")
            if key in {"scheduling info", "error reason"} or (found and line.startswith(" ")):
                found.append((value if key.strip() in {"scheduling info", "error reason"} else line).strip())
        return found[-1] if found else ""

    def _limit(self, number: str) -> dict[str, str]:
        found = re.search(r"h_rt=(\d+)", "\n".join(_details(number)))
        return {"h_rt": found[1]} if found else {}


def _details(number: str) -> list[str]:
    """Of an element of an array, those of the whole job."""
    done = shell.run([shell.tool("qstat", _PACKAGE), "-j", number.partition(".")[0]], check=False)
    return done.out.splitlines() if done.code == 0 else []


def _ask(name: str, *arguments: str) -> str:
    done = shell.run([shell.tool(name, _PACKAGE), *arguments], check=False)
    if done.code != 0:
        raise WeftError("Grid Engine's master does not answer", tail=(done.err or done.out).splitlines()[-3:])
    return done.out
