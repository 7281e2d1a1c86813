"""What a job is given by a batch system other than Slurm, and what it says when that is used up: time, memory, cores."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.fakes import fake_program
from tests.unit.test_schedulers import HOSTS, PLAIN, scripts, system
from weft.adapters.nodes import KINDS
from weft.adapters.nodes.jobnodes import JobNodes
from weft.errors import UsageError, WeftError
from weft.host import settings
from weft.host.schedulers import known, plain
from weft.host.schedulers.base import Known, Script
from weft.host.schedulers.plain import PlainJob
from weft.host.schedulers.slurm.jobs import SlurmJob
from weft.host.schedulers.slurm.scheduler import Slurm
from weft.host.site.profile import Profile
from weft.host.work import work_directory
from weft.record import record as records
from weft.run.progress import Progress
from weft.run.submission import followed
from weft.run.submission.enter import job_script, needed
from weft.run.submission.followed import Followed
from weft.spec.study import study_from

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


def test_a_grid_engine_job_of_ones_own_may_have_a_name_of_several_words(programs: Path) -> None:
    row = "      7 0.50500 my big job david        r     11/25/2026 22:35:29 main.q@a    2"
    fake_program(programs, "qstat", f'case "$1" in -u) echo "{row}";; esac')
    job = system("gridengine").query("7")
    assert job is not None
    assert (job.state, job.nodes, job.by_system) == ("r", "main.q@a", "")


@pytest.mark.parametrize("kind", PLAIN)
def test_the_command_of_a_job_is_called_in_the_directory_of_the_one_that_submitted_it(
    kind: str, tmp_path: Path
) -> None:
    """Its arguments may be paths from there. A job of PBS or Grid Engine begins in the home directory."""
    there, command = tmp_path / "it's my project", ["sh", "-c", "pwd; exit 3"]
    text = known.KINDS[kind].script(Script([], [], [], {}, command, tmp_path, "weft-x", "01ab", there))
    (tmp_path / "01ab.sh").write_text(text)
    argv = ["sh", str(tmp_path / "01ab.sh")]
    assert subprocess.run(argv, cwd="/", check=False).returncode == 3
    assert (tmp_path / "01ab.out").read_text() == "/\n"
    assert f"{there} is not visible on this host; working in /" in (tmp_path / "01ab.err").read_text()
    there.mkdir()
    assert subprocess.run(argv, cwd="/", check=False).returncode == 3
    assert (tmp_path / "01ab.out").read_text() == f"{there}\n"


def test_a_job_is_submitted_with_the_directory_in_which_weft_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = study_from({"workload": "terasort", "nodes": "pbs:2"}, name="s", where="here")
    nodes = study.cells()[0][1].nodes
    assert isinstance(nodes, JobNodes)
    assert f"\ncd {tmp_path} || " in job_script(study, nodes, ["run", "study.toml"])


def test_a_job_has_the_variables_of_weft_that_its_user_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """PBS, Grid Engine and OAR give a job none of the environment."""
    monkeypatch.delenv("WEFT_SECRET_KEYS", raising=False)
    for name, value in {"WEFT_TRUST": "our-group", "WEFT_SHARED": "/lustre/me"}.items():
        monkeypatch.setenv(name, value)
    study = study_from({"workload": "terasort", "nodes": "pbs:2"}, name="s", where="here")
    nodes = study.cells()[0][1].nodes
    assert isinstance(nodes, JobNodes)
    lines = job_script(study, nodes, ["run", "terasort"]).splitlines()
    assert {"export WEFT_TRUST=our-group", "export WEFT_SHARED=/lustre/me"} <= set(lines)
    assert not any("WEFT_SECRET_KEYS" in line for line in lines)


@pytest.mark.parametrize("kind", ["slurm", "pbs"])
def test_a_job_has_its_users_path_also_where_it_has_no_other_variable(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `SBATCH_EXPORT=NONE`, which some sites set for all."""
    study = study_from({"workload": "terasort", "nodes": f"{kind}:2"}, name="s", where="here")
    nodes = study.cells()[0][1].nodes
    assert isinstance(nodes, JobNodes)
    monkeypatch.setenv("PATH", "/apps/java/bin", prepend=":")
    assert "\nexport PATH=/apps/java/bin:" in job_script(study, nodes, ["run", "terasort"])


