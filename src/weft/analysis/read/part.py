"""The base of everything that a report says: frozen, and without a key that nobody knows."""

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A piece of a report."""

    model_config = ConfigDict(frozen=True, extra="forbid")
