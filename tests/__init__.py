"""Tests of the package, room by room, and the oracle they share."""
