"""Whether a command has to be submitted, and its submission."""

import os
import secrets
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft.adapters.nodes.jobnodes import JobNodes
from weft.errors import UsageError
from weft.host import settings, signals
from weft.host.schedulers import known
from weft.host.schedulers.base import Scheduler
from weft.host.site.profile import load
from weft.run import rootless
from weft.run.progress import Progress
from weft.run.provisioning import provision
from weft.run.submission.followed import Followed
from weft.run.submission.script import script
from weft.run.topology import topology
from weft.spec.study import Study
from weft.text.redaction import Values, has_placeholder, hidden

_DECIDED = ("partition", "constraint", "queue", "pe")
"""Keys by which a job gets other nodes."""


def needed(study: Study) -> JobNodes | None:
    """The nodes for which to submit a job; None if no cell uses a batch system, or inside a job of it."""
    every = [topology(spec).nodes(spec.nodes) for _, spec in study.cells()]
    _require_one_job([nodes for nodes in every if isinstance(nodes, JobNodes)])
    wanted = [
        nodes for nodes in every if isinstance(nodes, JobNodes) and not known.KINDS[nodes.scheduler].current()
    ]
    return max(wanted, key=lambda nodes: nodes.count) if wanted else None


def _require_one_job(every: Sequence[JobNodes]) -> None:
    """Raises UsageError for cells that ask for different kinds of nodes: all run in one job, and a record would name the wrong ones."""
    for key in _DECIDED:
        named = list(dict.fromkeys(getattr(nodes, key, None) or "the default" for nodes in every))
        if named[1:]:
            raise UsageError(
                f"the cells of this study ask for nodes with {key} {' and '.join(named)}, but all run in one job",
                hint=f"omit nodes.{key} from its matrix, and run it once for each: --set nodes.{key}=NAME",
            )


def job_script(study: Study, nodes: JobNodes, arguments: Sequence[str], stem: str = "JOB") -> str:
    """The script that would be submitted for this command."""
    values: Values = {}
    if hidden(list(arguments), values, settings.secret_keys()) and values:
        raise UsageError(
            f"the job script would contain the secret {has_placeholder(next(iter(values)))[0]}",
            hint="write KEY=file:PATH, with a file that compute nodes can read",
        )
    command = [sys.executable, "-P", "-m", "weft", *arguments]
    environment = _environment(study)
    return script(nodes, load(), command, environment, _folder(), study.name, stem, Path.cwd())


def enter(study: Study, progress: Progress) -> None:
    """Move this command to where its nodes are: into a user namespace, or into a job, which it follows to its exit code."""
    rootless.enter(study)
    nodes = needed(study)
    if nodes is None:
        return
    for _, spec in study.cells():  # compute nodes often cannot access the registries
        provision(spec, progress.say)
    scheduler = known.KINDS[nodes.scheduler]
    stem = secrets.token_hex(4)
    text = job_script(study, nodes, sys.argv[1:], stem)
    with _submitted(scheduler, text, stem, progress) as job:
        job.secrets = [spec.secrets for _, spec in study.cells()]
        code = job.follow(nodes.wait)
    sys.exit(code)


def _folder() -> Path:
    return settings.runs() / ".jobs"


def _environment(study: Study) -> dict[str, str]:
    """The part of this environment that the command needs, whatever a site's batch system exports."""
    profile = load()
    modules = [str(settings.PACKAGE.parent), *settings.search_path("PYTHONPATH").split(":")]
    found: dict[str, Path | str] = {
        "PATH": settings.search_path("PATH"),  # also of Slurm, after SBATCH_EXPORT=NONE
        "PYTHONPATH": ":".join(dict.fromkeys(filter(None, modules))),
        "WEFT_CACHE": settings.cache(),
        "WEFT_RUNS": settings.runs(),
        "WEFT_SITE": settings.site(),
        "WEFT_STATE": settings.state(),
        "WEFT_WORK": profile.local / settings.work().name if profile.local else settings.work(),
        **settings.chosen(),
    }
    if home := settings.java_home():
        found["JAVA_HOME"] = home
    for name in sorted({name for _, spec in study.cells() for name in spec.distributions()}):
        if home := settings.home(name):
            found[f"{name.upper()}_HOME"] = home
    return {key: str(value) for key, value in found.items()}


@contextmanager
def _submitted(scheduler: Scheduler, text: str, stem: str, progress: Progress) -> Iterator[Followed]:
    """A job for the length of a `with` block: cancelled if it is left early; the known data are stored."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{stem}.sh"
    path.touch(mode=0o600)
    path.write_bytes(os.fsencode(text))  # names of files have the bytes that they have on the disk
    job: Followed | None = None
    try:
        with signals.held():  # a signal here could leave a job whose number nobody has read
            job = _begun(scheduler, path, progress)
        progress.say(f"{job.title}: {shlex.join([*scheduler.cancels, job.number])}, or Ctrl-C, ends it")
        yield job
    except BaseException:  # also what nobody expects: a job that nobody follows must not go on
        if job is not None and not job.unknown:
            job.cancel()
        raise
    finally:
        if job is not None:
            with signals.held():
                job.release()
                job.keep()


def _begun(scheduler: Scheduler, script: Path, progress: Progress) -> Followed:
    """A submitted job; the script then has the name of its files."""
    try:
        number = scheduler.submit(script)
    except BaseException:
        script.unlink()
        raise
    stem = scheduler.stem(script, number)
    script.rename(script.with_name(f"{stem}.sh"))
    return Followed(scheduler, number, script.parent, stem, progress)
