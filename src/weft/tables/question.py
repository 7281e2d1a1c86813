"""A query without its limit and with the values that order it, so that ties and what a limit cuts off are known."""

import json
from dataclasses import dataclass
from typing import Any

import duckdb

Node = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A query to ask DuckDB for the whole answer, in order."""

    sql: str
    keys: int
    """The last so many columns are the values by which the rows are ordered; 0 if the query orders nothing."""
    limit: int | None
    """The most rows that the query returns."""


def question(connection: duckdb.DuckDBPyConnection, text: str) -> Question:
    """The question that a query asks, by DuckDB's own parser. Raises ValueError if it is not one SELECT."""
    (parsed,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchone() or ("",)
    tree = json.loads(parsed)
    if tree.get("error") or len(tree["statements"]) != 1:
        raise ValueError(tree.get("error_message") or "more than one statement")
    statement = tree["statements"][0]
    node = statement["node"]
    modifiers = {modifier["type"]: modifier for modifier in node["modifiers"]}
    limit = _limit(modifiers.get("LIMIT_MODIFIER"))
    orders = modifiers.get("ORDER_MODIFIER", {}).get("orders", [])
    if orders and ("DISTINCT_MODIFIER" in modifiers or not _named(node)):
        return Question(*_around(connection, statement, orders), limit)
    if orders:
        listed = node["select_list"]
        node["select_list"] = [
            *listed,
            *(_key(order["expression"], listed, i) for i, order in enumerate(orders)),
        ]
    node["modifiers"] = [modifier for modifier in node["modifiers"] if modifier["type"] != "LIMIT_MODIFIER"]
    return Question(_text(connection, statement), len(orders), limit)


def _limit(modifier: Node | None) -> int | None:
    if modifier is None:
        return None
    if modifier.get("offset"):
        raise ValueError("a query with OFFSET has no answer that can be compared")
    return int(modifier["limit"]["value"]["value"])


def _named(node: Node) -> bool:
    """Whether each column of the query is an expression of its own: no union, no SELECT *."""
    return node["type"] == "SELECT_NODE" and all(item["class"] != "STAR" for item in node["select_list"])


def _key(expression: Node, listed: list[Node], number: int) -> Node:
    """What orders rows as one more column: an expression, or the column of a position or name."""
    named = {item["alias"].lower(): item for item in listed if item["alias"]}
    meant = expression
    if (position := _position(expression)) is not None:
        meant = listed[position - 1]
    elif expression["class"] == "COLUMN_REF" and len(expression["column_names"]) == 1:
        # in an order, a name is that of a column of the result, if there is one
        meant = named.get(expression["column_names"][0].lower(), expression)
    return {**meant, "alias": f"weft_key_{number}"}


def _position(expression: Node) -> int | None:
    """The column's number in ORDER BY 2."""
    return int(expression["value"]["value"]) if expression["class"] == "CONSTANT" else None


def _around(connection: duckdb.DuckDBPyConnection, statement: Node, orders: list[Node]) -> tuple[str, int]:
    """The query of a union, or of distinct rows, as the inner one of another that orders it."""
    statement["node"]["modifiers"] = [
        modifier for modifier in statement["node"]["modifiers"] if modifier["type"] == "DISTINCT_MODIFIER"
    ]
    inner = _text(connection, statement)
    template = json.loads(
        (connection.execute("SELECT json_serialize_sql('SELECT * FROM inner_query')").fetchone() or ("",))[0]
    )
    outer = template["statements"][0]
    star = outer["node"]["select_list"]
    outer["node"]["select_list"] = [
        *star,
        *(_outer_key(order["expression"], i) for i, order in enumerate(orders)),
    ]
    outer["node"]["modifiers"] = [{"type": "ORDER_MODIFIER", "orders": orders}]
    text = _text(connection, outer)
    return text.replace("inner_query", f"({inner}) AS inner_query", 1), len(orders)


def _outer_key(expression: Node, number: int) -> Node:
    position = _position(expression)
    column = {"class": "POSITIONAL_REFERENCE", "type": "POSITIONAL_REFERENCE", "index": position}
    return {**(expression if position is None else column), "alias": f"weft_key_{number}"}


def _text(connection: duckdb.DuckDBPyConnection, statement: Node) -> str:
    whole = json.dumps({"error": False, "statements": [statement]})
    (text,) = connection.execute("SELECT json_deserialize_sql(?::JSON)", [whole]).fetchone() or ("",)
    return str(text)
