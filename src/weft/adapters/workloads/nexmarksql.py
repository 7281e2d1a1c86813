"""Nexmark's queries in the SQL of each engine. The first column is the moment from which a row's latency counts, and no part of the answer."""

_HOPS = """SELECT auction, count(*) AS num, window_start, window_end
    FROM TABLE(HOP(TABLE bid, DESCRIPTOR(eventTime), INTERVAL '{hop}' SECOND, INTERVAL '{window}' SECOND))
    GROUP BY auction, window_start, window_end"""

_TUMBLES = "TABLE(TUMBLE(TABLE {table}, DESCRIPTOR(eventTime), INTERVAL '{window}' SECOND))"

_PARTS = {
    "@hops": _HOPS,
    **{f"@{table}s": _TUMBLES.replace("{table}", table) for table in ("bid", "person", "auction")},
}
"""What texts repeat, by its name there."""

_BOTH = {
    "q0": "SELECT sent, auction, bidder, price, channel, url, millis, extra FROM bid",
    "q1": "SELECT sent, auction, bidder, 0.908 * price AS price, millis, extra FROM bid",
    "q2": "SELECT sent, auction, price FROM bid WHERE MOD(auction, 123) = 0",
    "q3": """SELECT CASE WHEN A.sent > P.sent THEN A.sent ELSE P.sent END AS sent, P.name, P.city, P.state, A.id
FROM auction AS A JOIN person AS P ON A.seller = P.id
WHERE A.category = 10 AND P.state IN ('OR', 'ID', 'CA')""",
}

TEXTS = {
    "flink": {
        **_BOTH,
        "q4": """SELECT max(Q.sent) AS sent, Q.category, avg(Q.final) AS price, sum(Q.final) AS total, count(*) AS num
FROM (
    SELECT A.category, max(B.price) AS final, max(CASE WHEN A.sent > B.sent THEN A.sent ELSE B.sent END) AS sent
    FROM auction AS A JOIN bid AS B ON A.id = B.auction AND B.millis BETWEEN A.millis AND A.expires
    GROUP BY A.id, A.category
) AS Q GROUP BY Q.category""",
        "q5": """SELECT A.window_end AS closed, A.window_end AS ends, A.auction, A.num
FROM (@hops) AS A
JOIN (
    SELECT max(num) AS most, window_start, window_end FROM (@hops) AS C GROUP BY window_start, window_end
) AS M ON A.window_start = M.window_start AND A.window_end = M.window_end AND A.num = M.most""",
        "q7": """SELECT B.window_end AS closed, B.window_end AS ends, B.auction, B.price, B.bidder, B.millis, B.extra
FROM (SELECT * FROM @bids) AS B
JOIN (
    SELECT max(price) AS most, window_start, window_end FROM @bids GROUP BY window_start, window_end
) AS M ON B.window_start = M.window_start AND B.window_end = M.window_end AND B.price = M.most""",
        "q8": """SELECT P.window_end AS closed, P.id, P.name, P.window_start
FROM (SELECT id, name, window_start, window_end FROM @persons GROUP BY id, name, window_start, window_end) AS P
JOIN (SELECT seller, window_start, window_end FROM @auctions GROUP BY seller, window_start, window_end) AS A
ON P.id = A.seller AND P.window_start = A.window_start AND P.window_end = A.window_end""",
        "q11": """SELECT window_end AS closed, bidder, count(*) AS num, window_start, window_end
FROM TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(eventTime), INTERVAL '{window}' SECOND))
GROUP BY bidder, window_start, window_end""",
    },
    "spark": {
        **_BOTH,
        "q4": """SELECT CASE WHEN A.sent > B.sent THEN A.sent ELSE B.sent END AS sent, A.category, A.id AS auction, B.price
FROM auction AS A JOIN bid AS B ON A.id = B.auction AND B.millis BETWEEN A.millis AND A.expires""",
        "q5": """SELECT w.end AS closed, w.end AS ends, hot.auction, hot.num
FROM (
    SELECT w, explode(filter(counts, one -> one.num = most)) AS hot
    FROM (
        SELECT window AS w, max(num) AS most, collect_list(struct(auction, num)) AS counts
        FROM (
            SELECT auction, count(*) AS num, window FROM bid
            GROUP BY auction, window(eventTime, '{window} seconds', '{hop} seconds')
        ) GROUP BY window
    )
)""",
        "q7": """SELECT B.w.end AS closed, B.w.end AS ends, B.auction, B.price, B.bidder, B.millis, B.extra
FROM (SELECT *, window(eventTime, '{window} seconds') AS w FROM bid) AS B
JOIN (SELECT window AS w, max(price) AS most FROM bid GROUP BY window(eventTime, '{window} seconds')) AS M
ON B.w = M.w AND B.price = M.most""",
        "q8": """SELECT P.w.end AS closed, P.id, P.name, P.w.start
FROM (SELECT id, name, window AS w FROM person GROUP BY id, name, window(eventTime, '{window} seconds')) AS P
JOIN (SELECT seller, window AS w FROM auction GROUP BY seller, window(eventTime, '{window} seconds')) AS A
ON P.id = A.seller AND P.w = A.w""",
        "q11": """SELECT session_window.end AS closed, bidder, count(*) AS num, session_window.start, session_window.end
FROM bid GROUP BY bidder, session_window(eventTime, '{window} seconds')""",
    },
}
"""By engine and query; {window} and {hop} are seconds."""

NAMES = tuple(TEXTS["flink"])

UPDATED = {"q4"}
"""Queries whose rows are updated: the second column is the key, and the last row of each key is the answer. On Spark, whose SQL
aggregates no rows that are updated, the text has the rows that are aggregated, and a function with state does the rest."""

WINDOWED = {"q5", "q7", "q8", "q11"}
"""Queries of windows of event time, whose rows come when the watermark has closed them."""


def text(engine: str, query: str, window: int, hop: int) -> str:
    """A query with the length of its windows in seconds."""
    found = TEXTS[engine][query]
    for name, part in _PARTS.items():
        found = found.replace(name, part)
    for name, seconds in (("{window}", window), ("{hop}", hop)):
        found = found.replace(f"INTERVAL '{name}' SECOND", _interval(seconds)).replace(name, str(seconds))
    return found + "\n"


def _interval(seconds: int) -> str:
    """As Flink reads it, whose intervals of seconds have two digits."""
    if seconds < 100:
        return f"INTERVAL '{seconds}' SECOND"
    minutes, own = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"INTERVAL '{days} {hours:02}:{minutes:02}:{own:02}' DAY TO SECOND"
