"""Batch systems, through their own commands: one file or folder for each. No other package calls one of them."""
