"""Calibration: measures what nodes, storages and the network between nodes can do at most, and keeps it for reports."""
