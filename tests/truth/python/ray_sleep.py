"""Functions of Ray that sleep for so many seconds: ray_sleep.py TASKS SECONDS."""

import sys
import time

import ray


@ray.remote
def work(index: int, seconds: float) -> int:
    time.sleep(seconds)
    return index


ray.init()
tasks = [work.remote(index, float(sys.argv[2])) for index in range(int(sys.argv[1]))]
print("tasks", len(ray.get(tasks)))
