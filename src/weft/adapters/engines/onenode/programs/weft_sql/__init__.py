"""weft's program for SQL queries on engines of one node; the engine's own packages are all that is imported besides."""
