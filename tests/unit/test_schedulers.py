"""Batch systems other than Slurm, against stand-ins of their commands: what is asked of them, and what they answer."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.fakes import fake_program
from weft.adapters.nodes import KINDS
from weft.adapters.nodes.batchnodes import BatchNodes
from weft.errors import NodeError, UsageError
from weft.host.remote.reach import Reach, of_text
from weft.host.schedulers import known
from weft.host.schedulers.base import Known, Script
from weft.host.schedulers.plain import JobHost, PlainScheduler, wall
from weft.host.site.profile import Profile
from weft.host.work import work_directory
from weft.run.progress import Progress
from weft.run.submission import enter

PLAIN = ("pbs", "lsf", "flux", "gridengine", "oar")
HOSTS = {
    "pbs": ("PBS_NODEFILE", "a\nb\n", {"PBS_JOBID": "7.server"}, [("a", 0), ("b", 0)]),
    "lsf": ("LSB_DJOB_HOSTFILE", "a\na\nb\nb\n", {"LSB_JOBID": "7"}, [("a", 2), ("b", 2)]),
    "gridengine": (
        "PE_HOSTFILE",
        "a 4 main.q@a UNDEFINED\nb 3 main.q@b UNDEFINED\nb 1 long.q@b UNDEFINED\n",
        {"JOB_ID": "7", "SGE_TASK_ID": "undefined"},
        [("a", 4), ("b", 4)],
    ),
    "oar": ("OAR_NODEFILE", "a\na\nb\nb\n", {"OAR_JOB_ID": "7"}, [("a", 2), ("b", 2)]),
}


def system(kind: str) -> PlainScheduler:
    found = known.KINDS[kind]
    assert isinstance(found, PlainScheduler)
    return found


@pytest.mark.parametrize("kind", HOSTS)
def test_hosts_are_those_of_the_jobs_file(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variable, text, others, expected = HOSTS[kind]
    assert system(kind).current() == ""
    (tmp_path / "hosts").write_text(text)
    for name, value in {variable: str(tmp_path / "hosts"), **others}.items():
        monkeypatch.setenv(name, value)
    assert system(kind).current().startswith("7")
    assert [(host.name, host.cores) for host in system(kind).hosts()] == expected


def test_hosts_of_flux_have_the_rank_by_which_they_are_reached(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_program(programs, "flux", 'echo "0 n3 4"; echo "1-2 n[1-2] 8"')
    with pytest.raises(NodeError, match="not a Flux job"):
        system("flux").hosts()
    monkeypatch.setenv("FLUX_ENCLOSING_ID", "f7")
    found = system("flux").hosts()
    assert [(host.name, host.cores) for host in found] == [("n3", 4), ("n1", 4), ("n2", 4)]
    launcher = system("flux").launcher(found[1])
    assert launcher is not None
    fake_program(programs, "flux", 'echo "0-4 m9,n[5,2-3]-ib,a 5"')
    assert [host.name for host in system("flux").hosts()] == ["m9", "n5-ib", "n2-ib", "n3-ib", "a"]
    assert launcher.client == ("flux", "exec", "--rank=1")


def test_a_launcher_that_is_not_there_is_ssh(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(programs))  # a machine may have OAR
    host = JobHost("other")
    assert [kind for kind in ("pbs", "lsf", "oar") if system(kind).launcher(host)] == []
    for name in ("blaunch", "oarsh"):
        fake_program(programs, name)
    assert [kind for kind in ("pbs", "lsf", "oar") if system(kind).launcher(host)] == ["lsf", "oar"]


def test_the_host_of_this_process_is_reached_without_a_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.uname().nodename
    (tmp_path / "hosts").write_text(f"{here}\nother.invalid\n")
    monkeypatch.setenv("PBS_NODEFILE", str(tmp_path / "hosts"))
    monkeypatch.setenv("PBS_JOBID", "7.server")
    monkeypatch.setenv("WEFT_SHARED", str(tmp_path))
    nodes = KINDS.read("pbs:2").sketch(work_directory("one"))
    own, other = (of_text(node.way) for node in nodes)
    assert own.run(["echo", "a b"]).out == "a b\n"
    assert other.client[0] == "ssh"
    assert (own.job, own.steps) == ("pbs:7.server", False)
    elsewhere = Reach(here, (*own.client[:-1], "elsewhere"), login_shell=False)
    with pytest.raises(NodeError, match="cannot run commands there"):
        elsewhere.run(["true"])
    with pytest.raises(UsageError, match=r"has 2 host\(s\), but 3 were requested"):
        KINDS.read("pbs:3").sketch(work_directory("one"))


def test_a_job_of_an_older_lease_is_one_of_slurm() -> None:
    old = of_text(json.dumps(["n1", ["srun"], False, "python3", 12]))
    assert (old.job, old.steps, known.of(old.job)[0].kind) == ("12", True, "slurm")
    assert of_text(json.dumps(["n1", ["ssh"], True, "python3", 0])).job == ""
    assert known.of(known.named("oar", "3")) == (known.KINDS["oar"], "3")


def scripts(kind: str, text: str, **site: object) -> str:
    nodes = KINDS.read(text)
    assert isinstance(nodes, BatchNodes)
    profile = Profile.model_validate({kind: site, "modules": ["java/17"]})
    directives, extra = nodes.directives_of(profile)
    return known.KINDS[kind].script(
        Script(
            directives, extra, profile.modules, {"A": "b c"}, ["weft", "run"], Path("/jobs"), "weft-x", "01ab"
        )
    )


@pytest.mark.parametrize("kind", PLAIN)
def test_the_script_of_a_job(kind: str, programs: Path, snapshot: object) -> None:
    fake_program(programs, "qconf", "echo 'allocation_rule    8'")
    site = {
        "queue": "main",
        "account": "us",
        "extra": ["-x y"],
        **({"pe": "mpi"} if kind == "gridengine" else {}),
    }
    assert scripts(kind, f"{kind}:2,time=90m", **site) == snapshot


@pytest.mark.parametrize("value", ["main -E /tmp/x", "-x", "a;b", "a\nb", "$(x)"])
def test_a_value_cannot_add_a_directive(value: str) -> None:
    for model in (KINDS["gridengine"], type(Profile().gridengine)):
        for key in ("queue", "account", "pe"):
            with pytest.raises(ValueError, match="pattern"):
                model(**{key: value})
    text = known.KINDS["lsf"].script(
        Script([], [], [], {}, ["weft"], Path("/jobs"), "weft-a -E b\n#x", "01ab")
    )
    assert "#BSUB -J weft-a--E-b--x\n" in text


def test_a_parallel_environment_that_promises_no_hosts_is_refused(programs: Path) -> None:
    fake_program(programs, "qconf", "echo 'allocation_rule    $fill_up'")
    with pytest.raises(UsageError, match="promises no number of hosts"):
        scripts("gridengine", "gridengine:2,pe=smp")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(None, None), ("20", 1200), ("1:00:00", 3600), ("1-00:00:00", 86400), ("1-12:30", 131400)],
)
def test_time_limits(text: str | None, seconds: int | None) -> None:
    assert wall(text) == seconds


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no time limit"):
        wall("soon")


SUBMITTED = {
    "pbs": ("qsub", "echo Welcome; echo 7.server; echo", "7.server"),
    "lsf": (
        "bsub",
        'read -r line; test "$line" = "#!/bin/sh" && echo "Job <7> is submitted to queue <normal>."',
        "7",
    ),
    "flux": ("flux", 'test "$1" = batch && echo f7', "f7"),
    "gridengine": ("qsub", 'test "$1" = -terse && echo 7', "7"),
    "oar": ("oarsub", 'test "$1" = -S && test -x "$2" && echo OAR_JOB_ID=7', "7"),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_a_job_is_submitted_and_a_refusal_has_a_fix(kind: str, programs: Path) -> None:
    program, answer, number = SUBMITTED[kind]
    (script := programs / "job.sh").write_text("#!/bin/sh\n")
    fake_program(programs, program, answer)
    assert system(kind).submit(script) == number
    fake_program(programs, program, "echo 'unknown queue: none' >&2; exit 1")
    with pytest.raises(NodeError, match="rejected the job: unknown queue") as caught:
        system(kind).submit(script)
    assert "queue=NAME" in caught.value.hint


DELETED = "2026-11-26 04:00:34> FRAG_JOB_REQUEST:User root requested to frag the job 7"
STATES = {
    "pbs": ("qstat", "echo 'Job Id: 7'; echo '    job_state = {}'; echo '    comment = Not Running: busy'", ("Q", "R", "E")),
    "lsf": ("bjobs", "echo '{}'", ("PEND|-|Job slots are busy|-", "RUN|a:b|-|-", "EXIT|a:b|-|TERM_OWNER: killed by owner")),
    "flux": ("flux", "echo '{}'", ("SCHED|||", "RUN||n[1-2]|", "CLEANUP|CANCELED|n[1-2]|cancel")),
    "gridengine": (
        "qstat",
        'case "$1" in -u) echo "7 0.5 weft-x me {} 11/25/2026 22:35:29 main.q@a 2";; *) echo "scheduling info: no slots";; esac',
        ("qw", "r", "dr"),
    ),
    "oar": (
        "oarstat",
        "echo 'Job_Id: 7'; echo '    state = {}'",
        ("Waiting\n    message = no_matching_slot", "Running", f"Error\n    events = \n{DELETED}"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PLAIN)
def test_the_state_of_a_job(kind: str, programs: Path) -> None:
    program, answer, (waits, runs, ends) = STATES[kind]
    fake_program(programs, program, answer.replace("{}", waits))
    waiting = system(kind).query("7")
    assert waiting is not None
    assert waiting.waiting
    assert waiting.waits_for()
    fake_program(programs, program, answer.replace("{}", runs))
    running = system(kind).query("7")
    assert running is not None
    assert (running.waiting, running.ended, running.by_system) == (False, False, "")
    assert not system(kind).gone("7")
    fake_program(programs, program, answer.replace("{}", ends))
    ended = system(kind).ended_by_system("7")
    assert ended is not None
    assert ended.message.startswith(f"{system(kind).title} job 7 was ")


ELEMENTS = """case "$*" in
*'7[3]') echo 'RUN|a:b|-|-';;
*) echo 'EXIT|c|-|TERM_OWNER: killed by owner'; echo 'RUN|a:b|-|-';;
esac"""
"""An array of LSF whose first element was killed, and whose third runs."""


def test_an_element_of_an_lsf_job_array_is_not_another_one(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hosts").write_text("a\nb\n")
    fake_program(programs, "bjobs", ELEMENTS)
    for name, value in {"DJOB_HOSTFILE": str(tmp_path / "hosts"), "JOBID": "7", "JOBINDEX": "3"}.items():
        monkeypatch.setenv(f"LSB_{name}", value)
    number = system("lsf").current()
    assert number == "7[3]"
    assert not known.gone(known.named("lsf", number))
    assert system("lsf").ended_by_system(number) is None
    monkeypatch.setenv("LSB_JOBINDEX", "0")
    assert system("lsf").current() == "7"


NO_HISTORY = """case "$1" in
-x) echo 'qstat: PBS is not configured to maintain job history 7.server' >&2; exit 153;;
*) if test -e {folder}/ended; then echo 'qstat: Unknown Job Id 7.server' >&2; exit 153; fi
   echo 'Job Id: 7.server'; echo '    job_state = R'; echo '    exec_host = a/0+b/0';;
