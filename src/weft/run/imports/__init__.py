"""Records from the logs of clusters that weft did not run: event logs of Spark, job histories, archives of Flink."""
