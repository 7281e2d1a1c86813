"""wordcount, grep, sort and pi: one text for generator, job and validator, and a verdict that only a right answer gives."""

from typing import Any

import pytest

from tests.commandline import option
from tests.fakes import fake_layout, fake_nodes
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.grep import Grep
from weft.adapters.workloads.pi import Pi
from weft.adapters.workloads.sort import Sort
from weft.adapters.workloads.wordcount import WordCount
from weft.adapters.workloads.zipftext import ZipfText

MADE: dict[str, Any] = {"valid": True, "bytes": 10_000, "lines": 120, "checksum": "f" * 32}
PREPARED = [MADE, {**MADE, "bytes": 20_000, "lines": 240, "checksum": "2"}]
RAN = {"valid": True, "seconds": 2.0, "bytes_in": 30_000, "bytes_out": 50}
FOUND = {"valid": True, "distinct": 7, "total": 90}
TEXT = ("blocks", "words", "exponent", "seed")


@pytest.mark.parametrize("kind", [WordCount, Grep, Sort])
def test_every_part_of_the_text_is_made_by_one_node(kind: type[ZipfText]) -> None:
    prepared = kind(parts=7).prepare(fake_layout(fake_nodes(3)))  # type: ignore[call-arg]
    ranges = [(int(option(c.argv, "part-from")), int(option(c.argv, "part-to"))) for c in prepared]
    assert [number for begin, end in ranges for number in range(begin, end)] == list(range(7))


@pytest.mark.parametrize("workload", [WordCount(size=30_500, seed=4), Grep(size=30_500, pattern="b.")])
def test_the_answer_is_found_for_the_text_that_was_made(workload: ZipfText) -> None:
    layout = fake_layout()
    made, (check,) = workload.prepare(layout)[0], workload.check(Prepared(layout, PREPARED))
    assert [option(made.argv, key) for key in TEXT] == [option(check.argv, key) for key in TEXT]
    assert option(made.argv, "blocks") == "3", "whole blocks"
    job = workload.job(Prepared(layout, PREPARED))
    assert option(job.arguments, "output") == option(check.argv, "input")


def test_grep_and_its_validator_have_one_pattern() -> None:
    workload, layout = Grep(pattern="[ab]+"), fake_layout()
    (check,) = workload.check(Prepared(layout, PREPARED))
    assert (
        option(workload.job(Prepared(layout, PREPARED)).arguments, "pattern")
        == option(check.argv, "pattern")
        == "[ab]+"
    )


def test_sort_is_checked_against_the_sums_of_all_generators() -> None:
    (check,) = Sort().check(Prepared(fake_layout(), PREPARED))
    assert (option(check.argv, "lines"), option(check.argv, "checksum")) == ("360", "1")


def test_only_a_right_answer_is_valid() -> None:
    workload = WordCount(size=30_000)
    right = workload.judge(Results(PREPARED, RAN, [FOUND]))
    assert (right.valid, right.bytes_in, right.bytes_out, right.seconds) == (True, 30_000, 50, 2.0)
    assert right.facts == {"distinct": 7, "total": 90}
    wrong = workload.judge(Results(PREPARED, RAN, [{"valid": False, "reason": 'missing is "ba"'}]))
    assert (wrong.valid, wrong.reason) == (False, 'missing is "ba"')
    short = workload.judge(Results([MADE], RAN, [FOUND]))
    assert (short.valid, short.reason) == (False, "the generator produced 10000 bytes instead of 30000")


def test_pi_is_valid_only_with_the_exact_count() -> None:
    ran = {"valid": True, "points": 1000, "inside": 787, "pi": 3.148, "seconds": 1.0}
    assert Pi(points=1000).judge(Results([], ran, [{"inside": 787}])).valid
    wrong = Pi(points=1000).judge(Results([], ran, [{"inside": 788}]))
    assert (wrong.valid, wrong.reason) == (False, "the job counted 787 points in the circle instead of 788")


def test_pi_has_an_answer_of_its_own_points() -> None:
    workload, layout = Pi(points=5000), fake_layout()
    (check,) = workload.check(Prepared(layout, []))
    assert (
        option(workload.job(Prepared(layout, [])).arguments, "points")
        == option(check.argv, "points")
        == "5000"
    )
