"""weft's workloads as functions of Python and NumPy, for engines that run functions as tasks. It is in their processes, and weft is not."""
