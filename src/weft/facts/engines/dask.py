"""Dask: worker processes that run functions of Python, in as many threads as they are given."""

from weft.facts.enginefacts import EngineFacts

FACTS = EngineFacts(memory_key="worker_memory")
