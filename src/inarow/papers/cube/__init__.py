"""The cube paper: five value networks for Tic-Tac-Toe 3D, in two training regimes."""
