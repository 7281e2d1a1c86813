"""Names of tables in SQL text."""


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"{}"'.format(name.replace('"', '""'))
