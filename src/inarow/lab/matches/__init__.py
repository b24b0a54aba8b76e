"""Games between players: matches, arenas, batches, single games."""
