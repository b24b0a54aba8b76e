"""What moves are worth, and games analysed by it."""
