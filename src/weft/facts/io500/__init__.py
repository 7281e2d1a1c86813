"""What IO500 publishes of file systems: the submissions as a table, and how fast weft takes their file systems to be."""
