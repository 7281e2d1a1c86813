"""The role of a process to which tasks are connected, from its command line. The names are data: `peers.toml`."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from weft.facts import rules
from weft.facts.threadkinds import PYTHON_MODULES, runs_tasks

PYTHON, CHILD, EXECUTOR = "Python worker", "child processes", "executors"
"""A worker or the daemon of PySpark; any other process that the tasks' process has started; where tasks run."""
SERVICES = {"hdfs": "HDFS", "kafka": "Kafka"}
"""The role of a service's daemons, by its kind."""
PEERS = "peers"


def role(arguments: Sequence[str], program: str) -> str:
    """Of a process: its command line, and its program as `shell.title` names it; empty if it has none of them."""
    modules = [module for option, module in pairwise(arguments) if option == "-m"]
    if runs_tasks(program):
        return EXECUTOR
    return next((found for name in (*modules[:1], program) if (found := _roles().get(name))), "")


def roles() -> tuple[str, ...]:
    """All of them."""
    return tuple(dict.fromkeys((*_roles().values(), PYTHON, CHILD, EXECUTOR)))


@cache
def _roles() -> Mapping[str, str]:
    found = {name: role for role, names in rules.shared(PEERS).items() for name in names}
    return found | dict.fromkeys(PYTHON_MODULES, PYTHON)
