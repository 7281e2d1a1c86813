"""PowerGraph: native processes of MPI, which leave no log."""

from weft.facts.enginefacts import EngineFacts

FACTS = EngineFacts()
