"""An engine running on nodes for the length of a `with` block: started in order, checked by protocol, stopped in reverse."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.errors import ClusterError
from weft.host import adopted, shell, signals
from weft.host.cause import cause
from weft.host.remote.command import LOST
from weft.host.shell import Process
from weft.host.web import UNANSWERED, PageAnswer, get, listens
from weft.host.work import write_private
from weft.layout import handshake
from weft.layout.node import Node
from weft.layout.plan import SECRET, Applications, Command, Daemon, Inquiry, Layout, Page, Plan, Ready
from weft.record.record import write_json
from weft.run.ports import require_free
from weft.text.redaction import revealed

_KNOWN = 5.0
"""Seconds after which every process that another thread starts is known as weft's own."""
Note = Callable[..., None]
"""Writes an event to the record: a name and its data."""


@dataclass
class Cluster:
    """The live daemons of a plan."""

    note: Note
    processes: list[tuple[Daemon, Process]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """Daemons that ended while they were needed, as text."""
    applications: Sequence[Applications] = ()
    secret: str = field(default="", repr=False)
    user_secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    preloaded: list[tuple[Node, str]] = field(default_factory=list)
    """By node: the names of daemons and commands that were started with the preload library."""

    def launch(
        self,
        what: Daemon | Command,
        layout: Layout,
        *,
        cwd: Path | None = None,
        out: Path | None = None,
    ) -> Process:
        """Start a daemon or a command on its node, where its places are."""
        cwd, wrapper = cwd or layout.directory, layout.wrapper(what.node)
        # entering a container loses the working directory
        argv = [*wrapper, "env", f"--chdir={cwd}", *what.argv] if wrapper else what.argv
        argv = [revealed(word, self.user_secrets) for word in argv]
        environment = {name: revealed(text, self.user_secrets) for name, text in what.environment.items()}
        if isinstance(what, Command):
            self._give(what.node, what.files)
        if handshake.FILE in environment:
            environment[handshake.COMMAND] = what.name
            self.preloaded.append((what.node, what.name))
        log = layout.log(what.node, what.name)
        return access(what.node).spawn(what.name, argv, log=log, env=environment, cwd=cwd, out=out)

    def _give(self, node: Node, files: Mapping[Path, str]) -> None:
        whole = {path: text.replace(SECRET, self.secret) for path, text in files.items()}
        written = {path: revealed(text, self.user_secrets, path) for path, text in whole.items()}
        write_private(written)
        access(node).receive(written)

    def quiet(self) -> bool:
        """Whether every engine reports no running or pending application; an engine that does not respond may have some."""
        return all(_counted(question, self.secret) == 0 for question in self.applications)

    def watch(self) -> None:
        """Record daemons that have ended. Raises ClusterError if the cluster cannot continue without them."""
        adopted.reap(_KNOWN)
        for daemon, process in list(self.processes):
            code = process.code()
            if code is None:
                continue
            self.processes.remove((daemon, process))
            what = f"{daemon.name} on {daemon.node.name} ended ({_how(code)})"
            self.lost.append(what)
            self.note("daemon-lost", daemon=daemon.name, node=daemon.node.name, how=_how(code))
            if daemon.essential or not any(not other.essential for other, _ in self.processes):
                why, lines = cause(process.log, certain=True)
                what += f": {why}" if why else ""
                raise ClusterError(f"{what}; the cluster cannot continue without it", tail=lines)


def _how(code: int) -> str:
    if code == LOST:
        return f"exit code {code}, which ssh also uses for a lost connection"
    # a shell or nsenter between weft and the daemon reports signal N as 128 + N
    if code < 0 or code > 128:
        return f"killed by signal {-code if code < 0 else code - 128}"
    return f"exit code {code}"


@contextmanager
def start(
    plan: Plan,
    layout: Layout,
    *,
    deadline: float,
    note: Note,
    secret: str = "",
    user_secrets: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """Start a plan's daemons and wait until all are ready, at most `deadline` seconds."""
    cluster = Cluster(note, applications=plan.applications, secret=secret, user_secrets=user_secrets or {})
    try:
        for command in plan.first:
            _finish(cluster, command, layout, deadline)
        require_free(plan.daemons)
        for daemon in plan.daemons:
            if daemon.after is not None:
                _wait(cluster, [daemon.after], deadline, secret)
            process = cluster.launch(daemon, layout)
            cluster.processes.append((daemon, process))
            note("daemon-started", daemon=daemon.name, node=daemon.node.name)
            if daemon.before is not None:
                _wait(cluster, [daemon.before], deadline, secret)
        _wait(cluster, plan.ready, deadline, secret)
        for command in plan.then:
            _finish(cluster, command, layout, deadline)
        try:
            yield cluster
        finally:
            for inquiry in plan.last:
                _inquire(inquiry, layout, note, secret)
    finally:
        _stop(cluster)


def _stop(cluster: Cluster) -> None:
    """In reverse order, but all that are not essential at once: there may be one on every node."""
    members = [one for one in reversed(cluster.processes) if not one[0].essential]
    with signals.held():
        with ThreadPoolExecutor(max_workers=64) as pool:
            list(pool.map(lambda one: one[1].stop(one[0].grace), members))
        for daemon, process in reversed(cluster.processes):
            if daemon.essential:
                process.stop(daemon.grace)


def _inquire(inquiry: Inquiry, layout: Layout, note: Note, secret: str) -> None:
    """Store the engine's job metrics in the record; if an engine no longer responds, this is recorded."""

    def answer() -> Mapping[str, Any]:
        url, bearer = _followed(base, secret)
        return inquiry.metrics(lambda path: _asked(url + path, base.certificate, bearer))

    base = inquiry.base
    try:
        record = access(base.node).call(answer)
    except UNANSWERED as error:
        note("metrics-missing", url=base.url, why=str(error))
        return
    for name, content in record.items():
        write_json(layout.record / "engine" / name, content)


def _asked(url: str, certificate: Path | None, bearer: str) -> Any:
    answer = get(url, certificate, bearer)
    if answer.status == HTTPStatus.NOT_FOUND:
        raise LookupError(url)
    return answer.json()


def _finish(cluster: Cluster, command: Command, layout: Layout, deadline: float) -> None:
    """Run a command of the plan, and distribute the files that it creates. Raises ClusterError if it fails."""
    process = cluster.launch(command, layout)
    try:
        end = time.monotonic() + deadline
        while (code := process.code()) is None and time.monotonic() < end:
            _require_running(cluster)
            signals.sleep(0.05)
    finally:
        process.stop()
    if code != 0:
        how = "did not end in time" if code is None else f"failed ({_how(code)})"
        where = f"{command.name} on {command.node.name}"
        why, lines = cause(process.log)
        how += f": {why}" if why and code is not None else ""
        raise ClusterError(f"{where} {how}", tail=lines, hint=f"the whole log is {process.log}")
    _hand_round(command.makes, layout)


def _hand_round(paths: Sequence[Path], layout: Layout) -> None:
    """Copy files from the head node to the other hosts and to weft's own machine, which may share its directories."""
    head, *others = one_a_host(layout.all_nodes)
    if not paths or not head.host:
        return
    files = access(head).give(paths)
    write_private({path: content for path, content in files.items() if not path.exists()})
    everywhere(others, lambda node: access(node).receive(files))


def _wait(cluster: Cluster, questions: Sequence[Ready], deadline: float, secret: str) -> None:
    end = time.monotonic() + deadline
    missing = {
        ready: [d.name for d, _ in cluster.processes if ready.of in ("", d.table, d.name)]
        for ready in questions
    }
    while any(missing.values()):
        _require_running(cluster)
        if time.monotonic() > end:
            raise _late(cluster, sorted({name for names in missing.values() for name in names}), deadline)
        signals.sleep(0.1)
        missing = {ready: _ask(ready, names, secret) if names else [] for ready, names in missing.items()}


def _require_running(cluster: Cluster) -> None:
    """Raises ClusterError if a daemon ended before the cluster was ready."""
    for daemon, process in cluster.processes:
        if (code := process.code()) is not None:
            why, lines = cause(process.log)
            what = f"{daemon.name} on {daemon.node.name} ended while it was starting ({_how(code)})"
            raise ClusterError(
                what + (f": {why}" if why else ""),
                tail=lines,
                hint=f"the whole log is {process.log}",
            )


def _ask(ready: Ready, before: list[str], secret: str) -> list[str]:
    try:
        return ready.missing(_answer(ready.page, secret))
    except PermissionError as error:
        raise ClusterError(
            f"{error}, where a page of this run was expected: it is not given the run's token",
            hint="choose other ports with --set engine.port=... and engine.web_port=...",
        ) from error
    except UNANSWERED:
        return before


def _counted(question: Applications, secret: str) -> int | None:
    try:
        return question.count(_answer(question.page, secret))
    except UNANSWERED:
        return None


def _answer(page: Page, secret: str) -> Any:
    """The page's response as data. Raises one of UNANSWERED if there is none."""
    if page.url.startswith("tcp:"):
        return access(page.node).call(lambda: listens(page.url))

    def answer() -> PageAnswer:
        url, bearer = _followed(page, secret)
        return get(url, page.certificate, bearer)

    return access(page.node).call(answer).json()


def _followed(page: Page, secret: str) -> tuple[str, str]:
    """The address to request, and its token. Raises one of UNANSWERED if it is not known yet."""
    bearer = access(page.node).bearer(page.url, secret) if page.signed else ""
    if page.follow is None:
        return page.url, bearer
    # the second page identifies weft by the certificate
    return page.follow(get(page.url, None, bearer).json()), ""


def _late(cluster: Cluster, missing: list[str], deadline: float) -> ClusterError:
    nodes = {daemon.name: (daemon.node.name, process.log) for daemon, process in cluster.processes}
    name = missing[0]
    node, log = nodes[name]
    others = f" (also missing: {', '.join(missing[1:])})" if missing[1:] else ""
    return ClusterError(
        f"{name} on {node} did not become ready in {deadline:.0f} s{others}",
        tail=shell.tail(log),
        hint=f"the whole log is {log}; a slow machine can wait longer with --set start_deadline=5m",
    )
