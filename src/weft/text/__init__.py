"""How values are parsed from and written as text: sizes, durations, short forms of adapters, TOML."""
