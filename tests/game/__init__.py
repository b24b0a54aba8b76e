"""Tests of the game room: what a line game is."""
