"""Draws the pictures of the README from real positions: `make pictures`."""

from pathlib import Path

import inarow

FOLDER = Path(__file__).parent / "pictures"

PICTURES = {
    "tictactoe": ("tictactoe", "22 12 11 33 31 21 13"),
    "connect4": ("connect4:6x7", "12233434414"),
    "cube": ("cube", "22 23 33 32 11 44 41 14 22 22 33 33 33 32 44 44"),
    "four-dimensions": ("ntictactoe:3^4", "2222 1111 1222 3222 2122 2322 1122 3322"),
}


def main() -> None:
    """Writes one file for each picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, (game, moves) in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(inarow.game(game).position(moves).svg())


if __name__ == "__main__":
    main()
