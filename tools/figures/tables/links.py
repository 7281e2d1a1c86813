"""What links of virtual nodes carry, beside the rate that was asked for."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each rate, a column for each number of connections; in Gbit/s and as a share of what was asked for."""
    wanted = sorted({row["cell"]["wanted"] for row in rows})
    connections = sorted({row["cell"]["connections"] for row in rows})
    body = []
    for rate in wanted:
        cells = []
        for count in connections:
            values = [
                row["measured"] for row in rows if row["cell"] == {"wanted": rate, "connections": count}
            ]
            share = f", {100 * sorted(values)[len(values) // 2] / rate:.1f} %" if rate and values else ""
            cells.append(f"{spread(values, lambda value: f'{value:.3f}')}{share}")
        body.append([f"{rate:g}" if rate else "no limit", *cells])
    return table(
        [
            "Gbit/s wanted",
            *(f"measured, {count} connection{'s' if count > 1 else ''}" for count in connections),
        ],
        body,
    )
