"""Calibrations that are kept, and which of them a run's reports compare it with."""
