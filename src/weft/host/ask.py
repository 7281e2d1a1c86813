"""The answer of one of weft's programs in `host/programs/`, from this machine or from another host."""

from collections.abc import Callable, Mapping
from typing import Any

from weft.errors import NodeError
from weft.host.programs import answers, cleanup, clock, examine, files, inventory, limits, ports
from weft.host.remote.reach import Reach

_PROGRAMS: Mapping[str, Callable[..., Any]] = {
    "cleanup": cleanup.answer,
    "clock": clock.answer,
    "examine": examine.answer,
    "files": files.answer,
    "inventory": inventory.answer,
    "limits": limits.answer,
    "ports": ports.answer,
}


def ask(reach: Reach | None, program: str, request: Mapping[str, Any], *, timeout: float = 60) -> Any:
    """Send the request to a host, or without a way to one call the program here. Raises NodeError."""
    if reach:
        return reach.ask(program, request, timeout=timeout)
    try:
        return _PROGRAMS[program](**request)
    except OSError as error:
        raise NodeError(answers.reason(error)) from error
