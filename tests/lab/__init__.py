"""Tests of the lab room: players, matches, arenas, statistics."""
