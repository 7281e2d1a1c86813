"""The output of Slurm's commands, as data."""

import re

_FIELD = re.compile(r"(?:^|\s)([A-Z][\w/:]*)=")
_UNSET = {"", "(null)", "None", "none", "N/A", "n/a", "Unknown"}


def fields(line: str) -> dict[str, str]:
    """Keys and values of a line of `scontrol --oneliner`, without those that are not set."""
    keys = list(_FIELD.finditer(line))
    ends = [match.start() for match in keys[1:]] + [len(line)]
    pairs = {match[1]: line[match.end() : end].strip() for match, end in zip(keys, ends, strict=True)}
    return {key: value for key, value in pairs.items() if value not in _UNSET}


def parts_of(line: str) -> list[tuple[str, int, int]]:
    """Node list, cores and MiB of each part of a job, from `scontrol --details --oneliner`."""
    found = re.findall(r"\bNodes=(\S+) CPU_IDs=(\S+) Mem=(\d+)", line)
    return [(nodes, _count(ids), int(memory)) for nodes, ids, memory in found]


def _count(ids: str) -> int:
    """The count of IDs: 0-3,8 is 5."""
    bounds = [part.partition("-") for part in ids.split(",")]
    return sum(int(last or first) - int(first) + 1 for first, _, last in bounds)


def per_node(text: str) -> list[int]:
    """The numbers in Slurm's short form: "2(x3),4" is 2, 2, 2, 4."""
    found: list[int] = []
    for word in filter(None, text.split(",")):
        number, _, times = word.partition("(x")
        found += [int(number)] * int(times.rstrip(")") or 1)
    return found


def seconds(text: str) -> float:
    """Seconds of "1-02:03:04", "02:03:04", "03:04"; infinity of UNLIMITED and the like."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+(?::\d+){0,2})", text)
    if match is None or (match[1] is None and ":" not in match[2]):
        return float("inf")
    parts = [int(part) for part in match[2].split(":")]
    # behind days are hours (sbatch(1), --time); without them 03:04 is minutes and seconds
    parts = [*parts, 0, 0][:3] if match[1] else [*[0] * (3 - len(parts)), *parts]
    return float(86400 * int(match[1] or 0) + 3600 * parts[0] + 60 * parts[1] + parts[2])
