"""weft's own downloader: locked files from registries, continued after a break, checked, and whole or not there at all."""
