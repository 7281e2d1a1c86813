"""pagerank: generator, job and validator have one definition, and only ranks within the bound are valid."""

import pytest

from tests.commandline import option
from tests.fakes import fake_layout, fake_nodes
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.pagerank import PageRank, PageRankGraphx

MADE = {"valid": True, "vertices": 500, "edges": 4000, "dangling": 200}
RAN = {"valid": True, "seconds": 3.0, "bytes_in": 9000, "bytes_out": 100}
FOUND = {"valid": True, "difference": 1e-15, "bound": 1e-11, "sum": 1.0}


@pytest.mark.parametrize("kind", [PageRank, PageRankGraphx])
def test_one_definition_for_job_and_validator(kind: type[PageRank]) -> None:
    workload, layout = kind(vertices=1000, rounds=3, dangling="leak", edges="merge", seed=4), fake_layout()
    job, (check,) = workload.job(Prepared(layout, [])), workload.check(Prepared(layout, []))
    for key in ("vertices", "rounds", "damping", "dangling", "edges"):
        assert option(job.arguments, key) == option(check.argv, key)
    made = workload.prepare(layout)[0]
    assert option(made.argv, "seed") == option(check.argv, "seed") == "4"
    assert option(job.arguments, "method") == kind.method


def test_every_part_of_the_graph_is_made_by_one_node() -> None:
    prepared = PageRank(parts=5).prepare(fake_layout(fake_nodes(3)))
    ranges = [(int(option(c.argv, "part-from")), int(option(c.argv, "part-to"))) for c in prepared]
    assert [number for begin, end in ranges for number in range(begin, end)] == list(range(5))


def test_only_ranks_near_the_reference_are_valid() -> None:
    workload = PageRank(vertices=1000)
    right = workload.judge(Results([MADE, MADE], RAN, [FOUND]))
    assert (right.valid, right.facts["edges"], right.facts["difference"]) == (True, 8000, 1e-15)
    wrong = workload.judge(Results([MADE, MADE], RAN, [{**FOUND, "valid": False, "reason": "far"}]))
    assert (wrong.valid, wrong.reason) == (False, "far")
    short = workload.judge(Results([MADE], RAN, [FOUND]))
    assert short.reason == "the generator produced 500 vertices instead of 1000"
