"""Depth-limited search and perfect solvers."""
