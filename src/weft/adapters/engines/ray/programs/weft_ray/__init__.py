"""What runs in Ray's own processes: weft's programs for it, and what starts a node. Only the locked wheels are there, and not weft."""
