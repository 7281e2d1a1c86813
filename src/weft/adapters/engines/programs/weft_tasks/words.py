"""WordCount: a map task counts the words of its split, and the counts of a word meet in the part of its hash."""

from collections import Counter
from pathlib import Path
from zlib import crc32

from weft_tasks.job import Split, TaskJob, commit, require_empty, splits, tidy

Counts = dict[bytes, int]


def count(job: TaskJob) -> None:
    """Lines of a word, a tab and its count."""
    parts, output = job.number("partitions"), job.output
    require_empty(output)
    with job.connected() as cluster:
        inputs = splits(job.options["input"], cluster.slots)
        with job.phase("count", measured=True):
            maps = [cluster.task(counted, split, parts) for split in inputs]
            written = cluster.shuffled(maps, cut, write, parts, output)
    tidy(output)
    bytes_in = sum(split.end - split.begin for split in inputs)
    job.found |= {"partitions": parts, "bytes_in": bytes_in, "bytes_out": sum(written)}


def counted(split: Split, parts: int) -> list[Counts]:
    """By part: the words of the lines that begin in a split, and how often each is there."""
    found: list[Counts] = [{} for _ in range(parts)]
    for word, number in Counter(text(split).split()).items():
        found[crc32(word) % parts][word] = number
    return found


def text(split: Split) -> bytes:
    """The lines that begin in a split: those of splits that meet share no line and leave none out."""
    with open(split.path, "rb") as file:  # noqa: PTH123 - as users of Python read
        if split.begin:
            file.seek(split.begin - 1)
            file.readline()
        lines = file.read(max(0, split.end - file.tell()))
        return lines if not lines or lines.endswith(b"\n") else lines + file.readline()


def cut(maps: list[Counts], number: int) -> Counts:
    """A block."""
    return maps[number]


def write(number: int, blocks: list[Counts], output: Path) -> int:
    """Add up the counts of a part, and write them."""
    total: Counts = {}
    for block in blocks:
        for word, count_ in block.items():
            total[word] = total.get(word, 0) + count_
    lines = b"".join(b"%s\t%d\n" % item for item in total.items())
    size: int = commit(output, number, lines)
    return size
