"""From a login node: the whole command moves into a job of Slurm, is followed there, and ends as it would have here."""
