"""What run --to does: a study on a persistent cluster."""

from weft.api.flags import Flags
from weft.api.joined import run_on, study_on
from weft.cli import outcomes
from weft.clusters import registry
from weft.errors import UsageError
from weft.run import rootless


def run(name: str, what: str, flags: Flags, *, again: bool, dry_run: bool, as_json: bool) -> None:
    """Run it, print the results, and exit with 0 if none is wrong."""
    if dry_run:
        raise UsageError(
            "a persistent cluster is planned already",
            hint=f"omit --dry-run; `weft connect {name}` describes the cluster",
        )
    cluster = registry.find(name)
    study = study_on(what, flags, cluster)
    rootless.follow(cluster.door)
    results = outcomes.printed(
        lambda progress: run_on(cluster, study, again=again, progress=progress), as_json=as_json
    )
    outcomes.end(what, study, results, as_json=as_json)
