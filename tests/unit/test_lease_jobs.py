"""Leases of commands on other hosts: how often their batch system is asked."""

import fcntl
import json

import pytest

from weft.host import lease
from weft.host.remote.reach import Reach


@pytest.mark.parametrize("ended", [True, False])
def test_a_batch_system_is_asked_once_about_a_job_of_many_hosts(
    ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def gone(job: str) -> bool:
        asked.append(job)
        return ended

    monkeypatch.setattr("weft.host.schedulers.known.gone", gone)
    with lease.hold("alive", "a test") as held:
        other = held.path.with_name("other.jsonl")
        entries = [{"kind": "owner", "host": "elsewhere", "boot": "another kernel's"}]
        for number in range(5):
            reach = Reach(f"n{number}", ("false",), login_shell=False, job="7", steps=True)
            entries += [
                {"kind": "directory", "path": f"/nonexistent/{name}", "reach": reach.text()} for name in "ab"
            ]
        other.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        dead = list(lease.dead_leases("other"))
        assert (len(dead), asked) == (int(ended), ["7"])
        (found,) = [one.lease for one in lease.all_leases() if one.lease.name == "other"]
        asked.clear()
        assert {bool(one.problem) for one in found.on_other_hosts()} == {not ended}
        assert asked == ["7"]
        other.unlink()


def test_a_batch_system_is_asked_once_while_another_process_releases_a_lease(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lock is held, and its owner, of another host, has ended."""
    asked: list[str] = []
    ended = 1 << 22  # no process has it: the largest number of one is below (proc(5), pid_max)

    def gone(job: str) -> bool:
        asked.append(job)
        return True

    monkeypatch.setattr(lease, "_RELEASING", 0.3)
    monkeypatch.setattr("weft.host.schedulers.known.gone", gone)
    with lease.hold("alive", "a test") as held:
        entry = {"kind": "owner", "pid": str(ended), "host": "n1", "boot": "another kernel's", "job": "7"}
        other = held.path.with_name("other.jsonl")
        other.write_text(json.dumps(entry) + "\n")
        with other.open() as releasing:
            fcntl.flock(releasing, fcntl.LOCK_EX)
            assert list(lease.dead_leases("other")) == []
    assert asked == ["7"]
