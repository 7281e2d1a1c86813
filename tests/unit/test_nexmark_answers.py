"""Answers to Nexmark's queries: DuckDB's are those of plain loops over the events, and each mutant of an answer is refused."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from weft.tables import nexmark

WINDOW, BEGIN = 10_000, 1_436_918_400_000
HORIZON = BEGIN + 90_000
Row = tuple[Any, ...]


def made(seed: int = 3) -> dict[str, list[Row]]:
    """Events of 100 s: (late, time, fields...) of each kind; some are at the edges of windows, and some late."""
    draw = random.Random(seed)
    persons = [
        (0, BEGIN + i * 500, 1000 + i, f"name {i}", "a@b", "1", "Boise", draw.choice(("OR", "WA", "CA")), "")
        for i in range(200)
    ]
    auctions = [
        (int(i % 50 == 49), BEGIN + i * 250, 1000 + i, "item", "words", 1, 2, BEGIN + i * 250 + draw.randrange(1, 90_000), 1000 + (i // 2 if i % 50 == 49 else draw.randrange(i // 2 + 1)), draw.choice((10, 11)), "x")
        for i in range(400)
    ]  # fmt: skip
    bids = [
        (int(i % 97 == 96), BEGIN + i * 25, 1000 + draw.randrange(60), 1000 + draw.randrange(200), draw.randrange(100, 9000), "Apple", "u", "extra")
        for i in range(4000)
    ]  # fmt: skip
    edge = [
        (0, BEGIN + 20_000, 1107, 5555, 9000, "Apple", "u", "e"),
        (0, BEGIN + 30_000, 1107, 5555, 1, "Apple", "u", "e"),
    ]
    # the highest price of a window is one that does not count
    bids = [(*row[:4], 9999, *row[5:]) if row[0] else row for row in bids]
    return {"person": persons, "auction": auctions, "bid": bids + edge}


def in_time(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if not row[0]]


def q4(events: dict[str, list[Row]]) -> list[Row]:
    final: dict[int, dict[int, int]] = {}
    for a in events["auction"]:
        prices = [b[4] for b in events["bid"] if b[2] == a[2] and a[1] <= b[1] <= a[7]]
        if prices:
            final.setdefault(a[9], {})[a[2]] = max(prices)
    return [(key, sum(f.values()) // len(f), sum(f.values()), len(f)) for key, f in final.items()]


def q5(events: dict[str, list[Row]], horizon: int = HORIZON) -> list[Row]:
    hop, counts = WINDOW // nexmark.HOPS, Counter[tuple[int, int]]()
    for _, t, auction, *_ in in_time(events["bid"]):
        for ends in range(BEGIN, horizon + 1, hop):
            counts[ends, auction] += ends - WINDOW <= t < ends
    most = {ends: max(n for (e, _), n in counts.items() if e == ends) for ends, _ in counts}
    return [(ends, auction, n) for (ends, auction), n in counts.items() if n and n == most[ends]]


def q7(events: dict[str, list[Row]], horizon: int = HORIZON) -> list[Row]:
    found = []
    for starts in range(BEGIN, horizon, WINDOW):
        bids = [row for row in in_time(events["bid"]) if starts <= row[1] < starts + WINDOW]
        most = max(row[4] for row in bids)
        found += [(starts + WINDOW, b[2], b[4], b[3], b[1], b[7]) for b in bids if b[4] == most]
    return found


def q8(events: dict[str, list[Row]], horizon: int = HORIZON) -> list[Row]:
    sellers = {(row[8], row[1] // WINDOW) for row in in_time(events["auction"])}
    return [
        (row[2], row[3], row[1] // WINDOW * WINDOW)
        for row in in_time(events["person"])
        if (row[2], row[1] // WINDOW) in sellers and (row[1] // WINDOW + 1) * WINDOW <= horizon
    ]


def q11(events: dict[str, list[Row]], horizon: int = HORIZON) -> list[Row]:
    found, bidders = [], {row[3] for row in events["bid"]}
    for bidder in bidders:
        times = sorted(row[1] for row in in_time(events["bid"]) if row[3] == bidder)
        sessions: list[list[int]] = []
        for t in times:
            if sessions and t - sessions[-1][-1] < WINDOW:
                sessions[-1].append(t)
            else:
                sessions.append([t])
        found += [(bidder, len(one), one[0], one[-1] + WINDOW) for one in sessions]
    return [row for row in found if row[3] <= horizon]


RIGHT: dict[str, Callable[..., list[Row]]] = {
    "q0": lambda e: [(b[2], b[3], b[4], b[5], b[6], b[1], b[7]) for b in e["bid"]],
    "q1": lambda e: [
        (b[2], b[3], f"{b[4] * 908 // 1000}.{b[4] * 908 % 1000:03}", b[1], b[7]) for b in e["bid"]
    ],
    "q2": lambda e: [(b[2], b[4]) for b in e["bid"] if b[2] % 123 == 0],
    "q3": lambda e: [
        (p[3], p[6], p[7], a[2])
        for a in e["auction"]
        for p in e["person"]
        if a[8] == p[2] and a[9] == 10 and p[7] in {"OR", "ID", "CA"}
    ],
    "q4": q4,
    "q5": q5,
    "q7": q7,
    "q8": q8,
    "q11": q11,
}
WINDOWED = ("q5", "q7", "q8", "q11")


def text(rows: Iterable[Row]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def compared(tmp_path: Path, query: str, rows: Sequence[Row], events: dict[str, list[Row]]) -> dict[str, Any]:
    for kind, lines in events.items():
        (tmp_path / f"{kind}.csv").write_text(text(lines))
    lines = [(1, *row) for row in rows] if nexmark.QUERIES[query].updated else list(rows)
    (tmp_path / f"{query}.csv").write_text(text(lines))
    with duckdb.connect() as connection:
        nexmark.events(connection, tmp_path)
        return nexmark.compared(connection, tmp_path / f"{query}.csv", query, WINDOW, HORIZON)


def wrong(found: dict[str, Any]) -> tuple[int, int, int]:
    return found["lost"], found["wrong"], found["repeated"]


@pytest.mark.parametrize("query", nexmark.QUERIES)
def test_the_answer_is_that_of_a_loop_over_the_events_in_any_order(tmp_path: Path, query: str) -> None:
    events = made()
    rows = RIGHT[query](events)
    random.Random(1).shuffle(rows)
    found = compared(tmp_path, query, rows, events)
    updates = {"updates": len(rows)} if nexmark.QUERIES[query].updated else {}
    assert found == {"rows": len(rows), "lost": 0, "wrong": 0, "repeated": 0, **updates}
    assert rows


@pytest.mark.parametrize("query", [query for query, asked in nexmark.QUERIES.items() if not asked.updated])
@pytest.mark.parametrize(
    ("mutate", "kinds"),
    [
        (lambda rows: rows[1:], (1, 0, 0)),
        (lambda rows: [*rows, rows[len(rows) // 2]], (0, 0, 1)),
        (lambda rows: [*rows[1:], rows[-1]], (1, 0, 1)),
        (lambda rows: rows[: len(rows) // 2], None),
        (lambda rows: [(-1, *rows[0][1:]), *rows[1:]], (1, 1, 0)),
        (lambda rows: [], None),
    ],
    ids=["lose", "repeat", "lose and repeat", "truncate", "change", "drop"],
)
def test_a_lost_a_repeated_and_a_changed_row_and_a_truncated_result_are_refused(
    tmp_path: Path, query: str, mutate: Callable[[list[Row]], list[Row]], kinds: tuple[int, int, int] | None
) -> None:
    events = made()
    rows = sorted(RIGHT[query](events))
    mutant = mutate(rows)
    found = wrong(compared(tmp_path, query, mutant, events))
    assert found == (kinds or (len(rows) - len(mutant), 0, 0))
    assert any(found)


def updates(tmp_path: Path, lines: Sequence[Row]) -> tuple[int, int, int]:
    """What is found of the lines of q4, in their order."""
    compared(tmp_path, "q4", [], made())
    (tmp_path / "q4.csv").write_text(text(lines))
    with duckdb.connect() as connection:
        nexmark.events(connection, tmp_path)
        return wrong(nexmark.compared(connection, tmp_path / "q4.csv", "q4", WINDOW, HORIZON))


def test_of_updates_the_last_one_of_each_key_counts_however_often_and_whatever_was_before(
    tmp_path: Path,
) -> None:
    right = [(1, *row) for row in q4(made())]
    before = [(there, key, 1, 2, 3) for there in (1, 0, 1) for _, key, *_ in right]
    assert updates(tmp_path, [*before, *right]) == (0, 0, 0)
    assert updates(tmp_path, [*right, *before, *reversed(right), right[0]]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("mutate", "kinds"),
    [
        (lambda rows: rows[1:], (1, 0, 0)),
        (lambda _: [], (2, 0, 0)),
        (lambda rows: [*rows, (*rows[0][:4], rows[0][4] - 1)], (1, 1, 0)),
        (lambda rows: [*rows, (*rows[0][:3], rows[0][3] + 1, rows[0][4])], (1, 1, 0)),
        (lambda rows: [*rows, (0, *rows[0][1:])], (1, 0, 0)),
        (lambda rows: [*rows, (1, 99, 1, 1, 1)], (0, 1, 0)),
    ],
    ids=[
        "lose a key",
        "lose all",
        "an older one last",
        "a cent too much",
        "gone at the end",
        "an unknown key",
    ],
)
def test_a_last_update_that_is_lost_or_wrong_is_refused(
    tmp_path: Path, mutate: Callable[[list[Row]], list[Row]], kinds: tuple[int, int, int]
) -> None:
    assert updates(tmp_path, mutate([(1, *row) for row in q4(made())])) == kinds


@pytest.mark.parametrize("query", WINDOWED)
def test_a_late_event_that_is_counted_is_refused(tmp_path: Path, query: str) -> None:
    events = made()
    counted = {kind: [(0, *row[1:]) for row in rows] for kind, rows in events.items()}
    rows = RIGHT[query](counted)
    assert any(wrong(compared(tmp_path, query, rows, events)))


@pytest.mark.parametrize("query", [q5, q7, q8, q11])
def test_a_window_that_the_watermark_has_not_closed_is_refused(
    tmp_path: Path, query: Callable[..., list[Row]]
) -> None:
    events = made()
    rows = query(events, HORIZON + WINDOW)
    assert compared(tmp_path, query.__name__, rows, events)["wrong"] > 0


def test_a_result_without_rows_has_no_file_and_all_are_lost(tmp_path: Path) -> None:
    events = made()
    compared(tmp_path, "q2", [], events)
    (tmp_path / "q2.csv").unlink()
    with duckdb.connect() as connection:
        nexmark.events(connection, tmp_path)
        found = nexmark.compared(connection, tmp_path / "q2.csv", "q2", WINDOW, HORIZON)
    assert found["lost"] == found["rows"] > 0


def test_a_line_that_is_no_row_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(duckdb.Error):
        compared(tmp_path, "q2", [("many", 2)], made())
