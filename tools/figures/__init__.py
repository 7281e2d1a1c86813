"""The figures of the documentation: rows of evidence, and the tables that are made of them."""
