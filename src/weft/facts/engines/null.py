"""No engine: nothing is started, so that the time of a run is its program's."""

from weft.facts.enginefacts import EngineFacts

FACTS = EngineFacts(idle=True, persistent=True)
