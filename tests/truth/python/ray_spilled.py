"""Arrays that do not fit in an object store together, each of which is summed afterwards: ray_spilled.py COUNT BYTES."""

import sys

import numpy as np
import ray


@ray.remote
def made(index: int, size: int) -> "np.ndarray":
    return np.full(size, index % 256, np.uint8)


@ray.remote
def total(array: "np.ndarray") -> int:
    return int(array.sum(dtype=np.int64))


ray.init()
arrays = [made.remote(index, int(sys.argv[2])) for index in range(int(sys.argv[1]))]
ray.wait(arrays, num_returns=len(arrays), fetch_local=False)
print("sum", sum(ray.get([total.remote(each) for each in arrays])))
