"""TeraSort: records of 100 bytes in the order of their first ten, as ranges of keys that samples divide evenly.

Data frames hold columns of Arrow or objects of Python; these records stay what they are, arrays of bytes of NumPy.
"""

from pathlib import Path
from typing import Any

import numpy as np

from weft_tasks.job import Split, TaskJob, WrongInputError, commit, require_empty, splits, tidy

RECORD = 100
SAMPLES = 100_000
"""Keys that are sampled in all."""

Array = np.ndarray[Any, np.dtype[Any]]
"""Records (rows, 100) of uint8; or keys of 8 bytes as numbers."""


def sort(job: TaskJob) -> None:
    """Numbered parts of a total order."""
    if job.options.get("method", "stock") != "stock" or job.options.get("sort", "true") != "true":
        raise WrongInputError("This sort has method=stock and sort=true only.")
    parts, output = job.number("partitions"), job.output
    require_empty(output)
    with job.connected() as cluster:
        inputs = splits(job.options["input"], cluster.slots, RECORD)
        size = sum(split.end - split.begin for split in inputs)
        with job.phase("sample", measured=True):
            each = -(-SAMPLES // len(inputs))
            keys = cluster.results([cluster.task(sampled, split, each) for split in inputs])
        edges = bounds(np.concatenate(keys), parts)
        with job.phase("sort", measured=True):
            maps = [cluster.task(ranged, split, edges) for split in inputs]
            rows = sum(cluster.shuffled(maps, cut, write, parts, output))
    tidy(output)
    if rows != size // RECORD:
        job.problem(f"rows written is {rows}, expected {size // RECORD}")
    job.found |= {"method": "stock", "sort": True, "partitions": parts, "bytes_in": size}
    job.found |= {"rows_in": size // RECORD, "rows_out": rows, "bytes_out": rows * RECORD}


def read(split: Split) -> Array:
    """The records of a split."""
    return np.fromfile(split.path, np.uint8, split.end - split.begin, offset=split.begin).reshape(-1, RECORD)


def heads(records: Array) -> Array:
    """The first eight bytes of each key, as numbers in the order of the bytes."""
    return np.ascontiguousarray(records[:, :8]).view(">u8").ravel().astype(np.uint64)


def sampled(split: Split, count: int) -> Array:
    """Keys of so many records of a split, at even distances."""
    rows = (split.end - split.begin) // RECORD
    records = np.memmap(split.path, np.uint8, "r", split.begin, (rows, RECORD))
    return heads(np.array(records[:: max(1, rows // count)]))


def bounds(keys: Array, parts: int) -> Array:
    """The least key of each part but the first. Keys with the same first eight bytes are in the same part."""
    ordered = np.sort(keys)
    return ordered[[len(ordered) * part // parts for part in range(1, parts)]]


def ranged(split: Split, edges: Array) -> tuple[Array, Array]:
    """The records of a split, those of a part together, and where each part begins."""
    records = read(split)
    part = np.searchsorted(edges, heads(records), side="right")
    begins = np.searchsorted(np.sort(part), np.arange(len(edges) + 2))
    return records[np.argsort(part, kind="stable")], begins


def cut(mapped: tuple[Array, Array], number: int) -> Array:
    """A block, in memory of its own: it stays when the records of the split are given up."""
    records, begins = mapped
    return records[begins[number] : begins[number + 1]].copy()


def write(number: int, blocks: list[Array], output: Path) -> int:
    """Sort a part by key, and write it; gives its number of records."""
    records = np.concatenate(blocks)
    tails = np.ascontiguousarray(records[:, 8:10]).view(">u2").ravel()
    ordered = records[np.lexsort((tails, heads(records)))]
    # of one dimension: Python casts no view that is empty in one of two
    size: int = commit(output, number, ordered.ravel().data)
    return size // RECORD
