"""Blocks, charts and numbers, on a page and in a terminal."""
