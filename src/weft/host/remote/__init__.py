"""Commands on other hosts, through a client of the site: ssh or srun."""
