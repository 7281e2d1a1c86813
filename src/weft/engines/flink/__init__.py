"""Flink 2."""
