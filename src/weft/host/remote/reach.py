"""How a command runs on another host: the arguments of a client, and a program that the client starts there.

The client (ssh, srun) has fixed arguments. The command, its environment and any secret in it are sent over
its standard input, as data. The command runs while that is open; when it ends, everything on the host ends.
"""

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from weft.errors import NodeError, WeftError
from weft.host import shell
from weft.host.remote.agent import Agent
from weft.host.remote.command import PATIENCE, RemoteCommand
from weft.host.shell import Completed, Process

_PROGRAMS = Path(__file__).parents[1] / "programs"
_BEGIN = (
    "import json,sys;w=json.loads(sys.stdin.buffer.readline().decode());s={};"
    'exec(compile(w["source"],w["name"],"exec"),s);'
    'sys.stdout.write(w["begin"]);sys.stdout.flush();s["main"](w["request"])'
)
_IMPORT = re.compile(r"^from weft\.host\.programs import (.+)$", re.MULTILINE)
_PROVIDE = """import sys,types;room=sys.modules.setdefault("weft.host.programs",types.ModuleType("programs"))
for name,text in {}.items():module=types.ModuleType(name);exec(compile(text,name,"exec"),module.__dict__);setattr(room,name,module)
"""
_MARK = "=== weft begins ===\n"
"""Separates the output of a host's login scripts from a program's answer."""
_TERMINAL = {"ssh": "-t", "srun": "--pty"}
"""By program: the option with which it gives a command a terminal."""

_open: "dict[str, Reach]" = {}
"""Connections that are open in this process, by `Reach.text`."""


class RemoteProcess(Process):
    """A process on another host; the local one is its client."""

    def code(self) -> int | None:
        code = super().code()
        if code is not None:
            self._let_go()
        return code

    def wait(self, timeout: float | None = None) -> int | None:
        super().wait(timeout)
        return self.code()

    def _let_go(self) -> None:
        """Close its input; the host kills what is left."""
        assert self.popen.stdin is not None
        with suppress(BrokenPipeError):
            self.popen.stdin.close()

    def stop(self, grace: float = 10) -> None:
        """Send SIGTERM, wait `grace` seconds, then kill it with its descendants."""
        assert self.popen.stdin is not None
        with suppress(BrokenPipeError):
            if self.code() is None and grace:
                self.popen.stdin.write(b"stop\n")
                self.popen.stdin.flush()
                self.wait(grace)
        self._let_go()
        if self.wait(10) is None:
            super().stop(grace=0)


