"""The preload library's counts beside the kernel's, by node: how much of the reads and writes it saw."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.report.draw.blocks import Block, Number, Table
from weft.text.numbers import percent, size

NEAR = 0.05
"""Share of the kernel's bytes up to which the two are considered equal."""
_SOURCE = (
    "Bytes of read, write and transfer calls, sockets and pipes included; the kernel's are rchar and wchar of "
    "/proc/PID/io. Mapped files and recv or send are in neither."
)


@dataclass(frozen=True)
class Compared:
    """One node's bytes, as the library and as the kernel counted them."""

    counted_read: int = 0
    counted_written: int = 0
    kernel_read: int = 0
    kernel_written: int = 0
    silent: Sequence[str] = field(default=())
    """Killed programs whose bytes are not in the kernel's sums, because no counted process waited for them."""

    @property
    def read(self) -> float | None:
        """Share by which the library's reads differ from the kernel's; negative if it saw less."""
        return self.counted_read / self.kernel_read - 1 if self.kernel_read else None

    @property
    def written(self) -> float | None:
        """The same for writes."""
        return self.counted_written / self.kernel_written - 1 if self.kernel_written else None


def compare_counts(processes: Iterable[Mapping[str, Any]]) -> Compared | None:
    """One node's sums over its processes; None in records without the kernel's.

    The kernel adds a process's bytes to its parent's when the parent waits for it. The sums therefore include processes
    that still run, and those ended ones for which no counted process has waited.
    """
    every = list(processes)
    if not any("ended" in process for process in every):
        return None
    known = {process["pid"] for process in every}
    loose = [process for process in every if process["parent"] not in known or not process["ended"]]
    counts = [process for process in loose if "kernel_read" in process]
    return Compared(
        _moved(every, "read"),
        _moved(every, "write"),
        sum(process["kernel_read"] for process in counts),
        sum(process["kernel_written"] for process in counts),
        sorted(
            process["program"].rpartition("/")[2]
            for process in loose
            if "kernel_read" not in process and process["parent"] not in known
        ),
    )


def comparison(nodes: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    """A table with a row for each node, and its interpretation."""
    found = {name: compare_counts(node["processes"]) for name, node in nodes.items()}
    rows = [(name, *_row(one)) for name, one in found.items() if one]
    titles = ("read, counted", "kernel", "difference", "written, counted", "kernel", "difference")
    columns = ["node", *map(Number, titles), "explanation"]
    return [Table(columns, rows, _SOURCE)] if rows else []


def _row(one: Compared) -> tuple[str, ...]:
    read = (size(one.counted_read), size(one.kernel_read), _signed(one.read))
    written = (size(one.counted_written), size(one.kernel_written), _signed(one.written))
    return (*read, *written, _meaning(one))


def _meaning(one: Compared) -> str:
    shares = {"reads": one.read, "writes": one.written}
    less = [name for name, share in shares.items() if share is not None and share < -NEAR]
    more = [name for name, share in shares.items() if share is not None and share > NEAR]
    words = []
    if less:
        words.append(
            f"{' and '.join(less)} that the library did not see: calls that bypass the C library, or processes without it"
        )
    if more and one.silent:
        words.append(
            f"the kernel's {' and '.join(more)} lack those of killed programs: {', '.join(dict.fromkeys(one.silent))}"
        )
    elif more:
        words.append(
            f"{' and '.join(more)} that are not in the kernel's sums: from a pool's memory, or of processes without a waiting parent"
        )
    return "; ".join(words) or f"they agree within {percent(NEAR)}"


def _signed(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:+.1f} %"


def _moved(processes: Sequence[Mapping[str, Any]], operation: str) -> int:
    """Bytes of an operation; copies within the kernel are both read and written."""
    sums = [
        kind.get(name, {})
        for process in processes
        for kind in process["classes"].values()
        for name in (operation, "transfer")
    ]
    return sum(each.get("bytes", 0) for each in sums)
