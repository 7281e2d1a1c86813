"""Programs that run on every host of a run, this machine included.

Each needs only the standard library of Python 3.6 or newer and the modules here, which are sent with it to another host, so
that nothing has to be installed there; its `main` receives the request as plain data.
"""
