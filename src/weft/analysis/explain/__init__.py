"""Where the slot time of a run went, and against which limits."""
