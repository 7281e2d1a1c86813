"""Measures what nodes, storages, the network between nodes and schedulers can do at most."""
