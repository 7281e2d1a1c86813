"""What weft can be extended by: one folder a family, one file an adapter."""
