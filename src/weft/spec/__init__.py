"""The user's request."""
