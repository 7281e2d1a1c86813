"""A matrix that is killed in the middle and started again does not repeat what is finished, and cells that can share a cluster."""

import json
import time
from pathlib import Path

import pytest

from tests.local.conftest import Weft, in_phase

MATRIX = """
nodes = "local:2"
repeat = 2
[workload]
kind = "file-open"
files = 200
rounds = 3
[matrix]
scratch = ["memory:1G", "disk"]
"""


SHARED = """
nodes = "local:2"
probes = "+fileops"
[workload]
kind = "terasort"
size = "10MB"
[matrix]
"workload.partitions" = [2, 4]
"""


def verdicts(weft: Weft) -> list[str]:
    return [
        json.loads(path.read_text())["verdict"] for path in sorted((weft.home / "runs").glob("*/record.json"))
    ]


def test_a_killed_matrix_goes_on_where_it_was(weft: Weft) -> None:
    (weft.home / "matrix.toml").write_text(MATRIX)
    process = weft.start("run", "matrix.toml")
    weft.wait_for(process, lambda: verdicts(weft).count("VALID") >= 2 and "RUNNING" in verdicts(weft))
    process.kill()
    process.communicate()
    weft("gc")
    before = {path.name for path in (weft.home / "runs").iterdir()}
    results = weft.result("run", "matrix.toml")
    assert [result["verdict"] for result in results] == ["VALID"] * 4
    after = {path.name for path in (weft.home / "runs").iterdir()} - before
    assert len(after) == 4 - (len(before) - 1), "only unfinished cells ran again"
    compared = weft("compare", "--study", "matrix")
    assert compared.returncode == 0, compared.stderr


def test_cells_share_a_cluster_that_is_there_only_for_them(weft: Weft) -> None:
    (weft.home / "shared.toml").write_text(SHARED)
    one, other = weft.result("run", "shared.toml")
    assert [one["verdict"], other["verdict"]] == ["VALID", "VALID"]
    assert one["cluster"] == other["cluster"] != ""
    assert other["input_of"] == one["id"]
    for result in (one, other):
        of = Path(result["record"])
        assert json.loads((of / "record.json").read_text())["probes_missing"] == {}
        assert all(json.loads(path.read_text())["processes"] for path in of.glob("fileops/*.json"))
        assert len(list(of.glob("fileops/*.json"))) == 2
    (cluster,) = (weft.home / "runs").glob("*-persistent-spark-*")
    head = json.loads((cluster / "record.json").read_text())
    assert (head["verdict"], head["reason"], head["probes"]) == ("UNCHECKED", "", ["python", "fileops"])
    assert "nothing is running" in weft("ps").stdout
    again = weft("run", "shared.toml")
    assert again.stderr.count("done earlier") == 2, again.stderr


@pytest.mark.long
def test_the_cluster_of_a_study_that_is_killed_ends_by_itself(weft: Weft) -> None:
    (weft.home / "shared.toml").write_text(SHARED)
    process = weft.start("run", "shared.toml")
    weft.wait_for(process, lambda: "terasort" in weft.record().name and in_phase(weft, "run"))
    process.kill()
    process.communicate()
    end = time.monotonic() + 150
    while any((weft.home / "state" / "clusters").glob("*.lock")):
        assert time.monotonic() < end, weft("ps").stdout
        time.sleep(1)
