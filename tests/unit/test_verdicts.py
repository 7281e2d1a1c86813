"""Every workload with an answer names what checks it, and the wrong results that it refuses; a test exists for each of these."""

import itertools
import re
from pathlib import Path
from typing import Any

import checkers
import pytest

from tests.fakes import fake_layout
from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Checker, Prepared, Results, Workload
from weft.adapters.workloads.fileopen import FileOpen
from weft.adapters.workloads.groupby import GroupBy
from weft.adapters.workloads.pi import Pi
from weft.adapters.workloads.sparkml import SparkMl
from weft.adapters.workloads.sparkperf import SparkPerf
from weft.adapters.workloads.teracount import TeraCount
from weft.adapters.workloads.terasort import TeraSort
from weft.adapters.workloads.wordcount import WordCount
from weft.facts.checked import JOB, PROGRAM, clause
from weft.host import settings

ROOT = settings.SOURCE
TESTS = [*ROOT.glob("java/*/src/test/**/*Test.java"), *ROOT.glob("tests/unit/test_*.py")]
MADE = [{"rows": 4, "checksum": "f", "hash": "e"}, {"rows": 6, "checksum": "1", "hash": "f" * 16}]
RAN = {"valid": True, "seconds": 1.0, "bytes_in": 1000}
GROUPED = {"groups": 3, "pairs": 9, "checksum": "ab"}
RIGHT = {"valid": True, "rows": 10, "checksum": "10"}
WRONG = {"valid": False, "reason": "partition 1 has 4 records"}
WITH_PROGRAM: list[Workload] = [
    TeraSort(size=1000),
    TeraCount(size=1000),
    SparkPerf(kind="count"),
    SparkMl(kind="pearson"),
    FileOpen(),
]
"""Their verdict is that of a program; the others' are in tests of their own."""


@pytest.mark.parametrize("workload", WITH_PROGRAM, ids=lambda workload: workload.kind)
def test_the_verdict_is_the_checkers(workload: Workload) -> None:
    right = workload.judge(Results(MADE, RAN, [RIGHT]))
    assert (right.valid, right.reason) == (True, "")
    wrong = workload.judge(Results(MADE, RAN, [WRONG]))
    assert (wrong.valid, wrong.reason) == (False, "partition 1 has 4 records")


@pytest.mark.parametrize(
    ("workload", "left", "words"),
    [
        (TeraSort(size=1000), (MADE[:1], RAN, [RIGHT]), "produced 4 rows instead of 10"),
        (GroupBy(), ([], {**GROUPED, "pairs": 8}, [GROUPED]), "pairs is 8, the generator's is 9"),
        (GroupBy(), ([], {**GROUPED, "groups": 4}, [GROUPED]), "groups is 4"),
        (GroupBy(), ([], {**GROUPED, "checksum": "ac"}, [GROUPED]), "checksum is ac"),
        (GroupBy(), ([], {}, [GROUPED]), "groups is None"),
    ],
)  # fmt: skip
def test_what_a_wrong_engine_leaves_is_not_valid(workload: Workload, left: Any, words: str) -> None:
    judged = workload.judge(Results(*left))
    assert not judged.valid
    assert words in judged.reason


def test_the_sums_of_all_generators_are_the_checkers() -> None:
    (check,) = TeraSort().check(Prepared(fake_layout(), MADE))
    words = list(check.argv)
    assert (words[words.index("--checksum") + 1], words[words.index("--hash") + 1]) == ("10", "d")


def options(words: Any) -> dict[str, str]:
    listed = [str(word) for word in words]
    return {key: value for key, value in itertools.pairwise(listed) if key.startswith("--")}


@pytest.mark.parametrize("workload", WITH_PROGRAM[1:], ids=lambda workload: workload.kind)
def test_job_and_checker_have_one_answer_and_one_definition_of_it(workload: Workload) -> None:
    layout = fake_layout()
    job = options(workload.job(Prepared(layout, MADE)).arguments)
    (check,) = workload.check(Prepared(layout, MADE))
    found = options(check.argv)
    assert job["--answer"] == found["--answer"]
    own = {"--outcome", "--threads"} if workload.kind == "teracount" else {"--outcome"}
    assert {
        key: value for key, value in found.items() if key in job and key not in own and value != job[key]
    } == {}


