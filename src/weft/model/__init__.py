"""What records mean: the engine's account parsed, counters turned into rates, times into statistics. All pure."""
