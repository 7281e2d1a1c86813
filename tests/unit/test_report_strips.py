"""The strips of CPU of a timeline: their heights can be compared."""

import re

from weft.analysis.read.nodes import NodeInfo
from weft.analysis.summary.summary import Series, Summary
from weft.report.draw.blocks import Chart
from weft.report.sections.timeline import timeline


def test_the_lowest_of_many_nodes_looks_as_idle_as_it_is() -> None:
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
