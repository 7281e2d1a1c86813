"""What a run needs and does not create itself: a JDK, engine distributions, weft's jars and native programs."""
