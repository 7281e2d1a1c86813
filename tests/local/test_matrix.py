"""A matrix that is killed in the middle and started again does not repeat what is finished."""

import json

from tests.local.conftest import Weft

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
