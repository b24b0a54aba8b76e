"""The max-min document: interleaved Q-learning, TD(lambda), and a deep player."""
