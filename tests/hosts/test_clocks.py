"""A host whose clock is wrong: its readings are those of the tasks that ran then, by the clock of the others."""

import json
from pathlib import Path

import pytest

from tests.hosts.sshd import running
from tests.hosts.test_doctor import compiled
from tests.local.conftest import Weft
from tests.needs import SSH, needs

BEHIND = """
clock="$1/clock.so"
shift
exec "$@" -o "SetEnv=SHLVL=9 LD_PRELOAD=$clock"
"""
"""The last host's clock is an hour behind."""


@pytest.mark.long
@needs(*SSH, "cc")
def test_a_host_an_hour_behind_is_explained_like_the_others(tmp_path: Path) -> None:
    weft, made = Weft(tmp_path), tmp_path / "made"
    made.mkdir()
    compiled("clock", made)
    shared = tmp_path / "shared"
    shared.mkdir()
    with running(
        tmp_path / "hosts", 2, ["sh", "-c", BEHIND, "sh", str(made)], local=tmp_path / "work"
    ) as hosts:
        words = ("terasort", "--size", "100MB", "--nodes", hosts.nodes(cores="1", memory="2700M"), "--json")
        process = weft.start("run", *words, WEFT_SHARED=str(shared))
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, out + err
    events = [json.loads(line) for line in (weft.record() / "events.jsonl").read_text().splitlines()]
    offsets = [event["offsets"] for event in events if event["event"] == "clocks"]
    assert len(offsets) == 2
    for found in offsets:
        ahead, within = found["host2"]
        assert ahead == pytest.approx(-3600, abs=max(1.0, within))
        assert abs(found["host1"][0]) <= max(0.1, found["host1"][1])
    explained = weft.result("explain", "last")
    assert explained["coverage"]["processes_seen"] == 2
    unnamed = sum(part["share"] for part in explained["parts"] if part["name"] == "unclassified")
    assert unnamed < 0.1, "threads of host2 were read, and belong to its tasks"