def test_all_but_users_own_jobs_are_checked_by_a_program() -> None:
    unchecked = {name for name, kind in KINDS.items() if kind.checker is None}
    assert unchecked == {"own-job", "own-sql", "persistent"}
    assert TeraSort().checked_by == PROGRAM
    assert len(KINDS) - len(unchecked) == 45


def test_a_result_that_the_job_itself_checked_says_so() -> None:
    """Only records of earlier versions have such ones."""
    assert clause(JOB).startswith("self-checked")
    assert clause(PROGRAM) == "an independent program checked the result, and it is right"


def test_another_count_of_points_in_the_circle_is_not_valid() -> None:
    ran = {"points": 4, "inside": 3, "pi": 3.0, "seconds": 1.0}
    assert Pi(points=4).judge(Results([], ran, [{"inside": 3}])).valid
    judged = Pi(points=4).judge(Results([], ran, [{"inside": 4}]))
    assert (judged.valid, judged.reason) == (False, "the job counted 3 points in the circle instead of 4")


def claims() -> list[tuple[Checker, str]]:
    """The checker and a mutant, of all."""
    of = [kind.checker for kind in KINDS.values() if kind.checker]
    found = {(checker, mutant) for checker in of for mutant in checker.mutants}
    return sorted(found, key=lambda claim: (claim[0].program, claim[1]))


def of_files(checker: Checker) -> list[Path]:
    """The files that have a checker's tests."""
    return [path for path in TESTS if path.stem in {place.partition(".")[0] for place in checker.tests}]


def cases(checker: Checker, mutant: str) -> set[str]:
    """The constants of an enum with which the methods that a checker names are called."""
    found = set()
    for path, place in itertools.product(of_files(checker), checker.tests):
        method = f"void {place.rpartition('.')[2]}({checkers.enum(mutant)} mutant"
        before, is_there, _ = path.read_text().partition(method)
        given = before.rpartition("@ParameterizedTest")[2] if is_there else ""
        found |= set(re.findall(r'"([A-Z_]+)\|', given))
    return found


def names(path: Path) -> list[list[str]]:
    """The words of the names of a file's tests."""
    pattern = r"void (\w+)\(" if path.suffix == ".java" else r"def test_(\w+)\("
    found = re.findall(pattern, path.read_text())
    return [re.sub(r"([A-Z]|\d+)", r" \1", name.replace("_", " ")).lower().split() for name in found]


def says(name: list[str], mutant: str) -> bool:
    """Whether all words are in the name of a test, in their order."""
    left = iter(name)
    return all(word in left for word in mutant.lower().replace(",", "").split())


@pytest.mark.parametrize(("checker", "mutant"), claims(), ids=lambda part: getattr(part, "program", part))
def test_a_mutant_that_is_claimed_has_a_test(checker: Checker, mutant: str) -> None:
    if checkers.is_set(mutant):
        assert cases(checker, mutant) == set(checkers.constants(mutant))
    else:
        assert [path for path in of_files(checker) if any(says(name, mutant) for name in names(path))]


def test_a_claim_without_a_test_would_be_seen() -> None:
    assert says(["a", "lost", "edge", "is", "found"], "a lost edge")
    assert not says(["an", "edge", "is", "lost"], "a lost edge")
    assert WordCount.checker
    assert "SWAP" not in cases(WordCount.checker, "LineMutant")
    assert "SWAP" in checkers.constants("LineMutant")


BY_FILE = {"trace", "stream-statistics", "nexmark"}
"""They need a file or a service; test_trace, test_streamstatistics and test_nexmark have their programs."""


@pytest.mark.parametrize("name", sorted({name for name, kind in KINDS.items() if kind.checker} - BY_FILE))
def test_the_checker_that_is_named_is_the_one_that_is_run(name: str) -> None:
    kind = KINDS[name]
    workload = kind(kind=name)
    assert isinstance(workload, Workload)
    assert kind.checker
    (check,) = workload.check(Prepared(fake_layout(), [{**MADE[0], "lines": 1}]))
    assert any(word.endswith(kind.checker.program) for word in check.argv)


def test_the_guide_has_the_table_of_checkers() -> None:
    guide = (ROOT / "docs" / "guide" / "workloads.md").read_text()
    assert "\n".join(checkers.table()) in guide, "tools/checkers.py prints the table as it should be"
