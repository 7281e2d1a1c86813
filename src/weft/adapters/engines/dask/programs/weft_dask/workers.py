"""Workers without a web server of their own."""

from typing import Any

from distributed import Worker


class ClosedWorker(Worker):  # type: ignore[misc]
    """A worker that listens for other processes of the run only: its pages would be open to every user of the host."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Nothing listens."""
