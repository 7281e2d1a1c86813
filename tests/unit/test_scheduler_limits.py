"""What a job is given by a batch system other than Slurm, and what it says when that is used up: time, memory, cores."""

import time
from pathlib import Path

import pytest

from tests.fakes import fake_program
from tests.unit.test_schedulers import HOSTS, scripts, system
from weft.adapters.nodes import KINDS
from weft.errors import UsageError
from weft.host.schedulers.base import Known
from weft.host.site.profile import Profile
from weft.host.work import work_directory


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for stand-ins, first on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


LIMITED = {
    "gridengine": (
        "qstat",
        'case "$1" in -u) echo "7 0.5 weft-x me {state} {began} main.q@a 2";; *) echo "hard resource_list: h_rt=25";; esac',
        "%m/%d/%Y %H:%M:%S",
        ("r", "dr"),
    ),
    "pbs": (
        "qstat",
        "echo '    job_state = {state}'; echo '    stime = {began}'; echo '    Resource_List.walltime = 00:00:25'",
        "%a %b %d %H:%M:%S %Y",
        ("R", "E"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LIMITED)
@pytest.mark.parametrize("forgotten", [True, False])
def test_a_job_at_its_time_limit_says_so_even_if_it_is_already_forgotten(
    kind: str, forgotten: bool, programs: Path
) -> None:
    program, answer, form, (runs, ends) = LIMITED[kind]

    def answers(state: str, seconds: float) -> None:
        began = time.strftime(form, time.localtime(time.time() - seconds))
        fake_program(programs, program, answer.replace("{state}", state).replace("{began}", began))

    answers(runs, 10)
    before = system(kind).job("7", Known(programs / "none"))
    assert before is not None
    assert before.by_system == ""
    answers(runs, 26)
    late = system(kind).job("7", Known(programs / "none", before))
    if forgotten:
        fake_program(
            programs, program, "echo 'qstat: Unknown Job Id 7' >&2; exit 153" if kind == "pbs" else ""
        )
    else:
        answers(ends, 26)
    ended = system(kind).job("7", Known(programs / "none", late))
    within = system(kind).ended_by_system("7", late)
    assert ended is not None
    assert within is not None
    assert "reached its time limit of 0:00:25" in ended.end().message == within.message
    assert "time=2h" in within.hint


def test_a_job_that_is_forgotten_before_its_limit_was_ended_by_something_else(programs: Path) -> None:
    began = time.strftime(LIMITED["gridengine"][2], time.localtime(time.time() - 10))
    program, answer = LIMITED["gridengine"][:2]
    fake_program(programs, program, answer.replace("{state}", "r").replace("{began}", began))
    before = system("gridengine").job("7")
    fake_program(programs, program)
    within = system("gridengine").ended_by_system("7", before)
    assert within is not None
    assert "it was deleted, or reached a limit" in within.message
    assert system("gridengine").ended_by_system("7") is None
    assert system("gridengine").job("7") is None


RESOURCES = "mem_free mf MEMORY <= YES NO 0 0\nh_vmem h_vmem MEMORY <= YES YES 0 0\nlic l INT <= YES JOB 0 0"
COMPLEX = f"case $1 in -sc) echo '{RESOURCES}';; *) echo 'allocation_rule    2';; esac"


@pytest.mark.parametrize(
    ("kind", "site", "asked", "says"),
    [
        ("pbs", {}, "#PBS -l select=2:mem=3000mb\n", []),
        ("lsf", {}, '#BSUB -R "rusage[mem=3000MB]"\n', []),
        ("lsf,cores=2", {}, '#BSUB -R "rusage[mem=3000MB/host]"\n', []),
        ("flux", {}, "", ["the job asks for no memory: Flux has no option for it"]),
        ("oar", {}, "", ["the job asks for no memory: OAR has no option for it"]),
        ("gridengine", {"pe": "mpi"}, "", ["the job asks for no memory: gridengine.memory_resource"]),
        ("gridengine", {"pe": "mpi", "memory_resource": "mem_free"}, "#$ -l mem_free=3000M\n", []),
        ("gridengine", {"pe": "mpi", "memory_resource": "h_vmem"}, "#$ -l h_vmem=1500M\n", []),
    ],
)
def test_memory_is_asked_for_or_the_plan_says_that_it_is_not(
    kind: str,
    site: dict[str, str],
    asked: str,
    says: list[str],
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake_program(programs, "qconf", COMPLEX)
    kind, _, keys = kind.partition(",")
    nodes = f"{kind}:2,{keys},memory=3000M".replace(",,", ",")
    text = scripts(kind, nodes, **site)
    assert asked in text
    assert asked or "3000" not in text
    monkeypatch.setattr("weft.adapters.nodes.batchnodes.load", lambda: Profile.model_validate({kind: site}))
    notes = KINDS.read(nodes).limits()[1:]
    assert len(notes) == len(says)
    assert all(note.startswith(line) for note, line in zip(notes, says, strict=True))
    assert KINDS.read(f"{kind}:2").limits()[1:] == []


@pytest.mark.parametrize(
    ("site", "text", "words"),
    [
        ({"memory_resource": "absent"}, "memory=3G", "absent, which .* does not exist"),
        ({"memory_resource": "lic"}, "memory=3G", "counted once for a job"),
        ({}, "cores=4", r"gives 2 slot\(s\) on each host, but cores=4"),
    ],
)
def test_what_a_parallel_environment_or_a_resource_cannot_give_is_refused(
    site: dict[str, str], text: str, words: str, programs: Path
) -> None:
    fake_program(programs, "qconf", COMPLEX)
    with pytest.raises(UsageError, match=words):
        scripts("gridengine", f"gridengine:2,pe=mpi,{text}", **site)


@pytest.mark.parametrize("kind", ["lsf", "gridengine", "oar"])
def test_more_cores_than_a_job_has_on_a_host_are_refused_by_its_name(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable, text, others, expected = HOSTS[kind]
    (tmp_path / "hosts").write_text(text)
    monkeypatch.setenv("WEFT_SHARED", str(tmp_path))
    for name, value in {variable: str(tmp_path / "hosts"), **others}.items():
        monkeypatch.setenv(name, value)
    given = expected[0][1]
    KINDS.read(f"{kind}:2,cores={given}").sketch(work_directory("one"))
    with pytest.raises(
        UsageError, match=f"job 7 has cores={given} on a, but cores={given + 1} was requested"
    ):
        KINDS.read(f"{kind}:2,cores={given + 1}").sketch(work_directory("one"))
