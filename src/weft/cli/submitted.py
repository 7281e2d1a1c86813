"""What submit does: a job of the user on a cluster of its own, or on a persistent one."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weft.adapters.workloads import ownjob
from weft.adapters.workloads.base import Prepared
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.api.runs import own_job
from weft.cli import outcomes
from weft.cli.chosen import say_chosen
from weft.cli.ownquery import own_query
from weft.clusters import registry
from weft.clusters import submitted as job
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.facts import engines
from weft.layout.plan import SECRET
from weft.spec.study import Study
from weft.text import properties
from weft.text.redaction import revealed


@dataclass(frozen=True)
class Asked:
    """What the command line says of a job."""

    program: Path
    arguments: Sequence[str]
    job: Mapping[str, Any]
    """Keys of the workload `own-job`."""
    conf: Mapping[str, str] = field(default_factory=dict)
    properties: Path | None = None
    """A file of settings, over which `conf` wins."""
    memory: Mapping[str, str | None] = field(default_factory=dict)
    """Heap of the driver and of each executor."""
    tables: Sequence[str] = ()
    """Of a query."""
    result: Path | None = None
    """The file for that of a query."""

    def table(self, settings: Mapping[str, str]) -> dict[str, Any]:
        """The workload, with these settings of the engine."""
        job = {**self.job, **({"conf": dict(settings)} if settings else {})}
        query = own_query(self.program, self.arguments, self.tables, self.result, job)
        return query or own_job(self.program, self.arguments, job)


def submit(asked: Asked, flags: Flags, to: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Run the job, and exit with its exit code, or with 1 if its result is wrong."""
    if to is not None:
        if asked.program.suffix == ".sql":
            raise UsageError(
                f"a query runs on a cluster of its own, not on {to}",
                hint="omit --to; a .py or .jar file that asks queries can run on the cluster",
            )
        if (
            flags != Flags(engine=flags.engine)
            or as_json
            or dry_run
            or {"verify", "stage"} & asked.job.keys()
        ):
            raise UsageError(
                "a persistent cluster already has its nodes and storage, and keeps one record of all its jobs",
                hint="use --to with options of the job only, and --engine if the cluster has several",
            )
        if ownjob.STDOUT in ownjob.named(asked.arguments):
            raise UsageError(
                f"what a job prints on {to} is printed here, so that {{stdout}} is no file",
                hint="omit {stdout}, or --to",
            )
        sys.exit(_submit_to(registry.find(to), asked, flags.engine))
    kind = study_of(asked.table({}), flags).cells()[0][1].engine.kind
    settings, memory = _divided(kind, asked)
    sized = replace(flags, set=(*flags.set, *_heaps(kind, memory)))
    study = study_of(asked.table(settings), sized)
    say_chosen(study, flags)
    if dry_run:
        outcomes.print_plan(study, as_json=as_json)
        return
    # the program may have changed since runs of the same spec
    results = outcomes.do(study, as_json=as_json, again=True)
    sys.exit(1 if any(result.verdict == "INVALID" for result in results) else 0)


def _settings(kind: str, asked: Asked) -> dict[str, str]:
    """The engine's settings for the job: a file's without those of another cluster, then those of the command line."""
    given = properties.read(asked.properties) if asked.properties else {}
    cluster = engines.of(kind).settings.cluster
    left = [key for key in given if cluster and key.startswith(cluster)]
    if left:
        print(f"{asked.properties}: {', '.join(left)} is of another cluster, and not used", file=sys.stderr)
    return {**{key: value for key, value in given.items() if key not in left}, **asked.conf}


def _divided(kind: str, asked: Asked) -> tuple[dict[str, str], Mapping[str, str | None]]:
    """The settings without that of the driver's heap, and the heaps: an option wins over a setting, as with spark-submit."""
    settings = _settings(kind, asked)
    own = settings.pop(engines.of(kind).settings.driver, None)
    return settings, {**asked.memory, "driver": asked.memory.get("driver") or own}


def _heaps(kind: str, memory: Mapping[str, str | None]) -> list[str]:
    """The heaps of a new cluster, as settings of the engine."""
    known = engines.of(kind).settings
    keys = {"driver": known.driver_key, "executor": known.heap_key}
    return [f"engine.{_required(keys[who], kind, who)}={size}" for who, size in memory.items() if size]


def _required(key: str, kind: str, who: str) -> str:
    if not key:
        raise UsageError(f"{kind} has no --{who}-memory", hint=f"`weft settings {kind}` lists its settings")
    return key


def _submit_to(cluster: PersistentCluster, asked: Asked, wanted: str | None) -> int:
    """Run a job on a persistent cluster, with one of its engines, and return its exit code."""
    kind = registry.engine_for(cluster, wanted)
    study = _on_running(kind, asked)
    ((_, spec),) = study.cells()
    engine, layout = cluster.engine.parts[kind], cluster.layout.of_engine(kind)
    if kind not in spec.workload.engines:
        raise UsageError(f"{cluster.name} runs {kind}, which accepts no jobs")
    engine.require_program(asked.program)
    work = spec.workload.measured
    assert work is not None
    command = engine.submit(work.job(Prepared(layout)), layout)
    files = {path: revealed(text, spec.secrets, path) for path, text in command.files.items()}
    # a file that no argument names is found by a variable of the engine's command, and a job there has those of the cluster
    if any(SECRET in text or str(path) not in command.argv for path, text in files.items()):
        raise UsageError(
            f"{kind} reads a secret in --conf only on a cluster of its own",
            hint="give it to `weft up` with --set, or omit --to",
        )
    argv = [revealed(word, spec.secrets) for word in command.argv]
    return job.run(cluster, command, argv, replace(layout, engine=kind), files, spec.secrets)


def _on_running(kind: str, asked: Asked) -> Study:
    """The job, which has its own heaps, as far as the engine lets a job have them."""
    known = engines.of(kind).settings
    settings, heaps = _divided(kind, asked)
    if heaps.get("executor"):
        settings[known.heap if _required(known.heap_key, kind, "executor") else ""] = str(heaps["executor"])
    table = asked.table(settings)
    if heaps.get("driver"):
        table["driver_memory"] = heaps["driver"]
    return study_of(table, Flags(output="disk"))  # the cluster has one, and no input
