"""The sections of pages, one file each."""
