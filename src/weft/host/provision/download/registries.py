"""The registries' own addresses, as pip and Maven have them built in."""


def python_index() -> str:
    """pip's default for --index-url."""
    return "https://pypi.org/simple"


def maven_repository() -> str:
    """The repository with the ID central, of the super POM that is in every Maven."""
    return "https://repo.maven.apache.org/maven2"
