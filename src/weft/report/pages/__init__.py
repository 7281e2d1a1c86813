"""Whole pages and texts, each made of sections."""