@dataclass(frozen=True)
class Reach:
    """The way to one host."""

    host: str
    client: tuple[str, ...]
    """Arguments before a command, such as ssh, its options and the host."""
    login_shell: bool
    """Whether a shell there parses the command as text (ssh), or receives it as arguments (srun)."""
    python: str = "python3"
    """A Python there, 3.6 or newer, for weft's own small programs."""
    job: str = ""
    """The job on which access to the host depends, as `schedulers.known` names it; empty if it does not depend on any."""
    steps: bool = False
    """Whether each daemon there is a step of the job, for which the batch system accounts."""
    opening: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The client that opens a connection for all others to share, if there is one: the remote agent's."""
    agent: Agent | None = field(default=None, compare=False, repr=False)
    """An open connection; without one, each request opens its own."""

    def arguments(self, client: Sequence[str] = ()) -> list[str]:
        """The local command; always the same for one host and client."""
        begin = [self.python, "-I", "-S", "-c", _BEGIN]  # starts faster, and needs only the standard library
        return [*(client or self.client), *([shlex.join(begin)] if self.login_shell else begin)]

    def spawn(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str],
        cwd: Path | None = None,
        out: Path | None = None,
    ) -> Process:
        """Start a daemon or a driver there; its output is transferred here."""
        held = _held(argv, env, cwd, alone=True)
        if self.agent is None or self.steps:
            return self.send(name, message("exec", held), log=log, out=out)
        try:
            return self.agent.spawn(name, argv, _whole("exec", held), log, out)
        except TimeoutError:
            raise self._late(PATIENCE) from None

    def send(
        self, name: str, text: bytes, *, log: Path, out: Path | None = None, bound: bool = True
    ) -> Process:
        """Start one of weft's programs there, running until it is stopped; `bound` as in `shell.spawn`."""
        # the client has no mark: it ends with weft, and a cleanup of the host must not end its own connection
        arguments = self.arguments()
        return shell.spawn(name, arguments, log=log, out=out, message=text, kind=RemoteProcess, bound=bound)

    def watch(self, request: Mapping[str, Any], log: Path) -> Process:
        """Start the cleanup watchdog over the open connection, whose end it survives. Requires a remote agent."""
        assert self.agent is not None
        try:
            whole = _whole("watchdog", {**request, "apart": True})
            return self.agent.spawn("watchdog", ["watchdog"], whole, log, None)
        except TimeoutError:
            raise self._late(PATIENCE) from None

    def connected(self, log: Path) -> "Reach":
        """The same over one connection, which is open until its remote agent is stopped."""
        arguments, begin = self.arguments(self.opening), message("agent", {}, _MARK)
        opened = replace(self, agent=Agent(arguments, begin, _MARK, log))
        _open[self.text()] = opened
        return opened

    def close(self, patience: float = 5) -> None:
        """Stop the remote agent."""
        if self.agent:
            _open.pop(self.text(), None)
            self.agent.stop(patience)

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float = 60,
        check: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run a short command there until it exits."""
        done = self._talk("exec", _held(argv, env or {}, None, alone=False), timeout)
        if check and done.code != 0:
            raise WeftError(
                f"{self.host}: `{' '.join(argv)}` failed with exit code {done.code}",
                tail=(done.out + done.err).splitlines()[-5:],
            )
        return done

    def ask(self, program: str, request: Mapping[str, Any], *, timeout: float = 60) -> Any:
        """The answer of one of weft's programs in `host/programs/`; None if it prints nothing."""
        done = self._talk(program, request, timeout)
        if done.code != 0:
            raise self._failed(done)
        return json.loads(done.out) if done.out.strip() else None

    def begin(self, program: str, request: Mapping[str, Any], *, timeout: float = 60) -> RemoteCommand:
        """Start one of weft's programs there, which ends with its input. Requires a remote agent."""
        assert self.agent is not None
        return self.agent.ask(_whole(program, request), timeout)

    def next(self, command: RemoteCommand, *, timeout: float = 60) -> Any:
        """The next line that a program prints, as data. Raises NodeError if there is none."""
        try:
            line = command.line(timeout)
            if line is None:
                raise self._failed(command.end(timeout))
        except TimeoutError:
            raise self._late(timeout) from None
        except EOFError:
            raise self._lost() from None
        return json.loads(line)

    def _talk(self, program: str, request: Mapping[str, Any], timeout: float) -> Completed:
        try:
            if self.agent:
                return self.agent.ask(_whole(program, request), timeout).end(timeout)
            done = shell.talk(self.arguments(), message(program, request, _MARK), timeout)
        except TimeoutError:
            raise self._late(timeout) from None
        except EOFError:
            raise self._lost() from None
        _, began, out = done.out.partition(_MARK)
        if not began:
            raise self._silent((done.err or done.out).strip().splitlines()[-5:] or [f"exit code {done.code}"])
        return Completed(done.code, out, done.err)

    def _failed(self, done: Completed) -> NodeError:
        why = done.err.strip().splitlines() or [f"exit code {done.code}"]
        return NodeError(f"{self.host}: {why[-1]}", tail=why[:-1][-5:])

    def _late(self, seconds: float) -> NodeError:
        return NodeError(f"{self.host} did not answer within {seconds:.0f} s", hint=self.advice())

    def _lost(self) -> NodeError:
        return self._silent(shell.tail(self.agent.log, 5) if self.agent else [])

    def _silent(self, tail: list[str]) -> NodeError:
        return NodeError(f"{self.host}: cannot run commands there", tail=tail, hint=self.advice())

    def attached(self, argv: Sequence[str], *, terminal: bool) -> list[str]:
        """The local command that runs `argv` there on the caller's streams, with a terminal if they are one."""
        client = list(self.client)
        names = [Path(word).name for word in client]
        if terminal and (program := next((name for name in names if name in _TERMINAL), None)):
            client.insert(names.index(program) + 1, _TERMINAL[program])
        return [*client, *([shlex.join(argv)] if self.login_shell else argv)]

    def advice(self) -> str:
        """How to try the same by hand."""
        return f"try by hand: {shlex.join([*self.client, self.python, '--version'])}"

    def text(self) -> str:
        """For a lease, so that `weft clean` can access the host too."""
        return json.dumps([self.host, list(self.client), self.login_shell, self.python, self.job, self.steps])


def of_text(text: str) -> Reach:
    """The reach that a lease or a node holds: an open connection, if there is one."""
    if text in _open:
        return _open[text]
    host, client, login_shell, python, job, *steps = json.loads(text)
    # leases of older versions have the number of a Slurm job, whose daemons were steps
    return Reach(host, tuple(client), login_shell, python, str(job or ""), steps[0] if steps else bool(job))


def message(program: str, request: Mapping[str, Any], begin: str = "") -> bytes:
    """The input of `Reach.send`: one of weft's programs in `host/programs/` and its request; `begin` is printed first."""
    return json.dumps({**_whole(program, request), "begin": begin}).encode() + b"\n"


def _whole(program: str, request: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": f"weft-{program}", "source": _source(program), "request": dict(request)}


@cache
def _source(program: str) -> str:
    """A program, after the modules beside it that it imports: the host has no weft to import them from."""
    text = (_PROGRAMS / f"{program}.py").read_text(encoding="utf-8")
    names = [name for line in _IMPORT.findall(text) for name in line.split(", ")]
    return _PROVIDE.format({name: _source(name) for name in names}) + text if names else text


def _held(argv: Sequence[str], env: Mapping[str, str], cwd: Path | None, *, alone: bool) -> dict[str, Any]:
    return {
        "argv": list(argv),
        "environment": dict(env),
        "directory": None if cwd is None else os.fspath(cwd),
        "alone": alone,
    }
