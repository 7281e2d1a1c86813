"""Programs that weft sends to a host and runs there.

Each is one file that needs the standard library alone and any Python from 3.6, so that nothing has to be installed;
its `main` gets the request as plain data.
"""
