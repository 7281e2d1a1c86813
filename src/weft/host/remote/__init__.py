"""Commands on other hosts, through a client that the site has: ssh or srun."""
