"""A standing examination: random games and questions, and what a brute force says of them.

`rules` imports nothing of the package. `drawing` draws games, positions and budgets, `checks`
compares all that can be asked of a game, and `python -m tests.attack` (`make attack`) runs them.
"""
