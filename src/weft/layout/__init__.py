"""Where everything of a run is, and what is to be started there, as plain data."""
