"""Facts that both sides need, what runs and what reads records: pure data and functions, without effects."""
