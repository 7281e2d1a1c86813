"""On a login node: the whole command is submitted as a job of a batch system, followed, and ends as it would have here."""
