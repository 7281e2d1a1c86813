"""A profile of latencyfs from published rates. What each value rests on is its source.

A phase's rate is of whole calls with all requests that a client sends for them, so that a lookup before an open or a create is
part of it (`client.intents`).
"""

from collections.abc import Mapping

from weft.errors import UsageError
from weft.facts.io500.figures import Figures, shortest
from weft.facts.io500.kinds import Figure
from weft.facts.io500.phases import (
    CREATE,
    CREATE_IN_ONE,
    DELETE,
    DELETE_IN_ONE,
    READ,
    READ_IN_ONE,
    STAT,
    STAT_IN_ONE,
    WRITE,
)

_CALLS = 2
"""Calls of a create with its close."""
_MOST_OF_CLOSE = 0.5
"""Of a create with its close: more than a half would leave the create less than the close."""

Values = Mapping[str, Figure]


def values(found: Figures) -> Values:
    """By key of a profile: its value. Raises UsageError that names the phases without which there is none."""
    lacking = [phase for phase in (CREATE, STAT, DELETE, READ_IN_ONE) if phase not in found.rates]
    if lacking:
        raise UsageError(
            f"{found.about} has no rate of {', '.join(lacking)}", hint="choose another submission"
        )
    latency = alone(found)
    loaded = found.took.get(CREATE)
    under_load = (
        f"; under load a create with its close took {loaded.value * 1e3:.3g} ms, {loaded.source}"
        if loaded
        else ""
    )
    return {
        "metadata.servers": Figure(1, "assumption: one queue; the published rate is of all servers together"),
        "metadata.rate": Figure(round(found.rates[CREATE].value), found.rates[CREATE].source),
        "metadata.round_trip_us": Figure(_micro(latency.value), latency.source + under_load),
        **_in_one(found),
        **_operations(found),
        "data.round_trip_us": Figure(_micro(latency.value), "assumption: as a metadata request"),
        **_bandwidths(found),
        "client.intents": Figure(True, "the published rates are of whole calls, with the lookup before them"),
        **found.kind.values,
    }


def alone(found: Figures) -> Figure:
    """Seconds of one call without others: published, or what is known of it at most."""
    loaded = found.took.get(CREATE)
    most = Figure(loaded.value / _CALLS, loaded.source) if loaded else None
    kind = found.kind
    if kind.alone:
        if most and most.value < kind.alone.value:
            return Figure(most.value, f"at most this, by {most.source}; less than {kind.alone.source}")
        return kind.alone
    least = shortest(kind)
    if most and most.value < least.value / _CALLS:
        return most
    words = f"no figure of one process of {kind.words} was found; half of a create with its close took no longer in"
    return Figure(least.value / _CALLS, f"{words} IO500, {least.source}, under load")


def bounds(found: Figures) -> tuple[float, float]:
    """Seconds between which one call alone lies: of the fastest file system of its kind, and as under the load of the benchmark."""
    middle = alone(found).value
    loaded = found.took.get(CREATE)
    return (
        min(middle, shortest(found.kind).value / _CALLS),
        max(middle, loaded.value / _CALLS if loaded else middle),
    )


def _short(value: float) -> float:
    """As many digits as a figure that is read needs."""
    return float(f"{value:.5g}")


def _micro(seconds: float) -> float:
    return round(seconds * 1e6, 1)


def _ratio(over: Figure, under: Figure) -> float:
    return _short(over.value / under.value)


def _in_one(found: Figures) -> dict[str, Figure]:
    rate = found.rates.get(CREATE_IN_ONE)
    unknown = Figure(0, f"{CREATE_IN_ONE} is not published: no limit of a directory is assumed")
    return {"directory.rate": Figure(round(rate.value), rate.source) if rate else unknown}


