"""The scheduler's one page: the names of its workers, and how many clients it has. It requires a token that is signed with the run's secret, if it has one."""

from collections.abc import Callable
from typing import Any

import dask.config
from tornado.web import HTTPError, RequestHandler
from weft_tasks.token import is_signed


class Workers(RequestHandler):  # type: ignore[misc]
    """Names of the workers that have registered, and the number of clients, as JSON."""

    def initialize(self, dask_server: Any, **_: Any) -> None:
        """Called by tornado with the scheduler."""
        self.scheduler = dask_server

    def get(self) -> None:
        """Answer, or refuse who has no token."""
        secret = dask.config.get("weft.secret", None)
        if secret is not None and not is_signed(self.request.headers.get("Authorization", ""), str(secret)):
            raise HTTPError(403)
        names = [str(worker.name) for worker in self.scheduler.workers.values()]
        self.write({"workers": names, "clients": len(self.scheduler.client_comms)})


routes: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [("workers", Workers, {})]
