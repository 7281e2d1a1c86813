"""Writes the tables of the 2009 comparison of MapReduce and databases: rankings of pages, and visits to them.

usage: python -m weft.tables.visits --visits 1000000 --pages 100000 --sources 10000 --seed 0 --output DIR --part-from 0 --part-to 5 ...

A row depends on the seed and its number alone, and a file has a fixed number of rows: the bytes do not depend on how many
programs write them.
"""

import argparse
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars

from weft.tables.copied import to_write
from weft.tables.program import execute, options, progress

FILE_ROWS: Final = 250_000
_GROUP_ROWS: Final = 50_000
_FIRST, _LAST = date(1970, 1, 1), date(2012, 5, 1)
_URL: Final = (10, 100)
"""Least and most letters of an address of a page."""
_PREFIX: Final = 8
"""Letters that number the page, so that addresses differ."""
_MICROS: Final = 1_000_000
_WORDS: Final = 1000

Numbers = np.ndarray[Any, np.dtype[Any]]
"""Of 64 bits, without a sign."""


def parts(visits: int, pages: int) -> int:
    """The number of files: those of rankings, then those of visits."""
    return _files(pages) + _files(visits)


def main() -> None:
    parser = options(__doc__)
    for name in ("visits", "pages", "sources", "seed", "part-from", "part-to"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--output", required=True)
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    with to_write(given, given.output) as output:
        return _written(given, output)


def _written(given: argparse.Namespace, output: Path) -> Mapping[str, Any]:
    rows, size = {"rankings": 0, "uservisits": 0}, 0
    for part in range(given.part_from, given.part_to):
        table, file, first, last = _part(part, given.visits, given.pages)
        numbers = np.arange(first, last, dtype=np.uint64)
        frame = (
            rankings(numbers, given.seed)
            if table == "rankings"
            else visits(numbers, given.seed, given.pages, given.sources)
        )
        path = output / table / f"part-{file:05d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(path, compression="snappy", row_group_size=_GROUP_ROWS)
        rows[table] += frame.height
        size += path.stat().st_size
        progress(part - given.part_from + 1, given.part_to - given.part_from)
    return {**rows, "bytes": size}


def rankings(page: Numbers, seed: int) -> polars.DataFrame:
    """Pages: their addresses, ranks of up to 1000, of which one in r reaches r, and seconds."""
    return polars.DataFrame(
        {
            "pageURL": urls(page, seed),
            "pageRank": _small(1000 // (1 + _drawn(page, seed, 1) % 1000)),
            "avgDuration": _small(1 + _drawn(page, seed, 2) % 99),
        }
    )


def visits(visit: Numbers, seed: int, pages: int, sources: int) -> polars.DataFrame:
    """Visits: source, page, date, revenue and what else a web server notes."""
    days = (_LAST - _FIRST).days + 1
    source = _mixed(_drawn(visit, seed, 11) % np.uint64(sources), seed)
    dates = polars.Series(_small(_drawn(visit, seed, 13) % days)).cast(polars.Date)
    millionths = polars.Series((_drawn(visit, seed, 14) % _MICROS).astype(np.int64))
    word = _drawn(visit, seed, 15)
    return polars.DataFrame(
        {
            "sourceIP": [
                f"{n >> 24 & 255}.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in source.tolist()
            ],
            "destURL": urls(_drawn(visit, seed, 12) % np.uint64(pages), seed),
            "visitDate": dates,
            "adRevenue": _millionths(millionths),
            "userAgent": [f"agent/{n}" for n in (word % 97).tolist()],
            "countryCode": _letters(word >> 8, 3, "A"),
            "languageCode": _letters(word >> 24, 2, "a"),
            "searchWord": [f"word{n}" for n in ((word >> 40) % _WORDS).tolist()],
            "duration": _small(1 + _drawn(visit, seed, 16) % 10),
        }
    )


def urls(page: Numbers, seed: int) -> list[str]:
    """The address of each page: its number in letters, then letters at random, 10 to 100 in all."""
    least, most = _URL
    letters = np.empty((len(page), most), dtype=np.uint8)
    left = page.copy()
    for i in range(_PREFIX):
        letters[:, i], left = left % 26 + 97, left // 26
    for i in range(_PREFIX, most, 8):
        eight = _drawn(page, seed, 100 + i)
        for j in range(i, min(i + 8, most)):
            letters[:, j] = (eight >> np.uint64(8 * (j - i)) & np.uint64(255)) % 26 + 97
    lengths = (least + _drawn(page, seed, 3) % (most - least + 1)).tolist()
    text = letters.tobytes().decode("ascii")
    return [text[row * most : row * most + length] for row, length in enumerate(lengths)]


def _part(part: int, visits: int, pages: int) -> tuple[str, int, int, int]:
    """The table of a file, its number there, and its rows."""
    first = _files(pages)
    table, file, rows = ("rankings", part, pages) if part < first else ("uservisits", part - first, visits)
    return table, file, file * FILE_ROWS, min((file + 1) * FILE_ROWS, rows)


def _files(rows: int) -> int:
    return -(-rows // FILE_ROWS)


def _drawn(number: Numbers, seed: int, column: int) -> Numbers:
    """A random number for each row of a column (SplitMix64)."""
    return _mixed(number * np.uint64(0x9E3779B97F4A7C15) + np.uint64(column), seed)


def _mixed(number: Numbers, seed: int) -> Numbers:
    salt = (seed * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) % (1 << 64)
    z = number ^ np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _small(values: Numbers) -> Any:
    return values.astype(np.int32)


def _millionths(values: polars.Series) -> polars.Series:
    """Decimals from 0 to 0.999999, made of integers."""
    text = values.cast(polars.String).str.zfill(6)
    return ("0." + text).cast(polars.Decimal(9, 6))


def _letters(values: Numbers, count: int, first: str) -> list[str]:
    letters = np.stack([values // 26**i % 26 + ord(first) for i in range(count)], axis=1)
    text = letters.astype(np.uint8).tobytes().decode("ascii")
    return [text[start : start + count] for start in range(0, len(text), count)]


if __name__ == "__main__":
    main()
