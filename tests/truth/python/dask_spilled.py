"""Arrays that do not fit in a worker's memory together, each of which is summed afterwards: dask_spilled.py COUNT BYTES."""

import sys

import numpy as np
from distributed import Client, wait


def made(index: int, size: int) -> "np.ndarray":
    return np.full(size, index % 256, np.uint8)


def total(array: "np.ndarray") -> int:
    return int(array.sum(dtype=np.int64))


with Client() as client:
    arrays = [client.submit(made, index, int(sys.argv[2])) for index in range(int(sys.argv[1]))]
    wait(arrays)
    print("sum", sum(client.gather([client.submit(total, each) for each in arrays])))
