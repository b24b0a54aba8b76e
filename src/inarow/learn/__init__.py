"""Learners: one algorithm a file, on game graphs or on compiled boards."""
