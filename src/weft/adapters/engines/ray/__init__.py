"""Ray: its control service, and on every node a raylet with workers that run functions of Python."""