def _operations(found: Figures) -> dict[str, Figure]:
    """By operation: round trips, work over a create with its close, and work on its directory over the same in one."""
    rates = found.rates
    stat, delete = _ratio(rates[CREATE], rates[STAT]), _ratio(rates[CREATE], rates[DELETE])
    close, opened = _open_and_close(found)
    in_one = _work_in_one(found)

    def cost(work: float, phase: str, source: str) -> Figure:
        return Figure([1, _short(work), in_one.get(phase, 0.0)], source)

    asked = f"{CREATE} over {STAT}, and in one directory {CREATE_IN_ONE} over {STAT_IN_ONE}; {_rows(found, STAT, STAT_IN_ONE)}"
    removed = f"{CREATE} over {DELETE}, and in one directory {CREATE_IN_ONE} over {DELETE_IN_ONE}; {_rows(found, DELETE, DELETE_IN_ONE)}"
    read = (
        f"{CREATE} over {READ_IN_ONE}, which includes a read of 3,901 bytes, less what a stat is slower in one"
        f" directory than in many; assumption: an open and its close share it; {_rows(found, READ_IN_ONE)}"
    )
    entry = cost(1, CREATE_IN_ONE, "assumption: an entry of a directory costs a create with its close")
    return {
        **dict.fromkeys(("op.lookup", "op.getattr"), cost(stat, STAT_IN_ONE, asked)),
        **dict.fromkeys(("op.readlink", "op.statfs"), cost(stat, "", "assumption: as a stat")),
        "op.create": cost(
            1 - close, CREATE_IN_ONE, f"the unit of work is {CREATE}, a create with its close; this is the rest"
        ),
        "op.open": cost(opened, READ_IN_ONE, read),
        "op.close": cost(close, "", f"{read}; at most half of a create with its close"),
        **dict.fromkeys(("op.unlink", "op.rmdir"), cost(delete, DELETE_IN_ONE, removed)),
        **dict.fromkeys(("op.mkdir", "op.mknod", "op.symlink", "op.link", "op.rename"), entry),
        "op.readdir": cost(opened, "", "assumption: a page of names costs about an open"),
        "op.truncate": cost(opened, "", "assumption: as an open"),
        "op.default": cost(opened, "", "assumption: as an open"),
        "op.fallocate": Figure([1, 0], "assumption: no metadata server is asked"),
    }  # fmt: skip


def _rows(found: Figures, *phases: str) -> str:
    """Where the rates are from."""
    return "; ".join(found.rates[phase].source for phase in phases if phase in found.rates)


def _open_and_close(found: Figures) -> tuple[float, float]:
    """Work of a close and of an open."""
    rates = found.rates
    slower = max(1.0, _ratio(rates[STAT], rates[STAT_IN_ONE])) if STAT_IN_ONE in rates else 1.0
    both = _ratio(rates[CREATE], rates[READ_IN_ONE]) / slower
    close = min(_MOST_OF_CLOSE, both / 2)
    return close, both - close


def _work_in_one(found: Figures) -> dict[str, float]:
    """By phase in one directory: its work there; a create has 1."""
    rates = found.rates
    phases = [one for one in (CREATE_IN_ONE, STAT_IN_ONE, READ_IN_ONE, DELETE_IN_ONE) if one in rates]
    return {one: _ratio(rates[CREATE_IN_ONE], rates[one]) for one in phases if CREATE_IN_ONE in rates}


def _bandwidths(found: Figures) -> dict[str, Figure]:
    keys = {"data.shared_bandwidth": found.rates, "data.client_bandwidth": found.of_node}
    least = {}
    for key, table in keys.items():
        known = [table[phase] for phase in (WRITE, READ) if phase in table]
        slower = min(
            known, key=lambda one: one.value, default=Figure(0, "not published: no limit is assumed")
        )
        least[key] = Figure(round(slower.value), slower.source)
    return least


def text(name: str, summary: str, found: Values) -> str:
    """As a file for `--profile`."""
    lines = [
        f'"{key}" = {{ value = {_toml(one.value)}, source = "{_escaped(one.source)}" }}'
        for key, one in found.items()
    ]
    return "\n".join([f'name = "{name}"', f'summary = "{_escaped(summary)}"', "", "[values]", *lines, ""])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
