"""What a run needs beside its engine: file systems, resource managers, authentication."""
