"""Dask: its scheduler and its workers, which run functions of Python."""
