"""The worked example of CONTRIBUTING.md does what it says."""

import getpass
import re
from pathlib import Path

import pytest

from tests.contract.conftest import live
from weft.storage.base import Storage

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("role", ["input", "shuffle"])
def test_the_example_is_a_storage(role: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    room: dict[str, object] = {"__name__": "example"}
    exec(code, room)
    adapter = room["NvmeStorage"]
    assert isinstance(adapter, type)
    assert issubclass(adapter, Storage)
    (tmp_path / "base" / getpass.getuser()).mkdir(parents=True)  # the site gives it
    storage = adapter(root=tmp_path / "base")
    with live("local:2") as (work, nodes):
        sketched = storage.sketch(role, nodes, work)
        with storage.place(role, nodes, work) as place:
            assert place == sketched
            assert all(Path(path).is_dir() for path in place.paths.values())
    for path in tmp_path.glob("base/*"):
        path.rmdir()  # the user's own directory stays
