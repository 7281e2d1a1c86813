"""The runs of a study: every cell as often as requested, in random order, skipping finished ones."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.errors import UsageError, WeftError
from weft.host import checkout, settings
from weft.record import record
from weft.record.history import expected_phases
from weft.record.record import Stored
from weft.run import control
from weft.run.progress import Progress
from weft.run.run import ClusterSource, OwnCluster
from weft.run.run import run as run_once
from weft.spec.model import Spec
from weft.spec.study import Study
from weft.text.redaction import redacted
from weft.text.toml import toml_of


def run(
    study: Study,
    progress: Progress,
    *,
    again: bool = False,
    enough: Callable[[], str] = lambda: "",
    source: ClusterSource | None = None,
) -> list[Stored]:
    """Run what is not finished; a failed run is a result in a study, and an error as a single run.

    `enough`, asked before each run, says why the rest has to wait for another call. `source`: of the cluster; default: each run has its own.
    """
    source = source or OwnCluster()
    cells = study.cells()
    if not all(spec.workload.measured for _, spec in cells):
        raise UsageError(
            "a persistent cluster is not a workload of `weft run`",
            hint="start it with `weft up`, then use `weft exec` or `weft submit --to`",
        )
    groups = [source.group(spec) for _, spec in cells]
    rounds = order(len(cells), study.repeat, study.shuffle_seed, groups)
    if len(rounds) == 1 and not study.matrix and not study.control:
        return [_one(study, cells[0], progress, {}, source)]
    done = {} if again else finished(study)
    commit = checkout.commit() if done else ""
    results = []
    for number, (index, repeat) in enumerate(rounds, start=1):
        cell, spec = cells[index]
        coordinates = _as_text(cell)
        mark = {"study": study.name, "repeat": repeat, "coordinates": coordinates}
        name = ", ".join(f"{key}={value}" for key, value in coordinates.items()) or spec.workload.kind
        earlier = done.get((source.key(spec), repeat))
        if earlier and not _changed(spec, earlier):
            of = _other(commit, earlier)
            progress.say(f"[{number}/{len(rounds)}] {name}: done earlier{of}, {earlier.directory.name}")
            results.append(earlier)
            continue
        if reason := enough():
            progress.say(f"[{number}/{len(rounds)}] {name}: not now, {reason}")
            continue
        progress.say(f"[{number}/{len(rounds)}] {name}")
        if study.control:
            mark["control"] = control.measured(progress.say)
        try:
            results.append(_one(study, (cell, spec), progress, mark, source))
        except WeftError as error:
            if error.record is None:
                raise  # an error before a cell has a record stops all of them
            results.append(record.read(error.record))
            # a result stays valid if only the cleanup after it failed
            progress.say(f"  {results[-1].verdict}: {error.message}")
    return results


def _changed(spec: Spec, earlier: Stored) -> bool:
    """Whether a file of the user, such as the program, was written since a run: the spec has its name alone."""
    return any(path.is_file() and path.stat().st_mtime > earlier.head.begun for path in spec.workload.paths)


def _other(commit: str, earlier: Stored) -> str:
    """The commit of a run, if it is not this one: runs of both are in one study then."""
    known = earlier.head.commit
    return f" by commit {known}" if known and known != commit else ""


def _as_text(cell: Mapping[str, Any]) -> dict[str, str]:
    """Coordinates as a record has them: true, 2, and of a table its JSON without secrets."""
    plain = redacted(cell, settings.secret_keys())
    return {
        key: value if isinstance(value, str) else json.dumps(value, default=str)
        for key, value in plain.items()
    }


def order(cells: int, repeat: int, seed: int, groups: Sequence[str] = ()) -> list[tuple[int, int]]:
    """(cell, repeat) pairs: each repetition runs every cell once, in its own order.

    `groups`: of each cell; those of one come one after the other, and an empty one is none.
    """
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    of = [group or str(cell) for cell, group in enumerate(groups or [""] * cells)]
    found = []
    for number in range(repeat):
        drawn = rng.sample(range(cells), cells)
        # a group comes where its first cell was drawn
        first = {of[cell]: at for at, cell in reversed(list(enumerate(drawn)))}
        found += [(cell, number) for cell in sorted(drawn, key=lambda cell: first[of[cell]])]
    return found


def finished(study: Study) -> dict[tuple[str, int], Stored]:
    """Runs of this study that already have a verdict, by spec and repetition."""
    found = {}
    for stored in record.all_records(settings.runs()):
        mark = stored.head.cell
        # an own job without a check is never VALID
        if mark.study == study.name and stored.verdict in {"VALID", "UNCHECKED"}:
            found[(stored.head.key, mark.repeat or 0)] = stored
    return found


def _one(
    study: Study,
    cell: tuple[dict[str, Any], Spec],
    progress: Progress,
    mark: dict[str, Any],
    source: ClusterSource,
) -> Stored:
    coordinates, spec = cell
    progress.expected = expected_phases(record.all_records(settings.runs()), source.key(spec))
    text = toml_of(study.table(coordinates), study.settings(coordinates), settings.secret_keys())
    hidden = redacted(mark, settings.secret_keys())
    return run_once(spec, text, progress, source=source, cell=hidden, labels=study.labels)


def summary(stored: Stored) -> dict[str, Any]:
    """The data about a run for scripts."""
    keys = (
        "id",
        "verdict",
        "checked_by",
        "reason",
        "workload",
        "engine",
        "nodes",
        "cluster",
        "application",
        "input_of",
        "input",
        "output",
        "scratch",
        "phases",
        "measured",
        "bytes_in",
        "bytes_out",
        "throughput_per_node",
        "lost",
        "facts",
    )
    return {**{key: getattr(stored.head, key) for key in keys}, "record": str(stored.directory)}
