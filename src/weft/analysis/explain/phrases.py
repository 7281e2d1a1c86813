"""Parts of the slot time as text that follows `61 % of slot time ...`."""

from collections.abc import Sequence

_PHRASES = {
    "processor": "was tasks computing on a processor",
    "waiting for a processor": "was tasks waiting for a processor that others used",
    "collector": "was tasks stopped by the garbage collector",
    "network": "was tasks waiting for blocks from other executors, or in calls on sockets",
    "waiting for other threads": "was tasks waiting for other threads of their process: locks, queues, replies",
    "failed work": "was work that failed or was thrown away",
    "no task: start of the job": "passed before the first task began",
    "no task: driver alone": "passed with no task, the driver alone at work",
    "no task: scheduling": "passed between tasks, in the scheduler and on the way to executors and back",
    "no task: tail of a stage": "was slots empty while the last tasks of a stage ran",
    "no task: too few tasks": "was slots empty because a stage had fewer tasks than there are slots",
}
_PLURAL = {"readdir": "listings", "other_meta": "other calls"}
Operations = Sequence[tuple[str, float, float]]
"""Name, seconds and calls."""


def spent(part: str, operations: Operations) -> str:
    """What the slots did in this part, with counts and means where it is file calls."""
    if part in _PHRASES:
        return _PHRASES[part] + _most(operations)
    kind, _, files = part.partition(": ")
    if kind not in {"metadata", "data"}:
        return f"was {part}"
    whole = sum(seconds for _, seconds, _ in operations)
    if not whole:
        return f"waited in file calls ({kind}) whose paths nobody counted"
    first, seconds, calls = operations[0]
    if seconds >= whole / 2 and calls:
        return f"waited for {_plural(first)} on {files}: {calls:,.0f} {_plural(first)}, {_each(seconds / calls)} each"
    most = ", ".join(f"{_plural(name)} {percent(each / whole)}" for name, each, _ in operations[:3])
    count = sum(calls for _, _, calls in operations)
    return f"waited for {kind} on {files}: {count:,.0f} calls, {_each(whole / count)} each ({most})"


def _most(categories: Operations) -> str:
    """Of processor time, the two largest categories, where stacks were sampled."""
    whole = sum(seconds for _, seconds, _ in categories)
    words = ", ".join(f"{name} {percent(seconds / whole)}" for name, seconds, _ in categories[:2])
    return f" ({words})" if words else ""


def percent(share: float) -> str:
    """61 %."""
    return f"{share:.0%}".replace("%", " %")


def _plural(operation: str) -> str:
    return _PLURAL.get(operation, f"{operation}s")


def _each(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.0f} us"
