"""Persistent clusters: started by `weft up`, owned by a supervisor, used by the user's own commands."""
