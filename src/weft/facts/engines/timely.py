"""Timely dataflow: threads of one native process a node, which keep everything in memory and leave no log."""

from weft.facts.enginefacts import EngineFacts

FACTS = EngineFacts()
