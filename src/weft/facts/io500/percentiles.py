"""The profiles of latencyfs that are percentiles of a kind's submissions. `tools/profiles` writes them."""

from collections.abc import Mapping

from weft.facts.io500 import figures, profile

PERCENTILES: Mapping[str, tuple[str, int]] = {
    "lustre-slow": ("lustre", 10),
    "lustre": ("lustre", 50),
    "lustre-fast": ("lustre", 90),
    "gpfs": ("gpfs", 50),
    "beegfs": ("beegfs", 50),
    "daos": ("daos", 50),
    "gekkofs": ("gekkofs", 50),
}
"""By profile: the kind of file system, and the percentile."""
_HEAD = """\
# Written by tools/profiles from src/weft/facts/io500: change that. Rates are of IO500/submission-data at f610b34: quiet, tuned
# machines, all of whose processes belong to the benchmark. A path is the row of the table that a value is from.
"""


def text(name: str) -> str:
    """A profile as its file."""
    found = figures.of_percentile(*PERCENTILES[name])
    note = f"; {found.kind.note}" if found.kind.note else ""
    return _HEAD + profile.text(name, found.about + note, profile.values(found))
