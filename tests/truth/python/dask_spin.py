"""Functions of Dask that compute for so many seconds of their thread's CPU time: dask_spin.py TASKS SECONDS."""

import sys
import time

from distributed import Client


def work(index: int, seconds: float) -> int:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
    return index


with Client() as client:
    tasks = [client.submit(work, index, float(sys.argv[2])) for index in range(int(sys.argv[1]))]
    print("tasks", len(client.gather(tasks)))
