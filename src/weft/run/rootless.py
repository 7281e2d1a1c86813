"""Virtual nodes without root: the whole command moves into a user namespace of its own, where it is root."""

import os
import shutil
import sys

from weft.host import settings, shell, signals
from weft.nodes import virtual
from weft.nodes.virtual import VirtualNodes
from weft.spec.study import Study


def enter(study: Study) -> None:
    """Replace this process by itself inside a user namespace, when a run needs one and the kernel gives it."""
    needed = any(isinstance(spec.nodes, VirtualNodes) for _, spec in study.cells())
    unshare = shutil.which("unshare")
    if not needed or os.geteuid() == 0 or unshare is None:
        return
    namespaces = [unshare, "--user", "--map-root-user", "--mount", "--propagation", "private"]
    if shell.run([*namespaces, "true"], check=False).code == 0:
        # inside, this user is called root; its directories stay those of outside
        signals.check()  # what comes later, the next program notes
        environment = {**os.environ, **settings.directories()}
        os.execve(unshare, [*namespaces, "--", sys.executable, "-m", "weft", *sys.argv[1:]], environment)  # noqa: S606 - no shell is wanted


def door() -> tuple[str, ...]:
    """Words that bring a command from outside into the user namespace of this process; none where it has no own."""
    if not virtual.rootless():
        return ()
    return ("nsenter", "--target", str(os.getpid()), "--user", "--mount", "--preserve-credentials", "--")
