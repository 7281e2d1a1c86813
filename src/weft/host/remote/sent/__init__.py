"""Programs that weft sends to a host and runs there.

Each is one file that needs only the standard library of Python 3.6 or newer, so that nothing has to be installed;
its `main` receives the request as plain data.
"""
