"""Who is refused: a page asks for the run's token."""

import urllib.error
import urllib.request

import pytest


def refused_without_token(page: str) -> None:
    for headers in ({}, {"Authorization": "Bearer a.b.c"}):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(urllib.request.Request(page, headers=headers), timeout=10)
