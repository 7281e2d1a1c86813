"""Paths and addresses of a run, and what will be started there, as plain data."""
