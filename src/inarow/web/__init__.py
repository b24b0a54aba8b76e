"""What a page needs of a game and a player: pictures, compiled modules, and the board's script."""
