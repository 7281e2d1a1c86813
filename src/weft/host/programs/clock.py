"""What time it is by a host's clock."""

import time

from weft.host.programs import answers


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`."""
    answers.give(answer, request)


def answer() -> "dict[str, float]":
    """Seconds since the epoch."""
    return {"clock": time.time()}
