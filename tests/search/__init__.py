"""Tests of the search room: minimax and the perfect solver."""
