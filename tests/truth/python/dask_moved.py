"""Arrays that are made on one worker and summed on another, one after the other: dask_moved.py COUNT BYTES."""

import sys

import numpy as np
from distributed import Client, wait


def made(index: int, size: int) -> "np.ndarray":
    return np.random.default_rng(index).integers(0, 255, size, np.uint8)


def total(array: "np.ndarray") -> int:
    return int(array.sum(dtype=np.int64))


with Client() as client:
    first, other = sorted(client.scheduler_info()["workers"])
    for index in range(int(sys.argv[1])):
        array = client.submit(made, index, int(sys.argv[2]), workers=[first])
        wait(array)
        print("sum", client.submit(total, array, workers=[other]).result())
