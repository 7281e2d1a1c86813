"""sort: the lines of a text in order; unlike TeraSort's records they differ in length, and their keys are skewed."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from weft.adapters.workloads.base import Checker, Outcome
from weft.adapters.workloads.terarecords import by_size, total
from weft.adapters.workloads.zipftext import ZipfText
from weft.layout.plan import Layout


class Sort(ZipfText):
    """Sort the lines of generated text, as unsigned bytes, into one total order."""

    kind: Literal["sort"] = "sort"
    main_class: ClassVar[str] = "Sort"
    checker = Checker(
        "SortValidate",
        "the output: the order of all lines, their number and the sum of their CRC32; by those of the generator",
        ("LineMutant",),
        ("TextValidateTest.wrongSortsAreNamed",),
    )

    def reducers(self, layout: Layout) -> int:
        """64 MB per partition, as in TeraSort."""
        return self.partitions or by_size(layout, self.size)

    def answer(self, prepared: Sequence[Outcome]) -> dict[str, object]:
        lines = sum(outcome["lines"] for outcome in prepared)
        return {"lines": lines, "checksum": total(prepared)}
