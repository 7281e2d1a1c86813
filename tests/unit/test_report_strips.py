"""The strips of CPU of a timeline: their heights can be compared."""

import re

from weft.analysis.read.nodes import NodeInfo
from weft.analysis.summary.summary import Series, Summary
from weft.report.draw.blocks import Chart
from weft.report.sections.timeline import timeline


def test_the_lowest_of_many_nodes_has_the_scale_of_the_highest() -> None:
    names = [f"n{number}" for number in range(8)]
    summary = Summary(
        id="x", directory="/x", verdict="VALID", nodes=tuple(NodeInfo(name=name, cores=4) for name in names),
        series=tuple(
            Series(node=name, counter="cpu_user", points=((0, number / 2 + 0.1), (9, number / 2 + 0.1))) for number, name in enumerate(names)
        ),
    )  # fmt: skip
    charts = [one for one in timeline(summary).blocks if isinstance(one, Chart)]
    chart = next(one for one in charts if one.title == "CPU, cores")
    assert len(chart.plain) == 3
    # each of the three has the axis of a node's cores
    assert re.findall(r">(0\.\d+)<", chart.draw()) == []


def test_many_nodes_of_which_none_has_a_kind_of_thread_have_a_timeline() -> None:
    names = [f"n{number}" for number in range(8)]
    summary = Summary(
        id="x", directory="/x", verdict="VALID", nodes=tuple(NodeInfo(name=name, cores=4) for name in names),
        series=tuple(Series(node=name, counter="cpu_of_task", points=((0, 1), (9, 1))) for name in names),
    )  # fmt: skip
    charts = {one.title: one for one in timeline(summary).blocks if isinstance(one, Chart)}
    assert len(charts["CPU by kind of thread, cores"].plain) == 3


def test_waits_of_machines_that_are_nodes_are_shown_for_each() -> None:
    """On other hosts a node's readings of its machine have the node's name."""
    summary = Summary(
        id="x", directory="/x", verdict="VALID", nodes=(NodeInfo(name="n1"), NodeInfo(name="n2")),
        series=tuple(Series(node=name, counter="iowait", points=((0, most), (9, most))) for name, most in (("n1", 0.5), ("n2", 0))),
    )  # fmt: skip
    section = timeline(summary)
    charts = {one.title: one for one in section.blocks if isinstance(one, Chart)}
    (line,) = charts["Waiting of the whole machine, seconds per second"].plain
    assert line.startswith("n1 iowait ")
    assert "Waiting of the whole machine over time" not in section.unseen
