"""N-tuple networks: sums of weights looked up by the states of a few cells (TD, self-play)."""
