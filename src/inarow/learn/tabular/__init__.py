"""Learners with a table: a value for every position or every move of a game graph."""
