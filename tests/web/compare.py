"""Compares every kind of compiled player in Node with native code: `make web-compare`.

    python -m tests.web.compare [KIND ...]      all moves; small games whole, others at random
    python -m tests.web.compare --store         writes digests of what native code plays

Tests compare what Node plays with the stored digests, since compiling every kind takes minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from inarow.engine.board import tables_of
from inarow.game import Game
from inarow.game import game as game_of
from inarow.web.entries import PLAYER
from inarow.web.modules import KINDS
from inarow.web.package import pack
from inarow.web.players import sample_player
from tests.web.files import differing, games_of_file
from tests.web.node import ask_packages, every_position, native_moves, random_positions

PLAYERS = [kind for kind, sampled in KINDS.items() if sampled.part == PLAYER]
STORED = Path(__file__).with_name("moves.json")
# Boards on which a kind is compared besides the one of its sample.
ALSO = {
    "rule": ["connect4:6x7", "cube", "ntictactoe:3^3", "tictactoe,misere"],
    "minimax": ["connect4:6x7", "cube", "ntictactoe:3^3", "tictactoe,wrap", "mnk:9x9x5"],
    "strength": ["connect4:6x7", "cube", "tictactoe,misere", "mnk:9x9x5"],
    "mcts": ["connect4:6x7", "cube"],
    "mcts-filter": ["connect4:6x7", "tictactoe,misere"],
    "line_td": ["cube", "ntictactoe:3^4", "mnk:9x9x5"],
    "mlp": ["connect4:4x4", "cube"],
    "ntuple": ["connect4:6x7"],
    "reinforce": ["ntictactoe:3^3"],
    "monte_carlo": ["cube"],
}


def boards_of(kind: str) -> list[Game]:
    """The games in which a kind is compared."""
    return [game_of(name) for name in (KINDS[kind].game, *ALSO.get(kind, ()))]


def positions_of(kind: str, game: Game, count: int) -> list[list[int]]:
    """All positions of tic-tac-toe, else random ones; late ones where a search decides there."""
    if game.cells == 9 and count >= 100:
        return every_position(game)
    late = {"endgame": 30 if game.cells > 42 else 8, "perfect": 4}
    least = next((n for word, n in late.items() if word in kind), 0)
    return random_positions(game, count, least)


def digest(moves: list[int]) -> str:
    """Moves in few characters."""
    return hashlib.sha256(",".join(map(str, moves)).encode()).hexdigest()[:16]


def answers(kinds: list[str], count: int, folder: Path) -> dict[str, list[int] | str]:
    """What Node plays, by kind and game; or the line that says why not."""
    questions, names = list[dict[str, object]](), list[str]()
    for kind in kinds:
        for game in boards_of(kind):
            names.append(f"{kind} {game.name}")
            target = folder / str(len(names))
            pack(game, sample_player(KINDS[kind].player, game)).write(target)
            positions = positions_of(kind, game, count)
            questions.append({"folder": str(target), "positions": positions})
    found = ask_packages(folder, questions)
    return {
        name: answer.get("moves") or answer["error"]
        for name, answer in zip(names, found, strict=True)
    }


def native(kind: str, game: Game, count: int) -> list[int]:
    """What native code plays."""
    player = sample_player(KINDS[kind].player, game).compiled(tables_of(game))
    return native_moves(game, player, positions_of(kind, game, count))


def main() -> int:
    """Compares, or stores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    kinds = given.kinds or PLAYERS
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    wrong = 0
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            count = COUNT if given.store else given.count
            played = answers([kind], count, Path(folder))
        for game in boards_of(kind):
            name, wanted = f"{kind} {game.name}", native(kind, game, count)
            differ = sum(a != b for a, b in zip(played[name], wanted, strict=False))
            print(f"{name}: {differ} of {len(wanted):,} moves differ", flush=True)
            if isinstance(played[name], str):
                print(f"  {played[name]}")
                differ += 1
            wrong += differ
            stored[name] = digest(wanted)
        if not given.store:
            with tempfile.TemporaryDirectory() as folder:
                games = games_of_file(kind, GAMES, Path(folder))
            differ = differing(kind, games)
            print(f"{kind}: {differ} moves differ in {GAMES} games of its file", flush=True)
            wrong += differ
        if given.store:
            STORED.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n")
    return int(wrong > 0)


COUNT = 120  # positions of a kind in the test run
GAMES = 200  # of a file

if __name__ == "__main__":
    sys.exit(main())
