"""weft runs data engines on HPC machines, shows where the time goes, and takes the shared file system out of the way."""

__version__ = "0.1.0"
