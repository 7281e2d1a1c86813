"""Everything that a report says about one run, as data."""
