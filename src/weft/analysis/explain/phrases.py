"""Parts of the slot time as text that follows `61 % of slot time ...`."""

from weft.analysis.explain.timeparts import Operation, TimePart
from weft.text.numbers import percent

_PHRASES = {
    "processor": "was tasks computing on a processor",
    "waiting for a processor": "was tasks waiting for a processor that others used",
    "collector": "was tasks stopped by the garbage collector",
    "network": "was tasks waiting for blocks from other executors",
    "waiting in sockets": "was tasks waiting in calls on sockets: a Python worker, a database, HDFS or an object store",
    "waiting for other threads": "was tasks waiting for other threads of their process: locks, queues, replies",
    "failed work": "was work that failed or was thrown away",
    "no task: start of the job": "passed before the first task began",
    "no task: driver alone": "passed with no task, the driver alone at work",
    "no task: scheduling": "passed between tasks, in the scheduler and on the way to executors and back",
    "no task: tail of a stage": "was slots empty while the last tasks of a stage ran",
    "no task: too few tasks": "was slots empty because a stage had fewer tasks than there are slots",
}
_PLURAL = {"readdir": "listings", "other_meta": "other calls"}


def spent(part: TimePart) -> str:
    """What the slots did in this part, with counts and means where it is file calls."""
    operations = part.operations
    if part.name in _PHRASES:
        return _PHRASES[part.name] + _most(operations)
    kind, _, files = part.name.partition(": ")
    if kind not in {"metadata", "data"}:
        return f"was {part.name}"
    whole = sum(each.seconds for each in operations)
    if not whole:
        return f"waited in file calls ({kind}) whose paths nobody counted"
    first = operations[0]
    if first.seconds >= whole / 2 and first.calls:
        name, each = _plural(first.name), _each(first.seconds / first.calls)
        return f"waited for {name} on {files}: {first.calls:,.0f} {name}, {each} each"
    most = ", ".join(f"{_plural(one.name)} {percent(one.seconds / whole)}" for one in operations[:3])
    count = sum(each.calls for each in operations)
    return f"waited for {kind} on {files}: {count:,.0f} calls, {_each(whole / count)} each ({most})"


def _most(categories: tuple[Operation, ...]) -> str:
    """Of processor time, the two largest categories, where stacks were sampled."""
    whole = sum(each.seconds for each in categories)
    words = ", ".join(f"{each.name} {percent(each.seconds / whole)}" for each in categories[:2])
    return f" ({words})" if words else ""


def _plural(operation: str) -> str:
    return _PLURAL.get(operation, f"{operation}s")


def _each(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.0f} us"
