"""GroupBy: random pairs, kept in memory where they are made and then grouped by key."""

from functools import partial
from typing import Any
from zlib import crc32

import numpy as np

from weft_tasks.job import TaskJob

Array = np.ndarray[Any, np.dtype[Any]]
Pairs = tuple[Array, Array]
"""Keys (rows) of int32, and values (rows, bytes) of uint8."""
Tally = tuple[int, int, int]
"""Groups, pairs, and the sum of the pairs' hashes."""
GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
BOUND = (1 << 31) - 1
"""Keys are below it."""


def group(job: TaskJob) -> None:
    """Count groups and pairs, and add up the hashes of the pairs."""
    mappers, reducers, pairs = job.number("mappers"), job.number("reducers"), job.number("pairs")
    width, seed = job.number("value-bytes"), job.number("seed")
    with job.connected() as cluster:
        with job.phase("generate"):
            tasks = [cluster.task(made, seed, mapper, pairs, width) for mapper in range(mappers)]
            maps = cluster.keep(tasks)
            count = sum(cluster.results([cluster.task(rows, each) for each in maps]))
        with job.phase("group", measured=True):
            tallies = cluster.shuffled(maps, partial(cut, reducers=reducers), tally, reducers)
    groups, found, checksum = (sum(each) for each in zip(*tallies, strict=True))
    if count != mappers * pairs:
        job.problem(f"number of generated pairs is {count}, expected {mappers * pairs}")
    job.found |= {"groups": groups, "pairs": found, "checksum": f"{checksum & MASK:x}"}
    job.found |= {"mappers": mappers, "reducers": reducers, "shuffle_blocks": mappers * reducers}
    job.found["payload_bytes"] = mappers * pairs * (4 + width)


def made(seed: int, mapper: int, pairs: int, width: int) -> Pairs:
    """The pairs of a mapper, as PairSource of weft's generator draws them: Java's SplittableRandom."""
    own = mixed(np.uint64((mixed_one((mapper + GAMMA) & MASK) + seed) & MASK))
    keys = drawn_keys(int(own), pairs)
    words = -(-width // 8)
    values = mixed(_states(mixed_one((int(own) + 1) & MASK), pairs * words))
    content = values.astype("<u8").view(np.uint8).reshape(pairs, words * 8)
    return keys, np.ascontiguousarray(content[:, :width])


def _states(seed: int, count: int) -> Array:
    """The states of SplittableRandom before its next numbers."""
    with np.errstate(over="ignore"):
        return np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GAMMA)


def drawn_keys(seed: int, count: int) -> Array:
    """The first keys: nextInt(2^31 - 1), which draws again for the one number that is too large."""
    more = count
    while True:
        with np.errstate(over="ignore"):
            z = _states(seed, more)
            z = (z ^ (z >> np.uint64(33))) * np.uint64(0x62A9D9ED799705F5)
            z = ((z ^ (z >> np.uint64(28))) * np.uint64(0xCB24D0A5C88C35B3)) >> np.uint64(32)
        found = (z >> np.uint64(1)).astype(np.int64)
        found = found[found != BOUND]
        if len(found) >= count:
            return np.asarray(found[:count], np.int32)
        more += 1 + count - len(found)


def mixed(numbers: Any) -> Any:
    """Hash64.mix of weft's generator: the finalizer of SplitMix64."""
    with np.errstate(over="ignore"):
        x = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def mixed_one(number: int) -> int:
    """The same for a number of Python."""
    return int(mixed(np.uint64(number)))


def rows(pairs: Pairs) -> int:
    """The number of pairs."""
    return len(pairs[0])


def cut(pairs: Pairs, number: int, reducers: int) -> Pairs:
    """A block: the pairs whose keys are a reducer's."""
    keys, values = pairs
    own = keys % reducers == number
    return keys[own], values[own]


def tally(_: int, blocks: list[Pairs]) -> Tally:
    """Bring the values of each key together, and count what is there."""
    keys = np.concatenate([block[0] for block in blocks])
    values = np.concatenate([block[1] for block in blocks])
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    groups = int(np.count_nonzero(np.diff(keys))) + (1 if len(keys) else 0)
    sums = np.fromiter(map(crc32, values), np.uint64, len(values))
    with np.errstate(over="ignore"):
        numbers = (sums << np.uint64(32)) | np.uint64(values.shape[1])
        hashes = mixed(mixed(keys.astype(np.uint64) + np.uint64(GAMMA)) + numbers)
        return groups, len(keys), int(hashes.sum(dtype=np.uint64))
