"""Who can play on the server: players by name, and saved agents of one folder.

A visitor names players, so a name reaches no file outside the folder, and nobody is offered who
would think for minutes: a compiled search cannot be stopped.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.lab.certify import MAX_GRAPH_CELLS
from inarow.lab.opinions import DEPTHS, good_opponent
from inarow.lab.players import RULE_PLAYERS, name_of, player
from inarow.lab.training import load_agent as load_saved
from inarow.learn.names import LEARNERS
from inarow.learn.saved import SUFFIX, Header, read_header

MOST_CELLS, MOST_ACROSS = 1000, 32  # of a board that a page can show
LONGEST_NAME = 200  # characters of a game or a player
MOST_SECONDS = 5.0  # that a search by the clock may take for a move
NTUPLE_DEPTH = 6  # as deep as the n-tuple agent answers in an instant
TABULAR = ("td", "q", "td_lambda", "sarsa")  # on a game written out as a graph
KEPT = 16  # agents of the folder that stay in memory


def check_game(name: str) -> Game:
    """The game of that name, if a page can show it."""
    if len(name) > LONGEST_NAME:
        raise InputError(f"{len(name):,} characters are too many for the name of a game")
    game = game_of(name)
    across = max(game.shape[-2:])
    if game.cells > MOST_CELLS or across > MOST_ACROSS:
        raise InputError(
            f"{game.name} has {game.cells} cells, {across} side by side: too many for a page "
            f"(at most {MOST_CELLS} cells, {MOST_ACROSS} side by side)"
        )
    return game


def check_enumerable(learner: str, game: Game) -> None:
    """Says so if a learner would write out a game that is too large for that."""
    if learner in TABULAR and game.cells > MAX_GRAPH_CELLS:
        others = ", ".join(name for name in LEARNERS if name not in TABULAR)
        raise InputError(
            f"{learner} keeps every position of the game, and {game.name} has {game.cells} cells: "
            f"at most {MAX_GRAPH_CELLS} work here. Take {others}"
        )


def players_for(game: Game) -> dict[str, str]:
    """The players that answer at once in a game, the strongest first, and what to say of them."""
    found = {}
    strong = good_opponent(game)
    if strong == "perfect":
        found[strong] = "never gives anything away"
    if game == game_of("connect4:6x7"):
        found["ntuple"] = "learned by playing; moving first, perfect play cannot stop it"
        found["ntuple:4"] = "the same, looking four moves ahead"
    for depth in (quick_depth(game), 2):
        found[f"minimax:{depth}@central"] = f"looks {depth} moves ahead"
    rules = {name: entry.about for name, entry in RULE_PLAYERS.items() if name != "random"}
    return {**found, **rules, "random": RULE_PLAYERS["random"].about}


def saved_agents(folder: Path) -> dict[str, Header]:
    """The readable agents of a folder by the names of their files, the newest first."""
    try:
        paths = [path for path in folder.iterdir() if path.name.endswith(SUFFIX)]
        paths.sort(key=lambda path: -path.stat().st_mtime)
    except OSError:
        return {}
    found = {}
    for path in paths:
        try:
            found[path.name] = read_header(path)
        except InputError:
            continue
    return found


def find_player(name: str, game: Game, folder: Path) -> Any:
    """The player of a name, if it plays that game and answers soon."""
    if len(name) > LONGEST_NAME:
        raise InputError(f"{len(name):,} characters are too many for the name of a player")
    if name.strip().endswith(SUFFIX):
        return _check_plays(load_agent(name.strip(), folder), game)
    found = player(name)
    head = name.strip().partition("@")[0]
    if head == "perfect" and good_opponent(game) != "perfect":
        raise InputError(f"perfect thinks too long in {game.name}; minimax:DEPTH answers soon")
    if head.startswith("minimax"):
        _check_minimax(found, game)
    if head.startswith("ntuple") and found.depth > NTUPLE_DEPTH:
        raise InputError(f"{name} thinks too long: the depth is at most {NTUPLE_DEPTH} here")
    return _check_plays(found, game)


def load_agent(name: str, folder: Path) -> Any:
    """The agent in a file of the folder."""
    if Path(name).name != name or name.startswith("."):
        raise InputError(f"{name!r} is not the name of a file in the folder of agents")
    path = folder / name
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise InputError(f"there is no agent {name!r} in the folder of agents") from None
    return _load(path, status.st_mtime_ns)


@lru_cache(maxsize=KEPT)
def _load(path: Path, changed: int) -> Any:  # noqa: ARG001 - a file that changed is read again
    try:
        header = read_header(path)
        check_enumerable(header.learner, check_game(header.game))
        agent = load_saved(path)
    except InputError as error:  # without the folder, which is nobody's business
        raise InputError(str(error).replace(str(path), path.name)) from None
    agent.name = path.name
    return agent


def _check_plays(some_player: Any, game: Game) -> Any:
    own = getattr(some_player, "game", game)
    if own != game:
        raise InputError(f"{name_of(some_player)} plays {own.name}, not {game.name}")
    return some_player


def _check_minimax(found: Any, game: Game) -> None:
    most = quick_depth(game) + 1
    if found.time_limit is None and found.depth > most:
        raise InputError(
            f"{found.name} thinks too long in {game.name}: the depth is at most {most} here, "
            f"or give a time, as in minimax:{found.depth}/1s"
        )
    if found.time_limit is not None and found.time_limit > MOST_SECONDS:
        raise InputError(f"{found.name} thinks too long: at most {MOST_SECONDS:g} s a move here")


def quick_depth(game: Game) -> int:
    """How far minimax looks ahead and still answers in an instant."""
    return next((depth for moves, depth in DEPTHS.items() if game.columns <= moves), 3)
