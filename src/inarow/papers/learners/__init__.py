"""A study of our own: all learners on all games that they can play, for equal CPU time."""
