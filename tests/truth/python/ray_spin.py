"""Functions of Ray that compute for so many seconds of their thread's CPU time: ray_spin.py TASKS SECONDS."""

import sys
import time

import ray


@ray.remote
def work(index: int, seconds: float) -> int:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
    return index


ray.init()
tasks = [work.remote(index, float(sys.argv[2])) for index in range(int(sys.argv[1]))]
print("tasks", len(ray.get(tasks)))
