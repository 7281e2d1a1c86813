"""The preload library's bytes beside the kernel's: who has whose sums, and what a difference means."""

from typing import Any

import pytest

from weft.report.draw.blocks import Table
from weft.report.sections.kernelcount import compare_counts, comparison


def process(
    pid: int,
    read: int,
    *,
    parent: int = 0,
    ended: bool = True,
    kernel: int | None = None,
    program: str = "java",
) -> dict[str, Any]:
    """One that read so many bytes and wrote twice as many; `kernel`: bytes read, children included."""
    classes = {"input": {"read": {"bytes": read}}, "scratch": {"write": {"bytes": 2 * read}, "open": {}}}
    counts = {} if kernel is None else {"kernel_read": kernel, "kernel_written": 2 * kernel}
    return {
        "pid": pid,
        "program": f"/bin/{program}",
        "parent": parent,
        "ended": ended,
        "classes": classes,
        **counts,
    }


def test_a_childs_sums_are_its_parents_once_it_has_ended() -> None:
    one = compare_counts([process(8, 100, ended=False, kernel=160), process(9, 60, parent=8, kernel=60)])
    assert one is not None
    assert (one.counted_read, one.kernel_read) == (160, 160)
    assert (one.counted_written, one.kernel_written) == (320, 320)
    assert (one.read, one.written, one.silent) == (0.0, 0.0, [])


def test_a_child_that_still_runs_has_its_own() -> None:
    one = compare_counts(
        [process(8, 100, ended=False, kernel=100), process(9, 60, parent=8, ended=False, kernel=60)]
    )
    assert one is not None
    assert (one.counted_read, one.kernel_read) == (160, 160)


def test_the_kernels_own_copies_are_read_and_written() -> None:
    each = process(8, 100, kernel=400)
    each["classes"]["scratch"]["transfer"] = {"bytes": 300}
    one = compare_counts([each])
    assert one is not None
    assert (one.counted_read, one.counted_written) == (400, 500)


@pytest.mark.parametrize(
    ("processes", "words"),
    [
        ([process(8, 100, kernel=104)], "they agree within 5 %"),
        ([process(8, 90, kernel=100)], "reads and writes that the library did not see"),
        ([process(8, 100, kernel=100), process(9, 50, ended=False)], "lack those of killed programs: java"),
        ([process(8, 120, kernel=100)], "without a waiting parent"),
    ],
)
def test_a_difference_is_explained(processes: list[dict[str, Any]], words: str) -> None:
    (table,) = comparison({"node1": {"processes": processes}})
    assert isinstance(table, Table)
    assert words in table.rows[0][-1]


def test_a_record_without_the_kernels_sums_has_no_table() -> None:
    old = {key: value for key, value in process(8, 100).items() if key not in {"ended", "parent"}}
    assert comparison({"node1": {"processes": [old]}}) == []
