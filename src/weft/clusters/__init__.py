"""Persistent clusters: started by `weft up`, held by a supervisor, used by commands of the user's own."""
