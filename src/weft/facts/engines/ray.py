"""Ray: worker processes that run functions of Python, one for each CPU, beside an object store in memory."""

from weft.facts.enginefacts import EngineFacts

FACTS = EngineFacts()
