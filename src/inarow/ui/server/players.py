"""Who can play on the server: players by name, and saved agents of one folder.

A visitor names players, so a name reaches no file outside the folder, and nobody is offered who
would think for minutes: a compiled search cannot be stopped. Of players that run code, only those
are found that whoever started the server has named. Nor can the building of an agent:
what it takes is known from its options, and too much is refused before it begins.
"""

from __future__ import annotations

import logging
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import cast
from weakref import WeakKeyDictionary

from inarow.engine.streams import make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.errors import printable
from inarow.game.files import bytes_text, machine_bytes
from inarow.lab.certificates.certify import MAX_GRAPH_CELLS
from inarow.lab.players.names import agent_mcts, player, rule_players_for
from inarow.lab.players.outside import BEST_RESPONSE, outside_players
from inarow.lab.players.protocols import Player, ask, bind_player, check_plays
from inarow.lab.players.shipped import SHIPPED, searched_depth
from inarow.lab.values.move_values import default_opponent, quick_depth
from inarow.learn.agent import LearnedAgent, agent_of
from inarow.learn.learner import Learner, check_size
from inarow.learn.registry import learner as learner_of
from inarow.learn.registry import learners
from inarow.learn.saved import SUFFIX, Arrays, Header, read_agent, read_header, unpack
from inarow.search.mcts import Mcts, TimedMcts
from inarow.search.minimax import TimedMinimax
from inarow.ui.server.search_limits import (
    MOST_SECONDS,
    check_mcts,
    check_minimax,
    quick_simulations,
)

log = logging.getLogger("inarow")
MOST_CELLS, MOST_ACROSS = 1000, 32  # of a board that a page can show
LONGEST_NAME = 200  # characters of a game or a player
MOST_BYTES = 32 * 2**20  # of an agent file
MOST_MEMORY = 512 * 2**20  # bytes that an agent may take, or a run
MOST_TABLE_MEMORY = 4 * 2**30  # the same with the graph of its game, which others then share
NTUPLE_DEPTH = 6  # as deep as the n-tuple agent answers in an instant
KEPT, KEPT_HEADERS = 16, 4096  # agents of the folder that stay in memory


class MissingFileError(InputError):
    """There is no such agent file."""


def check_game(name: str) -> Game:
    """The game of that name, if a page can show it."""
    if len(name) > LONGEST_NAME:
        raise InputError(f"{len(name):,} characters are too many for the name of a game")
    game = game_of(name)
    check_fits(game)
    return game


def check_fits(game: Game) -> None:
    """Raise InputError if the board is too large to display."""
    if not fits_page(game):
        across = max(game.shape[-2:])
        raise InputError(
            f"{game.name} has {game.cells} cells, {across} side by side: too many for a page "
            f"(at most {MOST_CELLS} cells, {MOST_ACROSS} side by side)"
        )


def fits_page(game: Game) -> bool:
    """Whether a page can show the board."""
    return game.cells <= MOST_CELLS and max(game.shape[-2:]) <= MOST_ACROSS


