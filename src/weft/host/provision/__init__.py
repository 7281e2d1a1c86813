"""What a run needs and does not make itself: a JDK, engine distributions, weft's jars, its native programs."""
