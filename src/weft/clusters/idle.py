"""For how long nobody has used a persistent cluster."""

from collections.abc import Callable

_OFTEN = 30.0
"""Maximum seconds between checks for running applications."""


class Idleness:
    """Detects when nobody has used a cluster for `limit` seconds, neither with a weft command nor with an application.

    `last_use` returns another value after each command, and None while one runs; `quiet` asks the engines whether no
    application runs, some ten times within the limit and once more before it expires.
    """

    def __init__(
        self, limit: float, since: float, last_use: Callable[[], int | None], quiet: Callable[[], bool]
    ) -> None:
        self._limit = limit
        self._last_use = last_use
        self._seen = last_use()
        self._quiet = quiet
        self._last = since
        self._asked = since

    def over(self, now: float) -> bool:
        """Whether the limit is reached. All times are seconds of one clock that nobody sets."""
        if (use := self._last_use()) is None or use != self._seen:
            self._seen, self._last = use, now
        if now - self._asked >= min(_OFTEN, self._limit / 10) or now - self._last >= self._limit:
            self._asked = now
            if not self._quiet():
                self._last = now
        return now - self._last >= self._limit
