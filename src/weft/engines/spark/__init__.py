"""Spark 4."""
