"""What PySpark's workers do, seen from inside. It runs in the Python of a job, which has no weft."""
