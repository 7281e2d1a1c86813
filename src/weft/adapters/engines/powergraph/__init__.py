"""PowerGraph: its program for PageRank, built by the user, and what translates to its files and back."""
