"""Whether limited links of virtual nodes have the rate that was asked for, from 0.05 to 10 Gbit/s, for one and for many connections."""

from weft.adapters.nodes.base import Nodes
from weft.analysis.read.calibration import LimitedLink
from weft.host.work import Work
from weft.run.calibration.program import Gauge
from weft.spec.parse import parse
from weft.text.units import parse_rate

RATES = ("", "50mbit", "100mbit", "250mbit", "500mbit", "1gbit", "2500mbit", "5gbit", "10gbit")
"""The first is a link without a limit: what the processors can drive."""
CONNECTIONS = (1, 16)
SECONDS = 2.0
"""For each rate and number of connections."""
_FRAME, _PAYLOAD = 1514, 1448
"""Bytes of a full packet with the headers of Ethernet, IP and TCP, and of the data in it: a limit counts the former."""


def nodes(rate: str) -> Nodes:
    """Two virtual nodes with this link."""
    form = "virtual:2,cores=1" + (f",rate={rate}" if rate else "")
    return parse({"workload": "file-open", "nodes": form}).nodes


def measured(rate: str, work: Work) -> list[LimitedLink]:
    """One rate, from the first node to the second, by number of connections."""
    with nodes(rate).acquire(work, work.visible) as (one, other):
        gauge = Gauge(work)
        options = ["--seconds", str(SECONDS), "--connections", ",".join(map(str, CONNECTIONS))]
        with gauge.serving(other) as address:
            (found,) = gauge.on({one: ["link", "--address", address, *options]})
    return [limited(rate, int(count), float(payload)) for count, payload in found["bandwidth"]]


def limited(rate: str, connections: int, payload: float) -> LimitedLink:
    """From the bytes of data per second that arrived."""
    wanted = parse_rate(rate) if rate else 0.0
    return LimitedLink(rate=rate, connections=connections, wanted=wanted, got=8 * payload * _FRAME / _PAYLOAD)
