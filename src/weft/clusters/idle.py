"""How long nobody has used a cluster that stands."""

from collections.abc import Callable

_OFTEN = 30.0
"""Most seconds between questions whether an application runs."""


class Idleness:
    """Tells when nobody has used a cluster for `limit` seconds, neither by a command of weft nor with an application.

    `used` gives the time of the last command, which is the present while one runs; `quiet` asks the engines whether
    no application runs, some ten times within the limit and once more before it is over.
    """

    def __init__(
        self, limit: float, since: float, used: Callable[[], float], quiet: Callable[[], bool]
    ) -> None:
        self._limit = limit
        self._used = used
        self._quiet = quiet
        self._last = since
        self._asked = since

    def over(self, now: float) -> bool:
        """Whether the limit is reached. All times are seconds since the epoch."""
        self._last = max(self._last, self._used())
        if now - self._asked >= min(_OFTEN, self._limit / 10) or now - self._last >= self._limit:
            self._asked = now
            if not self._quiet():
                self._last = now
        return now - self._last >= self._limit
