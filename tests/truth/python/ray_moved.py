"""Arrays that are made on one node and summed on another, one after the other: ray_moved.py COUNT BYTES."""

import sys

import numpy as np
import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


@ray.remote
def made(index: int, size: int) -> "np.ndarray":
    return np.random.default_rng(index).integers(0, 255, size, np.uint8)


@ray.remote
def total(array: "np.ndarray") -> int:
    return int(array.sum(dtype=np.int64))


ray.init()
first, other = sorted(node["NodeID"] for node in ray.nodes())
here, there = (NodeAffinitySchedulingStrategy(node, soft=False) for node in (first, other))
for index in range(int(sys.argv[1])):
    array = made.options(scheduling_strategy=here).remote(index, int(sys.argv[2]))
    ray.wait([array], fetch_local=False)
    print("sum", ray.get(total.options(scheduling_strategy=there).remote(array)))
