"""Tests of the game room: what a k-in-a-row game is."""
