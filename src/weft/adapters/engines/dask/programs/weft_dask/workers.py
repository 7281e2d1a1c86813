"""Workers without a web server of their own, which say what they know of their tasks."""

from typing import Any

import dask.config
from distributed import Worker
from weft_tasks.threads import name_thread

from weft_dask import tasktimes
from weft_dask.stream import PATH


class ClosedWorker(Worker):  # type: ignore[misc]
    """A worker that listens for other processes of the run only: its pages would be open to every user of the host."""

    times: tasktimes.TimesPlugin | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if dask.config.get(PATH, None):
            self.times = tasktimes.TimesPlugin()
            name_thread(tasktimes.PROCESS)
            threads = tasktimes.TaskThreadPoolExecutor(
                kwargs.get("nthreads") or 1, thread_name_prefix="Dask-Default-Threads"
            )
            threads.spent = self.times.spent
            kwargs.setdefault("executor", threads)
            kwargs["plugins"] = (*kwargs.get("plugins", ()), self.times)
        super().__init__(*args, **kwargs)

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Nothing listens."""

    def digest_metric(self, name: Any, value: float) -> None:
        """Called by Dask with what it timed."""
        super().digest_metric(name, value)
        if self.times:
            self.times.timed(name, value)

    async def execute(self, key: Any, *, stimulus_id: str) -> Any:
        """Called by Dask for a task that has a slot."""
        if not self.times:
            return await super().execute(key, stimulus_id=stimulus_id)
        times = self.times.begun(key)
        token = tasktimes.entered(times)
        try:
            return await super().execute(key, stimulus_id=stimulus_id)
        finally:
            tasktimes.left(token)
            self.times.returned(times)
