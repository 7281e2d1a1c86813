"""The nodes of a spec, examined concurrently: each of them, and what they have in common."""

import secrets
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.doctor import alike, ports
from weft.doctor.answers import HostAnswers
from weft.doctor.finding import Finding, missing
from weft.errors import MissingError, NodeError, UsageError
from weft.host import lease, settings, signals
from weft.host.provision import jdk
from weft.host.remote.reach import message, of_text
from weft.host.schedulers import known
from weft.host.watchdog import watched
from weft.host.work import Work, open_work
from weft.layout.node import Node
from weft.spec.parse import parse

_DEADLINE = 30.0
"""Seconds until the first host has its lock."""


def examine(text: str) -> list[Finding]:
    """Findings for nodes in short form. Raises UsageError if they are not other hosts."""
    asked = parse({"workload": "terasort", "nodes": text}).nodes
    if not asked.on_other_hosts:
        raise UsageError(
            f"--nodes {text} is this machine", hint="leave --nodes out, or name others: ssh:HOSTS, slurm:N"
        )
    name = f"doctor-{secrets.token_hex(4)}"
    with (
        watched(name),
        lease.hold(name, "doctor") as own,
        open_work(name, own) as work,
        ExitStack() as stack,
    ):
        try:
            found = stack.enter_context(asked.acquire(work, []))
            return _examined(found, work)
        except (NodeError, MissingError) as error:
            why = f" ({error.tail[-1].strip()})" if error.tail else ""
            fix = error.hint or "fix that, and try again"
            return [missing("nodes", error.message + why, costs="every run on these nodes", fix=fix)]


def _examined(nodes: Sequence[Node], work: Work) -> list[Finding]:
    shared = (settings.shared() or settings.runs()).resolve() / work.name
    marks = {"shared": shared, "local": work.directory / "marks"}
    for node in nodes:
        access(node).note(work.lease, "directory", shared)
    answers = everywhere(nodes, lambda node: _facts(node, marks))
    seen = everywhere(nodes, lambda node: _ask(node, "seen", marks=_texts(marks)))
    wanted = dict(zip((node.name for node in nodes), ports.default_ports(len(nodes)), strict=True))
    occupied = everywhere(nodes, lambda node: ports.occupied(node, wanted[node.name]))
    hosts = [
        HostAnswers(node.name, node.address, facts, node.interfaces, node.memory, ahead, sees, taken)
        for node, (facts, ahead), sees, taken in zip(nodes, answers, seen, occupied, strict=True)
    ]
    return alike.judge(hosts, str(shared.parent), _locks(nodes, shared / "lock", work), _left(nodes[0]))


def _ask(node: Node, do: str, **request: Any) -> Any:
    return access(node).ask("examine", {"do": do, **request})


def _texts(marks: dict[str, Path]) -> dict[str, str]:
    return {kind: str(path) for kind, path in marks.items()}


def _facts(node: Node, marks: dict[str, Path]) -> tuple[dict[str, Any], float]:
    """A host's answers, and by how many seconds its clock is certainly ahead of (or, negative, behind) this one."""
    began = time.time()
    programs = [str(settings.cache()), str(marks["local"])]
    found = _ask(node, "facts", java=_java(), programs=programs, marks=_texts(marks), mark=node.name)
    return found, alike.ahead(found["clock"], began, time.time())


def _java() -> str:
    try:
        return str(jdk.java())
    except MissingError:
        return "java"


def _locks(nodes: Sequence[Node], path: Path, work: Work) -> dict[str, str]:
    """The other hosts' results while the first one holds a lock on a shared file."""
    first, *others = nodes
    log, out = (work.directory / f"lock.{kind}" for kind in ("log", "out"))
    request = message("examine", {"hold": str(path)})
    holder = of_text(first.way).send("lock", request, log=log, out=out)
    try:
        end = time.monotonic() + _DEADLINE
        while "held" not in out.read_text(encoding="utf-8"):
            if holder.code() is not None or time.monotonic() > end:
                return {
                    first.name: (log.read_text(encoding="utf-8").strip().splitlines() or ["it got no lock"])[
                        -1
                    ]
                }
            signals.sleep(0.01)
        return {node.name: _tried(node, path) for node in others}
    finally:
        holder.stop(grace=0)


def _tried(node: Node, path: Path) -> str:
    try:
        answer: str = _ask(node, "lock", path=str(path))
    except NodeError:
        return "refused"  # the check of the shared directory reports a missing file
    return answer


def _left(node: Node) -> float | None:
    """Seconds of wall time that the job has left; None without a limit."""
    if not (job := of_text(node.way).job):
        return None
    now = known.state(job)
    return alike.seconds_until(now.fields.get("EndTime", ""), time.time()) if now else None
