"""The machine under weft: processes, directories, leases, other hosts, the batch system."""
