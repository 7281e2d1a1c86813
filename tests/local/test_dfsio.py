"""dfsio on a real engine and a real networked file system: every operation's proof is the generator's."""

import pytest

from tests.local.conftest import Weft
from tests.needs import GLUSTER, VIRTUAL, needs


@pytest.mark.long
@needs(*GLUSTER, *VIRTUAL)
@pytest.mark.parametrize(
    ("operation", "storage"),
    [("random", "--input"), ("append", "--output")],
)
def test_an_operation_on_glusterfs_is_valid(weft: Weft, operation: str, storage: str) -> None:
    words = ["--nodes", "virtual:1", "--size", "4MB", "--set", "files=6", storage, "gluster:2+memory:200M"]
    result = weft.result("run", f"dfsio:{operation}", *words)
    assert result["verdict"] == "VALID", result
    facts = result["facts"]
    assert (facts["files"], facts["bytes"]) == (6, 24_000_000)
    assert facts["slowest_rate"] <= facts["average_rate"]
    assert facts["throughput"] > 0
    assert facts["rate_deviation"] >= 0
