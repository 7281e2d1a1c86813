"""Which queries of TPC-DS each engine runs with right answers, how many of these say anything, and the reason for the others."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from figures.rows import Row

Found = Mapping[str, Any]
_LONGEST = 200
"""Characters of a reason."""
_RIGHT = "right"
_WITH_VALUES = "right, with values"
_EMPTY = "right, but empty, or only nulls and zeros"


def table(rows: Sequence[Row]) -> list[str]:
    """Of rows of evidence: a column for each engine."""
    scales = ", ".join(dict.fromkeys(str(row["cell"]["scale"]) for row in rows))
    found = [{"engine": row["cell"]["engine"], "facts": {"queries": row["queries"]}} for row in rows]
    return [f"At scale {scales}.", "", *lines(answers(found))]


def answers(records: Iterable[Found]) -> dict[str, dict[str, Found]]:
    """By engine and query: its row of the report. Several records of an engine add up."""
    found: dict[str, dict[str, Found]] = {}
    for record in records:
        of = found.setdefault(record["engine"], {})
        of |= {row["query"]: row for row in record["facts"]["queries"]}
    return found


def lines(found: Mapping[str, Mapping[str, Found]]) -> list[str]:
    """The table: a column for each engine, and a row for each query that is not right on all of them."""
    names = sorted({name for of in found.values() for name in of}, key=_number)
    answers = {
        name: [of[name]["answer"] if name in of else "not run" for of in found.values()] for name in names
    }
    rows = [[name, *map(_cell, each)] for name, each in answers.items() if set(each) != {_RIGHT}]
    right = len(names) - len(rows)
    last = [["others", *[f"{right} right"] * len(found)]] if right else []
    head = ["query", *found]
    return [_row(cells) for cells in (head, ["---"] * len(head), *_counts(found.values()), *rows, *last)]


def _counts(found: Iterable[Mapping[str, Found]]) -> list[list[str]]:
    """How many are right; of an answer that is empty, or only nulls and zeros, that says little: it is right on many tables."""
    counts = [["all"], [_WITH_VALUES], [_EMPTY]]
    for of in found:
        right = [row for row in of.values() if row["answer"] == _RIGHT]
        empty = sum(row.get("empty", not row["rows"]) for row in right)
        for cells, text in zip(
            counts, (f"{len(right)} of {len(of)} right", str(len(right) - empty), str(empty)), strict=True
        ):
            cells.append(text)
    return counts


def _cell(answer: str) -> str:
    text = re.sub(r"\s+", " ", answer).replace("|", "\\|").strip()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _number(name: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", name)
    return (int(digits) if digits else 1000, name)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
