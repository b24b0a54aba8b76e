"""What can be proven of a player, or measured of it by a solver."""
