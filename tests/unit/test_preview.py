"""`weft plan`: everything a run would do, and none of it."""

import json
from pathlib import Path

import pytest

from weft.facts.roles import SHARED_ROLES
from weft.host import settings
from weft.run import preview
from weft.spec.parse import parse


@pytest.fixture(autouse=True)
def nothing_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No process may be started and no directory made."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a plan does nothing")

    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("subprocess.Popen.__init__", refuse)
    monkeypatch.setattr("pathlib.Path.mkdir", refuse)


@pytest.mark.parametrize("nodes", ["local:2", "virtual:3,memory=3G", "local:1"])
@pytest.mark.parametrize("scratch", ["disk", "memory:1G", "loopback:/,size=2G,fs=xfs", "mount:/"])
def test_a_plan_shows_everything_and_does_nothing(nodes: str, scratch: str) -> None:
    spec = parse({"workload": "terasort:1GB", "nodes": nodes, "scratch": scratch})
    found = preview.preview(spec)
    assert len(found["nodes"]) == spec.nodes.count
    assert set(found["places"]) == {"input", "output", "scratch"}
    for role, place in found["places"].items():
        assert len(set(place["paths"].values())) == (1 if role in SHARED_ROLES else spec.nodes.count)
    assert found["daemons"][0]["name"] == "master"
    assert [command["name"] for command in found["commands"]][-2:] == ["driver", "validate"]
    assert json.loads(json.dumps(found)) == found
    assert not settings.work().exists()
    assert not settings.runs().exists()


def test_the_text_names_every_file_daemon_and_command() -> None:
    found = preview.preview(parse({"workload": "terasort:1GB"}))
    text = preview.text(found)
    for path in found["files"]:
        assert f"file {path}" in text
    for entry in [*found["daemons"], *found["commands"]]:
        assert f"{entry['name']} on {entry['node']}: " in text


@pytest.mark.parametrize(
    ("workload", "persistent"),
    [({"kind": "terasort", "size": "1GB"}, False), ({"kind": "persistent", "name": "mine"}, True)],
)
def test_engines_know_whether_jobs_of_a_user_share_their_cluster(
    workload: dict[str, str], persistent: bool
) -> None:
    assert preview.sketch(parse({"workload": workload})).persistent == persistent
