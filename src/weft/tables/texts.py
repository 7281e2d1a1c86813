"""The names of TPC-DS's tables and queries, and the one text that is not DuckDB's."""

import re
from collections.abc import Sequence

TABLES = (
    "call_center",
    "catalog_page",
    "catalog_returns",
    "catalog_sales",
    "customer",
    "customer_address",
    "customer_demographics",
    "date_dim",
    "household_demographics",
    "income_band",
    "inventory",
    "item",
    "promotion",
    "reason",
    "ship_mode",
    "store",
    "store_returns",
    "store_sales",
    "time_dim",
    "warehouse",
    "web_page",
    "web_returns",
    "web_sales",
    "web_site",
)
ALL = tuple(f"q{number}" for number in range(1, 100))
_NUMBERS = (3, 7, 19, 27, 34, 42, 43, 46, 52, 53, 55, 59, 63, 65, 68, 73, 79, 89, 98)
SCAN = "ss_max"
INTERACTIVE = (*(f"q{number}" for number in _NUMBERS), SCAN)
"""The twenty interactive queries of Impala's kit, which papers on networks and storage measure."""

_MAXIMA = ("date", "time", "item", "customer", "cdemo", "hdemo", "addr", "store", "promo")
_NAMES = {"date": "sold_date", "time": "sold_time"}
OWN = {
    SCAN: "SELECT count(*) AS total,\n       count(ss_sold_date_sk) AS not_null_total,\n"
    "       count(DISTINCT ss_sold_date_sk) AS unique_days,\n"
    + ",\n".join(
        f"       max(ss_{_NAMES.get(name, name)}_sk) AS max_ss_{_NAMES.get(name, name)}_sk"
        for name in _MAXIMA
    )
    + "\nFROM store_sales;\n"
}
"""By name: a scan of the largest table."""

SETS = {"all": ALL, "interactive20": INTERACTIVE}

_AVERAGE = re.compile(r"\bavg\s*\(\s*(\w+)\s*\)", re.IGNORECASE)
_NULL = re.compile(r"(?<=[\s,])NULL AS\b", re.IGNORECASE)


def with_casts(text: str) -> str:
    """A query whose averages of columns are of floating-point numbers, and whose null columns are of text."""
    return _NULL.sub(r"CAST(NULL AS STRING) AS", _AVERAGE.sub(r"avg(CAST(\1 AS DOUBLE))", text))


def chosen(text: str) -> Sequence[str]:
    """The queries of a set, or of a list such as q3,q7. Raises ValueError for a name that does not exist."""
    if text in SETS:
        return SETS[text]
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = {*ALL, SCAN}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(
            f"{unknown[0]} is no query of TPC-DS; write {', '.join(SETS)}, or names from q1 to q99 and {SCAN}"
        )
    if not names:
        raise ValueError("no query is named")
    if len(set(names)) < len(names):
        raise ValueError("a query is named twice; `repeats` runs each several times")
    return names
