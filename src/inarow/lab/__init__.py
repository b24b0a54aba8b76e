"""Players by name, matches, arenas, statistics."""
