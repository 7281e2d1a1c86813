"""Answers to queries are compared by value: every mutant of an answer is found, and what SQL leaves open is not."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.whole_answers import answer, empty
from weft.errors import WorkloadError
from weft.tables.answers import alike, answered, result
from weft.tables.columns import described
from weft.tables.compare import Answer, difference, same
from weft.tables.duck import database, quoted, view
from weft.tables.question import question

SALES = "(VALUES ('a', 1, 2.50), ('b', 2, 1.25), ('b', 3, 1.25), (NULL, 4, 0.75), ('c', 5, 9.00)) AS t(shop, n, price)"
IN_ORDER = f"SELECT shop, n, price FROM {SALES} ORDER BY n"
TIED = f"SELECT shop, price FROM {SALES} ORDER BY price"


@pytest.fixture(name="db")
def _db(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with database(1, 1 << 28, tmp_path) as connection:
        yield connection


def rows(db: duckdb.DuckDBPyConnection, text: str) -> list[tuple[Any, ...]]:
    return db.execute(text).fetchall()


def changed(found: list[tuple[Any, ...]], at: int, column: int, value: Any) -> list[tuple[Any, ...]]:
    row = list(found[at])
    row[column] = value
    return [*found[:at], tuple(row), *found[at + 1 :]]


def test_the_right_rows_are_right(db: duckdb.DuckDBPyConnection) -> None:
    for text in (IN_ORDER, TIED, f"SELECT count(*) FROM {SALES}", f"{IN_ORDER} LIMIT 2"):
        assert difference(answer(db, text), rows(db, text)) == ""


@pytest.mark.parametrize(
    ("mutant", "words"),
    [
        (lambda r: r[:2] + r[3:], "4 rows instead of 5; row 3: shop is null, expected 'b'"),
        (lambda r: r[:-1], "4 rows instead of 5; row 5 is the first"),
        (lambda r: [*r, r[-1]], "6 rows instead of 5; row 6 is the first"),
        (lambda r: [r[0], *r], "6 rows instead of 5; row 2: shop is 'a', expected 'b'"),
        (lambda r: [r[0], r[0], *r[2:]], "row 2: shop is 'a', expected 'b'"),
        (lambda r: changed(r, 1, 0, "z"), "row 2: shop is 'z', expected 'b'"),
        (lambda r: changed(r, 3, 0, ""), "row 4: shop is '', expected null"),
        (lambda r: changed(r, 0, 0, None), "row 1: shop is null, expected 'a'"),
        (lambda r: changed(r, 4, 2, Decimal("9.01")), "row 5: price is 9.01, expected 9.00"),
        (lambda r: [r[1], r[0], *r[2:]], "row 1: shop is 'b', expected 'a'"),
        (lambda r: r[::-1], "row 1: shop is 'c', expected 'a'"),
        (lambda r: [row[:2] for row in r], "2 columns instead of 3"),
        (lambda _: [], "0 rows instead of 5; row 1 is the first"),
    ],
)  # fmt: skip
def test_each_mutant_of_an_ordered_answer_is_found(
    db: duckdb.DuckDBPyConnection, mutant: Any, words: str
) -> None:
    assert words in difference(answer(db, IN_ORDER), mutant(rows(db, IN_ORDER)))


def test_rows_that_are_tied_may_come_in_any_order_and_no_others(db: duckdb.DuckDBPyConnection) -> None:
    right, found = answer(db, TIED), [(None, Decimal("0.75")), ("b", Decimal("1.25")), ("b", Decimal("1.25"))]
    found += [("a", Decimal("2.50")), ("c", Decimal("9.00"))]
    assert difference(right, found) == ""
    tied = f"SELECT n, price FROM {SALES} ORDER BY price"
    assert difference(answer(db, tied), [(4, 0.75), (3, 1.25), (2, 1.25), (1, 2.5), (5, 9)]) == ""
    assert "row 1: n is 3" in difference(
        answer(db, tied), [(3, 1.25), (4, 0.75), (2, 1.25), (1, 2.5), (5, 9)]
    )
    assert "row 3 is there more often" in difference(
        answer(db, tied), [(4, 0.75), (3, 1.25), (3, 1.25), (1, 2.5), (5, 9)]
    )


def test_a_limit_may_choose_among_tied_rows(db: duckdb.DuckDBPyConnection) -> None:
    right = answer(db, f"SELECT n, price FROM {SALES} ORDER BY price LIMIT 2")
    assert difference(right, [(4, 0.75), (2, 1.25)]) == ""
    assert difference(right, [(4, 0.75), (3, 1.25)]) == ""
    assert "row 2: n is 1" in difference(right, [(4, 0.75), (1, 2.5)])
    assert difference(right, [(4, 0.75)]) == "1 rows instead of 2; row 2 is the first"
    assert "3 rows instead of 2" in difference(right, [(4, 0.75), (2, 1.25), (3, 1.25)])


def test_without_an_order_rows_may_come_in_any(db: duckdb.DuckDBPyConnection) -> None:
    text = f"SELECT * FROM {SALES}"
    assert difference(answer(db, text), rows(db, text)[::-1]) == ""
    assert difference(answer(db, text), changed(rows(db, text), 2, 1, 2)) != ""


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        ("* FROM {}", ""),
        ("* REPLACE (n::DOUBLE AS n, price::DOUBLE AS price) FROM {}", ""),
        ("* REPLACE (n::SMALLINT AS n, price::DECIMAL(18, 6) AS price) FROM {}", ""),
        ("* FROM {} WHERE n < 5", "4 rows instead of 5; row 5 is the first"),
        ("* FROM {} WHERE shop IS NOT NULL", "row 1: shop is 'a', expected null, n is 1, expected 4"),
        ("* FROM {} UNION ALL SELECT 'b', 2, 1.25", "6 rows instead of 5; row 4: n is 2, expected 3"),
        ("* REPLACE (if(n = 3, 1.26, price) AS price) FROM {}", "row 4: price is 1.26, expected 1.25"),
        (
            "* REPLACE (n::DOUBLE AS n, if(n = 5, 9.02, price)::DOUBLE AS price) FROM {}",
            "row 5: price is 9.02, expected 9.00",
        ),
        ("shop, n FROM {}", "the result has 2 columns instead of 3"),
    ],
)
def test_rows_without_an_order_are_compared_one_after_another(
    db: duckdb.DuckDBPyConnection, tmp_path: Path, taken: str, words: str
) -> None:
    (tmp_path / "out").mkdir()
    copied = f"SELECT * FROM (SELECT {taken.format(SALES)}) ORDER BY hash(n)"
    db.execute(f"COPY ({copied}) TO '{tmp_path}/out/part-0.parquet' (FORMAT parquet)")
    with answered(db, f"SELECT * FROM {SALES}") as right:
        both, found = alike(right, result(db, tmp_path / "out"))
        wrong = difference(both, found)
        assert words in wrong
        assert bool(words) == bool(wrong)
        assert max(map(len, both.ties())) <= 2


def test_any_rows_of_an_answer_may_be_there_if_a_limit_chooses_without_an_order(
    db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    db.execute(
        f"COPY (SELECT * FROM {SALES} WHERE n > 3) TO '{tmp_path}/out/part-0.parquet' (FORMAT parquet)"
    )
    with answered(db, f"SELECT * FROM {SALES} LIMIT 2") as right:
        assert difference(*alike(right, result(db, tmp_path / "out"))) == ""


def test_nulls_are_below_all_values(db: duckdb.DuckDBPyConnection) -> None:
    shops = f"SELECT shop FROM {SALES} ORDER BY shop"
    assert next(iter(answer(db, shops).rows))[0] is None
    assert list(answer(db, f"{shops} DESC").rows)[-1][0] is None


def test_only_floating_point_numbers_may_differ_a_little() -> None:
    assert same(Decimal("2.00"), 2)
    assert not same(Decimal("2.000001"), 2)
    assert same(2.0000000001, 2.0)
    assert not same(2.00001, 2.0)
    assert same(Decimal("0.333333"), 1 / 3)
    assert not same(Decimal("0.333335"), 1 / 3)
    assert same(float("nan"), float("nan"))
    assert not same(float("nan"), 1.0)
    assert not same("1", 1.0)
    assert not same(None, 0)


def test_values_that_are_almost_equal_are_tied() -> None:
    right = Answer(
        ["n", "share"], [(1, 0.3333333333, 0.3333333333), (2, 0.33333333331, 0.33333333331)], ordered=True
    )
    assert difference(right, [(2, Decimal("0.333333")), (1, Decimal("0.333333"))]) == ""


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12), st.data())
def test_a_lost_a_repeated_and_a_changed_row_are_always_found(
    made: list[tuple[int, int]], data: st.DataObject
) -> None:
    ordered = sorted(made)
    right = Answer(["a", "b"], [(a, b, a) for a, b in ordered], ordered=True)
    assert difference(right, ordered) == ""
    if ordered:
        at = data.draw(st.integers(0, len(ordered) - 1))
        assert difference(right, ordered[:at] + ordered[at + 1 :]) != ""
        assert difference(right, [*ordered[:at], ordered[at], *ordered[at:]]) != ""
        assert difference(right, changed(ordered, at, 1, 9)) != ""


@pytest.mark.parametrize(
    ("text", "keys", "limit"),
    [
        ("SELECT shop, sum(n) AS n FROM {} GROUP BY shop ORDER BY n DESC, 1 LIMIT 3", 2, 3),
        ("SELECT shop FROM {} UNION SELECT 'z' ORDER BY shop", 1, None),
        ("SELECT DISTINCT shop FROM {} ORDER BY 1 LIMIT 2", 1, 2),
        ("SELECT * FROM {} ORDER BY n + 1, 3", 2, None),
        (
            "WITH x AS (SELECT * FROM {}) SELECT x.n FROM x ORDER BY x.price, CASE WHEN n = 1 THEN shop END",
            2,
            None,
        ),
        ("SELECT count(*) FROM {} LIMIT 9", 0, 9),
    ],
)
def test_what_orders_a_query_is_known(
    db: duckdb.DuckDBPyConnection, text: str, keys: int, limit: int | None
) -> None:
    asked = question(db, text.format(SALES))
    assert (asked.keys, asked.limit) == (keys, limit)
    whole = rows(db, asked.sql)
    assert [row[: len(row) - keys] for row in whole][:limit] == rows(db, text.format(SALES))


@pytest.mark.parametrize("text", ["SELEC 1", "SELECT 1; SELECT 2", "SELECT 1 LIMIT 1 OFFSET 1"])
def test_a_text_that_is_no_query_is_refused(db: duckdb.DuckDBPyConnection, text: str) -> None:
    with pytest.raises(ValueError):
        question(db, text)


@pytest.mark.parametrize(
    ("rows", "says_nothing"),
    [
        ([], True),
        ([(None, 0), (0.0, Decimal("0.00"))], True),
        ([(None, "")], True),
        ([(None, 0), (None, 1)], False),
        ([("a",)], False),
    ],
)
def test_an_answer_of_nulls_and_zeros_is_not_one_with_values(
    rows: list[tuple[Any, ...]], says_nothing: bool
) -> None:
    assert empty(rows) is says_nothing


def test_a_result_is_read_in_the_order_of_its_files(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for part, first in enumerate((10, 0)):
        db.execute(
            f"COPY (SELECT range + {first} AS n FROM range(3)) TO '{out}/part-{part}.parquet' (FORMAT parquet)"
        )
    (out / "_SUCCESS").touch()
    assert list(result(db, out)) == [(10,), (11,), (12,), (0,), (1,), (2,)]
    name = 'a "table"'
    view(db, name, sorted(out.glob("*.parquet")))
    assert rows(db, f"SELECT sum(n) FROM {quoted(name)}") == [(36,)]


def test_columns_are_those_of_flink(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("CREATE TABLE t (a BIGINT, b DECIMAL(7,2), c VARCHAR, d DATE, e TIMESTAMP)")
    types = ["BIGINT", "DECIMAL(7,2)", "STRING", "DATE", "TIMESTAMP(6)"]
    assert described(db, "t") == [f"t\t{name}\t{kind}\n" for name, kind in zip("abcde", types, strict=True)]
    db.execute("CREATE TABLE u (f INTEGER[])")
    with pytest.raises(ValueError, match=r"column f of u is INTEGER\[\]"):
        described(db, "u")


def test_a_result_without_rows_is_a_result_if_the_engine_says_so(
    db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    with pytest.raises(WorkloadError):
        result(db, tmp_path)
    (tmp_path / "_SUCCESS").touch()
    assert result(db, tmp_path) == []
    assert difference(answer(db, IN_ORDER), []) == "0 rows instead of 5; row 1 is the first"
