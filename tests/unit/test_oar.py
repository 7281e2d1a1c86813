"""OAR against stand-ins of its commands: how a job ends, and what its client must have."""

from pathlib import Path

import pytest

from tests.fakes import fake_program
from weft.host.schedulers.oar import Oar
from weft.host.schedulers.plain import JobRequest

DELETED = "2026-11-26 04:00:34> FRAG_JOB_REQUEST:User root requested to frag the job 7"
WARNED = "2026-11-26 04:01:00> CHECKPOINT:User oar (sarko) requested a checkpoint on the job 7 on oar1"
LATE = "2026-11-26 04:01:11> WALLTIME:[sarko] Job [7] from 1795665646 with 120; current time=1795665671 (Elapsed)"
OARSTAT = """\
Job_Id: 7
    state = {state}
    assigned_hostnames = oar1+oar2
    command = echo '> WALLTIME:[sarko]' > FRAG_JOB_REQUEST:
    walltime = 0:2:0
    scheduledStart = {start}
    events =
{events}
"""
"""As OAR 2.5.9 prints it; the command has words of events."""


@pytest.mark.parametrize(
    ("events", "how"),
    [
        ([], ""),
        (["2026-11-26 03:59:05> SWITCH_INTO_TERMINATE_STATE:[bipbip 7] Ask to change the job state"], ""),
        (["2026-11-26 03:59:05> WALLTIME: +0:10:00 of me"], ""),
        ([DELETED], "was deleted"),
        ([WARNED], "is about to reach its time limit of 0:2:0"),
        ([WARNED, DELETED, LATE], "reached its time limit of 0:2:0"),
        (["2026-11-26 04:01:00> CHECKPOINT:User me requested a checkpoint on the job 7"], "was asked to end by `oardel -c`"),
    ],
)  # fmt: skip
def test_an_oar_job_is_ended_by_the_first_of_its_causes(events: list[str], how: str, programs: Path) -> None:
    text = OARSTAT.format(state="Running", start="no prediction", events="\n".join(events))
    fake_program(programs, "oarstat", f"cat <<'END'\n{text}END")
    job = Oar().query("7")
    assert job is not None
    assert (job.by_system, job.nodes) == (how, "oar1+oar2")


def test_a_waiting_oar_job_says_when_it_is_foreseen(programs: Path) -> None:
    text = OARSTAT.format(state="Waiting", start="2026-11-26 04:00:32", events="")
    fake_program(programs, "oarstat", f"cat <<'END'\n{text}END")
    job = Oar().query("7")
    assert job is not None
    assert job.waits_for() == "its start is foreseen at 2026-11-26 04:00:32"


def test_a_running_oar_job_is_signalled_before_it_is_deleted(programs: Path) -> None:
    fake_program(programs, "oarstat", "echo 'Job_Id: 7'; echo '    state = Terminated'")
    fake_program(programs, "oardel", f'echo "$@" >>{programs}/asked')
    Oar().cancel("7")
    assert (programs / "asked").read_text() == "-s 12 7\n7\n"


def test_a_short_oar_job_is_signalled_halfway_to_its_limit() -> None:
    assert "--checkpoint 15" in Oar().directives(JobRequest(2, time=30))


def test_oars_client_has_the_directory_where_no_shell_set_it(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PWD", raising=False)
    (script := programs / "job.sh").write_text("#!/bin/sh\n")
    # a shell sets its own variable, so this is what it was started with
    given = f"tr '\\0' '\\n' </proc/$$/environ | grep -qx PWD={Path.cwd()}"
    fake_program(programs, "oarsub", f"{given} && echo OAR_JOB_ID=7")
    assert Oar().submit(script) == "7"
