"""Compiled play: tables of a game, boards, threats, rule players, random numbers, playouts."""
