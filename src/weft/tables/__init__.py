"""Tables, and the answers to SQL queries on them by DuckDB, which is none of the engines under measurement."""