def check_memory(learner: Learner, game: Game, seed: int) -> int:
    """The bytes that an agent or a run takes, if that is not too much for a visitor's."""
    if learner.needs_graph and game.cells > MAX_GRAPH_CELLS:
        others = ", ".join(name for name, kind in learners().items() if not kind.needs_graph)
        raise InputError(
            f"{learner.name} keeps every position of the game, and {game.name} has {game.cells} "
            f"cells: the limit here is {MAX_GRAPH_CELLS}. Take {others}"
        )
    most = min(MOST_TABLE_MEMORY if learner.needs_graph else MOST_MEMORY, machine_bytes() // 2)
    return check_size(learner, game, seed, most, " on this server")


def players_for(game: Game) -> dict[str, str]:
    """The players that answer at once in a game, the strongest first, and what to say of them."""
    found = {}
    if default_opponent(game) == "perfect":
        found["perfect"] = "never gives anything away"
    shipped = SHIPPED.get(game.name)
    if shipped is not None and game != game_of("connect4:6x7"):
        found[shipped.name] = "learned by playing; the shipped agent"
    if game == game_of("connect4:6x7"):
        found["ntuple"] = "learned by playing; moving first it wins every game (proved)"
        found["ntuple:4"] = "the same, looking four moves ahead"
    for depth in (quick_depth(game), 2):
        found[f"minimax:{depth}@central"] = f"looks {depth} moves ahead"
    searched = min(1000, quick_simulations(game))
    found[f"mcts:{searched}"] = f"tree search by {searched:,} random games a move"
    rules = {name: entry.about for name, entry in rule_players_for(game).items()}
    weakest = rules.pop("random")
    return {**found, **outside_players(), **rules, "random": weakest}


def saved_agents(folder: Path) -> dict[str, Header]:
    """The readable agents of a folder by the names of their files, the newest first."""
    try:
        paths = [path for path in folder.iterdir() if path.name.endswith(SUFFIX)]
    except OSError:
        return {}
    found = []
    for path in paths:
        try:
            changed = path.stat().st_mtime_ns
            found.append((-changed, path.name, _read_header(path, changed)))
        except (InputError, OSError) as error:
            _say_skipped(path.name, str(error))
    return {name: header for _, name, header in sorted(found, key=lambda entry: entry[:2])}


def find_player(name: str, game: Game, folder: Path) -> Player:
    """The player of a name, if it plays that game and answers soon."""
    if len(name) > LONGEST_NAME:
        raise InputError(f"{len(name):,} characters are too many for the name of a player")
    if name.strip().endswith(SUFFIX):
        agent = load_agent(name.strip(), folder)
        check_plays(agent, game)
        return agent
    before, plus, search = name.strip().rpartition("+mcts:")
    if plus and "+" not in before:  # what stands before it might be the path of any file
        return check_mcts(agent_mcts(find_player(before, game, folder), f"mcts:{search}"), game)
    if "+" in name or name.strip().startswith(BEST_RESPONSE):  # might name any file
        raise InputError(f"{name!r} is not offered here: players made of other players are not")
    found = player(name)
    head = name.strip().partition("@")[0]
    if head == "perfect" and game.scoring:
        raise InputError(f"perfect does not play {game.name}: there lines are counted")
    if head == "perfect" and default_opponent(game) != "perfect":
        raise InputError(f"perfect takes too long in {game.name}; minimax:DEPTH answers soon")
    if isinstance(found, TimedMinimax):
        check_minimax(found, game)
    if isinstance(found, Mcts | TimedMcts):
        return check_mcts(found, game)
    if head.startswith("ntuple"):
        check_depth(searched_depth(found), game)
    check_plays(found, game)
    return cast(Player, found)


def check_depth(depth: int, game: Game) -> None:
    """Says so if an agent that looks ahead by its network would think for too long."""
    most = min(NTUPLE_DEPTH, quick_depth(game))
    if depth > most:
        raise InputError(
            f"an agent that looks {depth} moves ahead takes too long in {game.name}: "
            f"the depth is at most {most} here"
        )


def trained_side(some_player: object) -> str:
    """Where an agent learned: "first" or "second" if it played one side only, else "both"."""
    header = getattr(some_player, "header", None)
    if header is None or header.against is None:
        return "both"
    return str(header.options.get("side", "both"))


def agent_from(content: bytes, name: str) -> LearnedAgent:
    """The agent that a visitor's file holds. Reading it runs no code of it."""
    if len(content) > MOST_BYTES:
        raise InputError(f"{name} is too large: the limit is {MOST_BYTES // 2**20} MiB")
    header, arrays = unpack(content, name)
    with _reading:
        size = _check_room(header, arrays, name)
        agent = _checked_agent(header, arrays, name)
        _uploaded[agent] = size
    _check_answers(agent, name)
    return agent


def is_uploaded(agent: object) -> bool:
    """Whether an agent is from a visitor's file."""
    return agent in _uploaded


# The agents from visitors' files that are still in use, and the bytes that each takes.
_uploaded: WeakKeyDictionary[object, int] = WeakKeyDictionary()
_reading = threading.Lock()  # one at a time, so that what is free when it begins is still so


def _check_room(header: Header, arrays: Arrays, name: str) -> int:
    """The bytes that an agent will keep, if there is room for it beside the others."""
    size: int = sum(array.nbytes for array in arrays.values())
    learner = learner_of(header.learner, header.options)
    if not learner.needs_graph:  # what is kept of a graph is counted where that is
        size += check_memory(learner, check_game(header.game), header.seed)
    most, taken = machine_bytes() // 4, sum(_uploaded.values())
    if taken + size > most:
        raise InputError(
            f"{name} takes {bytes_text(size)}, and the agents that visitors have loaded take "
            f"{bytes_text(taken)} of {bytes_text(most)}: try again when some of them have left"
        )
    return size


def _check_answers(agent: LearnedAgent, name: str) -> None:
    """Says so if an agent takes too long for its first move."""
    bound, position = bind_player(agent, agent.game, make_stream(0)), Position(agent.game)
    for _ in range(2):  # the first may compile
        before = time.perf_counter()
        ask(bound, position)
    if time.perf_counter() - before > MOST_SECONDS:
        raise InputError(f"{name} takes too long: at most {MOST_SECONDS:g} s a move here")


def load_agent(name: str, folder: Path) -> LearnedAgent:
    """The agent in a file of the folder."""
    return _load(*find_file(name, folder))


def find_file(name: str, folder: Path) -> tuple[Path, int]:
    """The file of a saved agent, if a visitor may name it, and when it was changed."""
    if Path(name).name != name or name.startswith("."):
        raise InputError(f"{name!r} is not the name of a file in the folder of agents")
    path = folder / name
    try:
        return path, path.stat().st_mtime_ns
    except (OSError, ValueError):
        raise MissingFileError(f"there is no agent {name!r} in the folder of agents") from None


@lru_cache(maxsize=KEPT_HEADERS)
def _read_header(path: Path, changed: int) -> Header:  # noqa: ARG001 - then it is read again
    header = read_header(path)
    check_game(header.game)  # or no page could show it
    return header


@lru_cache(maxsize=KEPT_HEADERS)
def _say_skipped(name: str, why: str) -> None:
    """Tells whoever runs the server, once, of a file that nobody is offered."""
    log.warning("%s is skipped: %s", printable(name), printable(why))


@lru_cache(maxsize=KEPT)
def _load(path: Path, changed: int) -> LearnedAgent:  # noqa: ARG001
    try:
        return _checked_agent(*read_agent(path), path.name)
    except InputError as error:  # without the folder, which is nobody's business
        raise InputError(str(error).replace(str(path), path.name)) from None


def _checked_agent(header: Header, arrays: Arrays, name: str) -> LearnedAgent:
    """The agent, if it plays a game of the pages and answers soon: anybody may have made it."""
    game = check_game(header.game)  # before anything is made for such a board
    check_memory(learner_of(header.learner, header.options), game, header.seed)
    agent: LearnedAgent = agent_of(header, arrays, name)
    check_depth(getattr(agent, "depth", 1), game)
    agent.name = name
    return agent
