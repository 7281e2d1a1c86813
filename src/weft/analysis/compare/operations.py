"""The engine's file operations in each cell of a study, if the probe fileops counted them."""

from collections.abc import Collection, Sequence
from pathlib import Path

from weft.analysis.read import spans
from weft.analysis.read.part import Part
from weft.analysis.read.sources import Sources
from weft.analysis.summary import filecalls, totals
from weft.analysis.summary.summary import CounterRow
from weft.errors import RecordError
from weft.record.record import Stored, read

_FILES = ("input", "scratch", "output")
_ONLY_READ, _ONLY_WRITTEN = ("input", "scratch"), ("scratch", "output")
"""In records without components: roles that neither generators, which write the input, nor validators use."""


class Operations(Part):
    """Sums over all nodes; sizes in bytes. A transfer is a copy within the kernel (sendfile), which includes a read."""

    opens: int = 0
    reads: int = 0
    bytes_read: int = 0
    writes: int = 0
    bytes_written: int = 0
    output_calls: int = 0
    """Of any kind on the output, such as those of a stream's checkpoints; 0 in records without components."""

    @property
    def mean_read(self) -> float | None:
        return self.bytes_read / self.reads if self.reads else None

    @property
    def mean_write(self) -> float | None:
        return self.bytes_written / self.writes if self.writes else None


def operations(directory: Path) -> Operations | None:
    """The file operations of a record by role; None if they were not counted."""
    try:
        found = filecalls.counted(_counters(read(directory)))
    except RecordError:
        return None
    if not found:
        return None
    components = filecalls.engine(found)
    apart = components != [""]
    total = filecalls.table(found, components, filecalls.MEASURED if apart else "")

    def sums(files: Sequence[str], names: Collection[str], key: str) -> int:
        of = [each for (kind, name), each in total.items() if kind in files and name in names]
        return int(sum(getattr(each, key) for each in of))

    read_from, written_to = (_FILES, _FILES) if apart else (_ONLY_READ, _ONLY_WRITTEN)
    return Operations(
        opens=sums(("scratch",), ("open",), "count"),
        reads=sums(read_from, ("read", "transfer"), "count"),
        bytes_read=sums(read_from, ("read", "transfer"), "bytes"),
        writes=sums(written_to, ("write",), "count"),
        bytes_written=sums(written_to, ("write",), "bytes"),
        output_calls=sums(("output",), {name for _, name in total}, "count") if apart else 0,
    )


def _counters(stored: Stored) -> tuple[CounterRow, ...]:
    sources = Sources(stored)
    events, samples = sources.events(), sources.samples()
    begin = spans.begin(events, samples)
    last = max(samples["t"].to_list()[-1:], default=begin)
    phases = spans.phases(sources, events, last, begin)
    return sources.rows("the counters", lambda: totals.sums(sources, samples, phases, begin))
