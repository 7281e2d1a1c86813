"""Tokens of weft's own requests to pages."""

import base64
import binascii
import hmac


def is_signed(authorization: str, secret: str) -> bool:
    """Whether a header has a JSON web token that was signed with the secret (HS256, RFC 7515)."""
    content, _, signature = authorization.removeprefix("Bearer ").rpartition(".")
    right = hmac.new(base64.urlsafe_b64decode(secret), content.encode(), "sha256").digest()
    try:
        given = base64.urlsafe_b64decode(f"{signature}==")
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(given, right)
