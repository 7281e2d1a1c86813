"""The limit of a node: threads of one native process, without tasks."""

from weft.facts.enginefacts import EngineFacts

FACTS = EngineFacts()
