"""Slurm, through its own commands: partitions, jobs, allocations. No other package calls the batch system."""