esac"""


def test_a_pbs_that_keeps_no_ended_jobs_is_asked_for_those_that_run(programs: Path) -> None:
    fake_program(programs, "qstat", NO_HISTORY.replace("{folder}", str(programs)))
    running = system("pbs").query("7.server")
    assert running is not None
    assert (running.state, running.nodes, running.ended) == ("R", "a/0+b/0", False)
    (programs / "ended").touch()
    assert system("pbs").query("7.server") is None
    assert known.gone("pbs:7.server")


def test_an_ended_element_of_a_pbs_job_array_is_gone_while_others_run(programs: Path) -> None:
    fake_program(programs, "qstat", "echo 'Job Id: 7[3].server'; echo '    job_state = X'")
    assert known.gone("pbs:7[3].server")


@pytest.mark.parametrize("kind", PLAIN)
def test_a_batch_system_that_does_not_answer_is_no_end_of_a_job(kind: str, programs: Path) -> None:
    fake_program(programs, STATES[kind][0], "echo 'connection refused' >&2; exit 1")
    assert not known.gone(f"{kind}:7")
    assert known.state(f"{kind}:7") is None


@pytest.mark.parametrize("kind", PLAIN)
def test_a_script_outlives_the_signal_and_keeps_the_exit_code_of_its_command(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["sh", "-c", "trap 'exit 3' USR2; echo there; while :; do sleep 0.1; done"]
    text = known.KINDS[kind].script(Script([], [], [], {}, command, tmp_path, "weft-x", "01ab"))
    (tmp_path / "01ab.sh").write_text(text)
    files = tmp_path / "01ab"
    process = subprocess.Popen(["sh", str(tmp_path / "01ab.sh")], start_new_session=True)
    end = time.monotonic() + 30
    while not (out := tmp_path / "01ab.out").exists() or "there" not in out.read_text():
        assert time.monotonic() < end
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGUSR2)
    assert process.wait(30) == 3
    monkeypatch.setattr(type(system(kind)), "query", lambda *_: None)
    job = system(kind).job("7", Known(files))
    assert job is not None
    assert (job.ended, job.own_end, job.exit_code) == (True, True, 3)


def test_a_job_whose_output_nobody_reads_any_more_is_cancelled(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in `weft run ... | head -1`."""
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    ended = tmp_path / "runs" / ".jobs" / "01ab.exit"
    fake_program(programs, "qsub", "echo 7.server")
    fake_program(programs, "qdel", f"echo 143 >{ended}")
    fake_program(
        programs, "qstat", f"test -e {ended} && echo '    job_state = F' || echo '    job_state = R'"
    )
    with (
        pytest.raises(BrokenPipeError),
        enter._submitted(system("pbs"), "#!/bin/sh\n", "01ab", Progress()) as job,
    ):
        raise BrokenPipeError
    assert job.last is not None
    assert job.last.ended
    assert list(ended.parent.iterdir()) == []


def test_a_job_without_an_exit_code_was_ended(programs: Path) -> None:
    fake_program(programs, "qstat", "exit 0")
    job = system("gridengine").job("7", Known(programs / "none"))
    assert job is not None
    assert (job.ended, job.own_end) == (True, False)
    assert "ended before its command did" in job.end().message
    assert "qacct" in job.end().hint


def test_a_job_whose_command_was_killed_says_so(programs: Path) -> None:
    """As by the kernel, for memory: its script outlives it."""
    fake_program(programs, "qstat", "exit 0")
    (programs / "one.exit").write_text("137\n")
    job = system("gridengine").job("7", Known(programs / "one"))
    assert job is not None
    assert (job.own_end, job.end().message) == (True, "Grid Engine job 7 ended with exit code 137")
