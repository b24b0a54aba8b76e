"""Training runs and the one driver of them."""
