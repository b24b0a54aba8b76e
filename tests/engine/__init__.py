"""Tests of the engine room: compiled play against plain references."""
