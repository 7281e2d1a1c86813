"""Records in, pages out: pure functions that work wherever a record was copied to."""