def test_a_job_finds_the_modules_that_its_user_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of a module of the site, which a program imports in the driver and on the workers."""
    source = settings.PACKAGE.parent
    monkeypatch.setenv("PYTHONPATH", f"{source}:/apps/stack:/own")
    study = study_from({"workload": "terasort", "nodes": "slurm:2"}, name="s", where="here")
    nodes = study.cells()[0][1].nodes
    assert isinstance(nodes, JobNodes)
    assert f"\nexport PYTHONPATH={source}:/apps/stack:/own\n" in job_script(study, nodes, ["run", "terasort"])


@pytest.mark.parametrize("kind", ["pbs", "slurm"])
def test_a_module_of_the_site_profile_is_on_the_path_of_a_job(kind: str) -> None:
    variables = {"PATH": "/usr/bin", "JAVA_HOME": "/own"}
    text = known.KINDS[kind].script(Script([], [], ["java/17"], variables, ["weft"], Path("/jobs"), "x"))
    order = ["export PATH=/usr/bin", "module load java/17", "export JAVA_HOME=/own"]
    assert [line for line in text.splitlines() if line in order] == order


@pytest.mark.parametrize(
    ("kind", "key", "values"),
    [("slurm", "constraint", ["haswell", "knl"]), ("pbs", "queue", ["small", "large"])],
)
def test_a_study_over_kinds_of_nodes_is_refused_as_its_cells_run_in_one_job(
    kind: str, key: str, values: list[str]
) -> None:
    table = {"workload": "terasort", "nodes": f"{kind}:2", "matrix": {f"nodes.{key}": values}}
    with pytest.raises(UsageError, match=f"{key} {values[0]} and {values[1]}, but all run in one job"):
        needed(study_from(table, name="s"))
    sizes = {**table, "matrix": {"nodes.count": [1, 3, 2]}}
    nodes = needed(study_from(sizes, name="s"))
    assert nodes is not None
    assert nodes.count == 3


def test_the_exit_code_of_a_job_is_read_where_its_file_was_missing_a_moment_ago(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS: the file is missing there until something changes in the directory."""
    fake_program(programs, "qstat", "exit 0")
    (programs / "one.exit").write_text("3\n")
    os.utime(programs, (0, 0))
    read = plain._code
    monkeypatch.setattr(plain, "_code", lambda files: read(files) if programs.stat().st_mtime else None)
    monkeypatch.setattr(plain, "_VISIBLE", 0.2)
    job = system("gridengine").job("7", Known(programs / "one"))
    assert job is not None
    assert (job.own_end, job.exit_code) == (True, 3)
    assert sorted(path.name for path in programs.iterdir()) == ["one.exit", "qstat"]


def test_the_output_of_a_short_job_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Slurm, "job", lambda *_: SlurmJob(7, "FAILED", "", "n1", 2))
    (tmp_path / "7.err").write_text("error: no such file\n")
    os.utime(tmp_path, (0, 0))
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: exists(path) and tmp_path.stat().st_mtime > 0)
    assert Followed(Slurm(), "7", tmp_path, "7", Progress()).follow(None) == 2
    assert "no such file" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["slurm", "pbs"])
