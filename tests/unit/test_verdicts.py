"""Verdicts of workloads on what a wrong engine would leave: each wrong in one way, and each refused with words."""

from typing import Any

import pytest

from tests.fakes import fake_layout
from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import JOB, NOBODY, PROGRAM, Prepared, Results, Workload
from weft.adapters.workloads.fileopen import FileOpen
from weft.adapters.workloads.groupby import GroupBy
from weft.adapters.workloads.sparkml import SparkMl
from weft.adapters.workloads.sparkperf import SparkPerf
from weft.adapters.workloads.teracount import TeraCount
from weft.adapters.workloads.terasort import TeraSort

MADE = [{"rows": 4, "checksum": "f"}, {"rows": 6, "checksum": "1"}]
COUNTED = {"valid": True, "reason": "", "rows": 10, "checksum": "10", "bytes_in": 1000, "seconds": 1.0}
SORTED = {"valid": True, "rows": 10, "checksum": "10"}
GROUPED = {"groups": 3, "pairs": 9, "checksum": "ab"}
RAN = {"valid": True, "reason": "", "seconds": 1.0}
ANSWERED_ELSEWHERE = {
    "wordcount",
    "grep",
    "sort",
    "pi",
    "pagerank",
    "pagerank-graphx",
    "dfsio",
    "trace",
    "tpcds",
    "sql-join",
    "stream-statistics",
}
"""Their verdicts are in test_zipftext, test_pagerank, test_dfsio, test_trace, test_tpcds, test_sqljoin and test_streamstatistics; the others of KINDS have no answer of weft's."""

Left = tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]
RIGHT: list[tuple[Workload, Left]] = [
    (TeraSort(size=1000), (MADE, COUNTED, [SORTED])),
    (TeraCount(size=1000), (MADE, COUNTED, [])),
    (GroupBy(), ([], {**GROUPED, "seconds": 1.0}, [GROUPED])),
    (SparkPerf(kind="count"), ([], RAN, [])),
    (SparkMl(kind="pearson"), ([], RAN, [])),
    (FileOpen(), ([], RAN, [])),
]
ELSEWHERE: list[Workload] = [
    KINDS[name]() for name in ("wordcount", "grep", "sort", "pi", "pagerank", "pagerank-graphx", "dfsio")
]


@pytest.mark.parametrize(("workload", "left"), RIGHT, ids=lambda value: getattr(value, "kind", ""))
def test_what_a_right_engine_leaves_is_valid(workload: Workload, left: Left) -> None:
    judged = workload.judge(Results(*left))
    assert (judged.valid, judged.reason) == (True, "")


@pytest.mark.parametrize(
    ("workload", "left", "words"),
    [
        (TeraSort(size=1000), (MADE[:1], COUNTED, [SORTED]), "produced 4 rows instead of 10"),
        (TeraSort(size=1000), (MADE, COUNTED, [{"valid": False, "reason": "row 5 is below"}]), "row 5 is below"),
        (TeraCount(size=1000), (MADE, {**COUNTED, "rows": 9}, []), "9 records arrived of 10 generated ones"),
        (TeraCount(size=1000), (MADE, {**COUNTED, "rows": 11}, []), "11 records arrived"),
        (TeraCount(size=1000), (MADE, {**COUNTED, "checksum": "11"}, []), "sum to 11, the generated ones to 10"),
        (TeraCount(size=1000), (MADE, {**COUNTED, "reason": "1 in a wrong partition"}, []), "wrong partition"),
        (GroupBy(), ([], {**GROUPED, "pairs": 8}, [GROUPED]), "pairs is 8, the generator's is 9"),
        (GroupBy(), ([], {**GROUPED, "groups": 4}, [GROUPED]), "groups is 4"),
        (GroupBy(), ([], {**GROUPED, "checksum": "ac"}, [GROUPED]), "checksum is ac"),
        (GroupBy(), ([], {}, [GROUPED]), "groups is None"),
        (SparkPerf(kind="sort-by-key"), ([], {**RAN, "valid": False, "reason": "not in order"}, []), "not in"),
        (SparkMl(kind="svd"), ([], {**RAN, "valid": False, "reason": "value 1 is 2"}, []), "value 1 is 2"),
        (FileOpen(), ([], {**RAN, "valid": False, "reason": "byte 7 differs"}, []), "byte 7 differs"),
    ],
)  # fmt: skip
def test_what_a_wrong_engine_leaves_is_not(workload: Workload, left: Left, words: str) -> None:
    judged = workload.judge(Results(*left))
    assert not judged.valid
    assert words in judged.reason


def test_every_workload_with_an_answer_has_wrong_ones_tried() -> None:
    here = {"terasort", "teracount", "groupby", "file-open"}
    perf = {name for name, kind in KINDS.items() if kind in {SparkPerf, SparkMl}}
    assert set(KINDS) - here - perf - ANSWERED_ELSEWHERE == {"own-job", "own-sql", "persistent"}


@pytest.mark.parametrize(
    "workload", [*(workload for workload, _ in RIGHT), *ELSEWHERE], ids=lambda found: found.kind
)
def test_an_independent_program_is_named_exactly_where_one_is_run(workload: Workload) -> None:
    made = [{**MADE[0], "lines": 1}]
    assert (workload.checked_by == PROGRAM) == bool(workload.check(Prepared(fake_layout(), made)))


def test_every_workload_says_who_checks_it() -> None:
    assert {name: kind.checked_by for name, kind in KINDS.items() if kind.checked_by != PROGRAM} == {
        **dict.fromkeys(("own-job", "own-sql", "persistent"), NOBODY),
        **dict.fromkeys(("teracount", "file-open"), JOB),
        **{name: JOB for name, kind in KINDS.items() if kind in {SparkPerf, SparkMl}},
    }
