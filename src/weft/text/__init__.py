"""How values are read from and written as text: sizes, durations, one-line forms of adapters, TOML."""
