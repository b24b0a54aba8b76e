"""Plots, as figures and in a terminal."""