def test_a_job_that_the_batch_system_says_nothing_about_keeps_its_files_and_its_record(
    kind: str, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while Slurm's controller is down for an hour: the job goes on."""
    runs = tmp_path / "runs"
    monkeypatch.setenv("WEFT_RUNS", str(runs))
    monkeypatch.setattr(followed, "_SILENT", 0)
    about = {"slurm": {"job": 7}} if kind == "slurm" else {"batch": {"job": "7", "system": kind}}
    record = records.create(runs, "one", "", about)
    files = tmp_path / "files"
    files.mkdir()
    (files / "7.out").write_text("so far\n")
    for name in ("scontrol", "sacct", "qstat"):
        fake_program(programs, name, "echo 'Unable to contact controller' >&2; exit 1")
    last = SlurmJob(7, "RUNNING", "", "n1", 0) if kind == "slurm" else PlainJob("PBS", "7", "R")
    job = Followed(known.KINDS[kind], "7", files, "7", Progress(), last=last)
    with pytest.raises(WeftError, match="does not answer") as caught:
        job.follow(None)
    assert f"{files}/7.out" in caught.value.hint
    job.release()
    job.keep()
    assert (files / "7.out").exists()
    assert records.read(record.directory).head.verdict == "RUNNING"


def test_a_grid_engine_job_that_a_load_threshold_suspends_has_its_hosts(programs: Path) -> None:
    """Its state is T alone (qstat(1)): what a run of it holds is no leftover."""
    fake_program(
        programs, "qstat", 'test "$1" = -j || echo "7 0.5 weft-x me T 11/25/2026 22:35:29 main.q@a 2"'
    )
    job = system("gridengine").query("7")
    assert job is not None
    assert (job.waiting, job.nodes) == (False, "main.q@a")
    assert not known.gone("gridengine:7")


def test_the_record_of_an_earlier_job_of_the_same_number_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a new installation of Slurm, which counts from 1 again."""
    runs = tmp_path / "runs"
    monkeypatch.setenv("WEFT_RUNS", str(runs))
    monkeypatch.setattr(Slurm, "accounted", lambda *_: {"Elapsed": "2"})
    before = {"job": 7, "NodeList": "old1", "accounting": {"Elapsed": "1"}}
    for name, job in (("earlier", before), ("now", {"job": 7})):
        records.create(runs, name, "", {"slurm": job}).update(verdict="VALID")
    (tmp_path / "7.out").write_text("of now\n")
    last = SlurmJob(7, "COMPLETED", "", "n1", 0, {"NodeList": "n1"})
    Followed(Slurm(), "7", tmp_path, "7", Progress(), last=last).keep()
    assert records.read(runs / "earlier").head.slurm == before
    assert not (runs / "earlier" / "job").exists()
    assert records.read(runs / "now").head.slurm["accounting"] == {"Elapsed": "2"}
    assert (runs / "now" / "job" / "job.out").read_text() == "of now\n"


def test_what_is_asked_of_slurm_is_not_overridden_by_variables_of_the_user(programs: Path) -> None:
    """sbatch reads SBATCH_ACCOUNT and the like after a script, and before its arguments."""
    own, extra = ["--nodes=2", "--account=mine"], ["--gres=gpu:1", "-C knl", "#DW jobdw", "--comment='"]
    parts = Script(own, extra, [], {}, ["weft", "#SBATCH --mem=1"], programs, "weft-x")
    (script := programs / "job.sh").write_text(Slurm().script(parts))
    fake_program(programs, "sbatch", f'printf "%s\\n" "$@" >{programs}/asked; echo 12')
    assert Slurm().submit(script) == "12"
    first, *asked, last = (programs / "asked").read_text().splitlines()
    assert (first, last) == ("--parsable", str(script))
    written = ["--job-name=weft-x", f"--output={programs}/%j.out", f"--error={programs}/%j.err"]
    assert asked == [*own, *written, "--no-requeue", "--gres=gpu:1"]


def test_times_of_slurm_are_read_in_its_own_form(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's is: `relative` has no day, and no time of a record could be read later."""
    monkeypatch.setenv("SLURM_TIME_FORMAT", "relative")
    times = '[ "$SLURM_TIME_FORMAT" = standard ] && end=2026-11-28T12:00:00 || end=12:00'
    fake_program(programs, "scontrol", f'{times}; echo "JobId=7 JobState=RUNNING EndTime=$end"')
    job = Slurm().job("7")
    assert job is not None
    assert job.fields["EndTime"] == "2026-11-28T12:00:00"


ELEMENTS = """if test "$1" = -j; then test "$2" = 7 && echo 'hard resource_list: h_rt=999999'; exit; fi
echo '7 0.5 weft-x me dr 11/25/2026 22:35:29 main.q@a 2 1'
echo '7 0.5 weft-x me r 11/25/2026 22:35:29 main.q@b 2 3'
echo '7 0.5 weft-x me qw 11/25/2026 22:35:29 2 4-10:1'"""
"""An array of Grid Engine whose first element is being deleted, whose second has ended, and whose third runs."""


def test_an_element_of_a_grid_engine_job_array_is_not_another_one(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_program(programs, "qstat", ELEMENTS)
    monkeypatch.setenv("JOB_ID", "7")
    monkeypatch.setenv("PE_HOSTFILE", str(tmp_path))
    monkeypatch.setenv("SGE_TASK_ID", "3")
    number = system("gridengine").current()
    assert number == "7.3"
    found = system("gridengine").query(number)
    assert found is not None
    assert (found.state, found.nodes, found.fields["h_rt"]) == ("r", "main.q@b", "999999")
    assert system("gridengine").ended_by_system(number) is None
    assert known.gone(known.named("gridengine", "7.2"))
    assert not known.gone(known.named("gridengine", number))
    monkeypatch.setenv("SGE_TASK_ID", "undefined")
    assert system("gridengine").current() == "7"
