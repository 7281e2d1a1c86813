"""Runs next to other runs, and next to published figures."""
