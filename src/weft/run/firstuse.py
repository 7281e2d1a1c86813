"""The first run with an engine: it makes no class-data archive, as that takes longer than it saves in one run."""

from collections.abc import Callable, Iterator

from weft.host import settings
from weft.host.provision import classdata, distribution
from weft.run.provisioning import archivable
from weft.spec.model import Spec
from weft.spec.study import Study


def lighter(study: Study, say: Callable[[str], None]) -> Study:
    """The study; a single run without archives if none was made yet, and the next one makes them.

    Its spec then has `class_archives = false`, so that its record says how its processes were started. A study with several
    runs compares them, so all of them have archives.
    """
    cells = study.cells()
    if len(cells) * study.repeat > 1 or settings.class_lists() is not None:
        return study
    ((_, spec),) = cells
    if "class_archives" in spec.model_fields_set or not (names := list(_never(spec))):
        return study
    if not all(classdata.leave(name) for name in names):
        return study
    say(f"the next run with {' and '.join(names)} archives classes (once), to start faster from then on")
    table = {name: getattr(study, name) for name in Study.model_fields}
    return Study(**{**table, "base": {**study.base, "class_archives": False}})


def _never(spec: Spec) -> Iterator[str]:
    """Distributions whose classes were never archived, nor left to a next run."""
    homes = {name: spec.home(name) or distribution.expected(name) for name in spec.distributions()}
    return (name for name in archivable(spec, homes) if not classdata.known(name))
