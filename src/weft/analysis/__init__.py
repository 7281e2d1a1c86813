"""From a record to numbers: pure functions and frozen results."""
