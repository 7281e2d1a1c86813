"""Functions of Dask that sleep for so many seconds: dask_sleep.py TASKS SECONDS."""

import sys
import time

from distributed import Client


def work(index: int, seconds: float) -> int:
    time.sleep(seconds)
    return index


with Client() as client:
    tasks = [client.submit(work, index, float(sys.argv[2])) for index in range(int(sys.argv[1]))]
    print("tasks", len(client.gather(tasks)))
