"""Virtual nodes without root: the whole command is restarted in its own user namespace, where it is root."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from weft.adapters.nodes import virtual
from weft.adapters.nodes.virtual import VirtualNodes
from weft.host import settings, shell, signals
from weft.spec.study import Study


def enter(study: Study) -> None:
    """Replace this process by itself in a user namespace, if a run needs one and the kernel allows it."""
    needed = any(isinstance(spec.nodes, VirtualNodes) for _, spec in study.cells())
    unshare = shutil.which("unshare")
    if not needed or os.geteuid() == 0 or unshare is None:
        return
    namespaces = [unshare, "--user", "--map-root-user", "--mount", "--propagation", "private"]
    if shell.run([*namespaces, "true"], check=False).code == 0:
        # inside, this user is root; its directories are still those of the user
        signals.check()  # what comes later, the next program notes
        environment = {**os.environ, **settings.directories()}
        argv = [*namespaces, "--", sys.executable, "-P", "-m", "weft", *sys.argv[1:]]
        os.execve(unshare, argv, environment)  # noqa: S606 - no shell is wanted


def follow(door: Sequence[str]) -> None:
    """Replace this process by itself in the user namespace of a persistent cluster, if that has one."""
    if not door or virtual.rootless():
        return
    signals.check()  # what comes later, the next program notes
    environment = {**os.environ, **settings.directories()}
    # entering a mount namespace loses the working directory
    argv = [*door, "env", f"--chdir={Path.cwd()}", sys.executable, "-P", "-m", "weft", *sys.argv[1:]]
    os.execvpe(argv[0], argv, environment)  # noqa: S606 - no shell is wanted


def door() -> tuple[str, ...]:
    """Arguments that move a command from outside into the user namespace of this process; empty if it has none."""
    if not virtual.rootless():
        return ()
    return ("nsenter", "--target", str(os.getpid()), "--user", "--mount", "--preserve-credentials", "--")
