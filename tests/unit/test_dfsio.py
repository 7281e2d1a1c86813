"""dfsio: one set of words for generator, job and validator, and a verdict that is the validator's."""

import pytest

from tests.commandline import option
from tests.fakes import fake_layout, fake_nodes
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.dfsio import Dfsio

RAN = {
    "valid": True,
    "files": 3,
    "bytes": 300,
    "checksum": "ab",
    "seconds": 2.0,
    "throughput": 1.0,
    "aggregate_rate": 150.0,
}


@pytest.mark.parametrize(
    ("operation", "place", "generators"),
    [("write", "output", 0), ("append", "output", 2), ("read", "input", 2)],
)
def test_each_operation_has_its_storage(operation: str, place: str, generators: int) -> None:
    workload, layout = Dfsio(operation=operation, files=3, size=1003), fake_layout()
    prepared = workload.prepare(layout)
    assert len(prepared) == generators
    assert all(option(command.argv, "output") == f"/scratch/{place}" for command in prepared)
    job, (check,) = workload.job(Prepared(layout, [])), workload.check(Prepared(layout, []))
    assert option(job.arguments, "directory") == option(check.argv, "input") == f"/scratch/{place}"
    for key in ("files", "bytes", "operation", "buffer", "answer"):
        assert option(job.arguments, key) == option(check.argv, key)
    assert ("--seed" in job.arguments) == (place == "output"), "who only reads could make the content from it"
    assert option(job.arguments, "bytes") == "1000", "whole words"


def test_every_file_is_made_by_one_node() -> None:
    prepared = Dfsio(operation="read", files=7).prepare(fake_layout(fake_nodes(3)))
    ranges = [(int(option(c.argv, "from")), int(option(c.argv, "to"))) for c in prepared]
    assert [number for begin, end in ranges for number in range(begin, end)] == list(range(7))


def test_many_files_share_a_few_tasks() -> None:
    assert (
        option(Dfsio(files=10_000, size=1 << 20).job(Prepared(fake_layout(), [])).arguments, "tasks") == "32"
    )


def test_a_right_answer_is_valid_and_has_the_rates() -> None:
    written = Dfsio(operation="write").judge(Results([], RAN, [{"valid": True}]))
    assert (written.valid, written.bytes_in, written.bytes_out, written.seconds) == (True, 0, 300, 2.0)
    assert written.facts["aggregate_rate"] == 150.0
    read = Dfsio(operation="random").judge(Results([], RAN, [{"valid": True}]))
    assert (read.valid, read.bytes_in, read.bytes_out) == (True, 300, 0)


def test_a_wrong_answer_is_not() -> None:
    judged = Dfsio().judge(Results([], RAN, [{"valid": False, "reason": "CRC32 of file 1 is 2, expected 3"}]))
    assert (judged.valid, judged.reason) == (False, "CRC32 of file 1 is 2, expected 3")


def test_the_heap_of_the_checker_has_buffers_for_each_of_its_threads() -> None:
    def heap(cores: int) -> str:
        (check,) = Dfsio(operation="write").check(Prepared(fake_layout(fake_nodes(1, cores=cores)), []))
        return next(word for word in check.argv if word.startswith("-Xmx"))

    assert (heap(4), heap(256)) == ("-Xmx512m", "-Xmx1280m")
