"""bench/holdouts: constants that are fitted to some workloads, and what they are worth for the one that is left out."""

import math
import runpy
from dataclasses import dataclass

from weft.analysis.predict.constants import VALUE
from weft.host import settings

BENCH = runpy.run_path(str(settings.SOURCE / "bench" / "holdouts.py"))


@dataclass
class Work:
    """Runs whose times follow from a constant, as far as the one of the model is so many times its value."""

    name: str
    times: float
    power: float = 1.0

    def __post_init__(self) -> None:
        self.kept = VALUE["fuse_write"]

    def logs(self) -> list[float]:
        return (
            [self.power * math.log(VALUE["fuse_write"] / (self.times * self.kept))]
            if VALUE["fuse_write"]
            else [9.0]
        )


def test_a_fit_finds_the_constants_and_leaves_alone_what_decides_nothing() -> None:
    before = dict(VALUE)
    found = BENCH["fit"]([Work("a", 2.0), Work("b", 2.0)])
    assert found == {**{name: VALUE[name] for name in BENCH["FITTED"]}, "fuse_write": 2 * VALUE["fuse_write"]}
    assert before == VALUE, "constants are as they were"


def test_each_workload_is_scored_by_constants_of_the_others() -> None:
    lines = BENCH["lines"]([Work("a", 1.0), Work("b", 1.0), Work("c", 4.0)])
    rows = {
        row[0]: row[1:]
        for row in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])
    }
    assert rows["a"][:2] == ["1", "0 %"]
    assert (rows["c"][1], rows["c"][3]) == ("300 %", "300 %"), "as kept, and without it"
    assert rows["c"][4] == "fuse_write 0.0007", "without c nothing is to be changed"
    assert rows["all"][0] == "3"


def test_constants_are_shares_and_powers_of_at_most_one() -> None:
    tried = BENCH["_tried"]({}, "warm_up_share")
    assert tried[0] == {"warm_up_share": VALUE["warm_up_share"]}
    assert max(one["warm_up_share"] for one in tried) == 1.0
