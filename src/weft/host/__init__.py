"""The machine below weft: processes, directories, leases, other hosts, the batch system."""
