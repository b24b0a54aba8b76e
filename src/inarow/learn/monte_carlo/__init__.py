"""Deep Monte Carlo: a value network that learns from the ends of its games."""
