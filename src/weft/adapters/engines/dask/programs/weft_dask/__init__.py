"""What runs in Dask's own processes: weft's programs for it, and what they load. Only the locked wheels are there, and not weft."""
