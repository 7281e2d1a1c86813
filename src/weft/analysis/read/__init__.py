"""What is in a record, as far as it is readable."""
