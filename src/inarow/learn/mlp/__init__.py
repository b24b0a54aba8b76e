"""Multilayer perceptrons as values of positions, learned by TD on afterstates."""
