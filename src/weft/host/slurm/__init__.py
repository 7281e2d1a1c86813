"""Slurm, by its own commands: partitions, jobs, allocations. Nothing else speaks to the batch system."""
