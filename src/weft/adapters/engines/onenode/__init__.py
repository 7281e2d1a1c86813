"""Engines of one node: DuckDB in the process of the job, and Sail behind Spark Connect. Both run SQL, by one program of weft's."""
