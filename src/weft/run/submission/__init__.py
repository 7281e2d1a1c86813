"""On a login node: the whole command is submitted as a Slurm job, followed, and ends as it would have here."""
