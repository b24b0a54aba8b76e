"""What is asked about mutated things, and how each of them begins: sound."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from pydantic import ValidationError

from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.records import parse_records, read_records, records_text
from inarow.lab.players.names import agent_mcts, ask, bind_player
from inarow.lab.studies.results import export_csv, final_rows
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import DEFAULT_WORK, Measurement, Slice, Study, grid, read_study
from inarow.lab.training.driver import TrainingWork
from inarow.lab.training.run import run_from
from inarow.learn.saved import pack
from inarow.search.opening_book import Book, check_book, load_book, make_book, save_book
from inarow.search.replies import MAGIC, load_replies
from inarow.search.stored_positions import write_keyed
from inarow.search.strategy import Strategy, load_strategy, save_strategy, shipped_strategy
from inarow.ui.server import answers as api_answers
from inarow.ui.server import models
from inarow.ui.server.players import agent_from, find_player, saved_agents
from tests.fuzz import server_targets, study_targets
from tests.fuzz.files import agent_files, folder
from tests.fuzz.mutate import NAMES, bent_agent, bent_bytes, bent_text, odd
from tests.small_runs import RUNS

MANY = 10_000  # a batch that takes too long for a test
QUICK_CELLS = 12  # of a game that a learner may write out


def agents(chance: random.Random) -> None:
    """A visitor's file is played with, and lies in a server's folder."""
    content = bent_agent(chance.choice(agent_files(chance.choice(list(RUNS)))), chance)
    path = folder() / "agents" / "some.safetensors"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    for header in saved_agents(path.parent).values():
        with suppress(InputError):
            find_player(path.name, game_of(header.game), path.parent)
    agent = agent_from(content, "some.safetensors")
    bound = bind_player(agent, agent.game, make_stream(1))
    position = agent.game.position()
    for _ in range(2):
        if position.outcome is None:
            position.push(ask(bound, position))
            agent.values(position)


def states(chance: random.Random) -> None:
    """A run goes on from a file, or a study from a state."""
    name = chance.choice(list(RUNS))
    content, small = bent_agent(agent_files(name)[0], chance), RUNS[name]
    if chance.random() < 0.5:
        run = run_from(content)
    else:
        cell = {"game": small.game, "learner": small.learner, "against": small.against}
        run = TrainingWork.resume({**cell, **small.options, "games": 100}, 1, content).run
    options = run.header.options
    if max(options.get("replay_batch", 0), options.get("opening", 0)) <= MANY:
        run.training.play(10)
        run_from(run.state())


@cache
def database() -> tuple[Study, bytes]:
    """A study with runs that are finished, and one that is not."""
    study = Study("fuzz", grid(game="tictactoe", learner=["q", "td"]))
    path = folder() / "sound.db"
    with Store.create(path, study) as store:
        for seed in range(4):
            measurements = [
                Measurement(games, "lost", games / 7 + seed) for games in range(10, 60, 10)
            ]
            state = agent_files("q")[0] if seed == 3 else None
            store.commit([(Key(seed % 2, seed), 0, Slice(5, measurements, state, seed != 3, 1.0))])
    return study, path.read_bytes()


def databases(chance: random.Random) -> None:
    """A damaged database is shown, exported and run."""
    study, content = database()
    path = folder() / "some.db"
    for other in path.parent.glob("some.db*"):
        other.unlink()
    path.write_bytes(bent_bytes(content, chance, 4096))
    if chance.random() < 0.2:
        with Store.create(path, study) as store:
            store.unit(Key(1, 3))
    with Store.open(path) as store:
        final_rows(store)
        export_csv(store, folder() / "some.csv")
        states = [store.unit(Key(cell, seed)).state for cell in range(2) for seed in range(4)]
        assert all(state is None or isinstance(state, bytes) for state in states)
        assert all(math.isfinite(one.value) for _, one in store.measurements())


@cache
def small_book() -> Book:
    """All positions of a small board with few stones."""
    return make_book(game_of("connect4:4x4"), 3, folder() / "book.work", threads=1)


def books(chance: random.Random) -> None:
    """An opening book is read, looked up in and checked."""
    sound, path = small_book(), folder() / "some.book"
    keys, scores, ply = sound.keys.copy(), sound.scores.copy(), sound.ply
    if chance.random() < 0.5:
        place = chance.randrange(len(keys))
        bit, other = np.uint64(1 << chance.randrange(64)), chance.randrange(-128, 128)
        match chance.randrange(4):
            case 0:
                keys[place] ^= bit
            case 1:
                keys = np.sort(keys ^ (bit & np.uint64(0xFFFFF)))
            case 2:
                scores[place] = other
            case _:
                ply = other
    name = chance.choice((sound.game.name, sound.game.name, *NAMES))
    if " " in name or not name or not game_is_known(name):
        name = sound.game.name
    save_book(Book(game_of(name), ply, keys, scores), path)
    if chance.random() < 0.5:
        path.write_bytes(bent_bytes(path.read_bytes(), chance, 40))
    book = load_book(path)
    for moves in ("", "1", "12", "111", "43"):
        with suppress(InputError):
            book.find(book.game.position(moves))
    if len(book.keys):
        check_book(book, 1, chance.randrange(100), lambda: None)


def game_is_known(name: str) -> bool:
    """Whether there is such a game."""
    try:
        game_of(name)
    except InputError:
        return False
    return True


def replies(chance: random.Random) -> None:
    """Replies are read and looked up."""
    sound, path = small_book(), folder() / "some.replies"
    keys = sound.keys.copy()
    moves = np.array(chance.choices((1, 2, 4, 8), k=len(keys)), dtype=np.uint8)
    if chance.random() < 0.5:
        moves[chance.randrange(len(moves))] = chance.randrange(256)
        keys[chance.randrange(len(keys))] += np.uint64(chance.randrange(9))
    write_keyed(path, MAGIC, sound.game.name, np.sort(keys), moves)
    if chance.random() < 0.5:
        path.write_bytes(bent_bytes(path.read_bytes(), chance, 40))
    held = load_replies(path)
    for written in ("", "1", "12", "111", "43"):
        position = held.game.position(written)
        for move in held.find(position) or []:
            position.push(move)
            position.pop()


def records(chance: random.Random) -> None:
    """Names of games, and moves as they are written."""
    game = game_of(bent_text(chance.choice(NAMES), chance) if chance.random() < 0.5 else "qubic")
    if game.cells <= 100:
        moves = chance.choice(("4453", "a1 b2", "1,1,1 2,2,2", "1 2 3", "112", ""))
        position = game.position(bent_text(moves, chance))
        assert game.position(position.notation) == position


RECORD = """[Game "connect4:6x7"]
[First "perfect"]
[Second "a \\"name\\""]
[Result "*"]
[Seed "1"]

1. 4 4 2. 5 3 *
"""


def record_files(chance: random.Random) -> None:
    """A file of game records is read, and written again."""
    path = folder() / "some.pgn"
    path.write_bytes(bent_text(RECORD * 2, chance).encode("utf-8", "surrogatepass"))
    held = read_records(path)
    if all(record.game.cells <= 100 for record in held):
        assert parse_records(records_text(held)) == held


@cache
def some_strategy() -> Strategy:
    """The first of Qubic's stored positions."""
    whole = shipped_strategy(game_of("qubic"))
    assert whole is not None
    return Strategy(whole.game, whole.firsts[:40], whole.seconds[:40], whole.moves[:40])


def strategies(chance: random.Random) -> None:
    """A stored strategy is read and looked up."""
    sound, path = some_strategy(), folder() / "some.strategy"
    arrays = [sound.firsts.copy(), sound.seconds.copy(), sound.moves.copy()]
    if chance.random() < 0.5:
        array = chance.choice(arrays)
        array[chance.randrange(len(array))] ^= array.dtype.type(1 << chance.randrange(8))
    save_strategy(Strategy(sound.game, *arrays), path)
    if chance.random() < 0.5:
        path.write_bytes(bent_bytes(path.read_bytes(), chance, 40))
    held = load_strategy(path)
    for first, second in ((0, 0), (1, 2), (int(held.firsts[-1]), int(held.seconds[-1]))):
        held.find(first, second)


STUDY = """
name = "some"
[fixed]
game = "tictactoe"
learner = "ntuple"
games = 100
tuples = 3
length = 3
evaluations = ["exact"]
[grid]
alpha = ["0.5", "0.5*0.9/100>0.1"]
"""


def study_files(chance: random.Random) -> None:
    """A study's file is read, and its first run begun."""
    path = folder() / "some.toml"
    content = bent_text(STUDY, chance)
    if chance.random() < 0.3:
        value = json.dumps(odd(chance)).replace("null", '"x"')
        content = STUDY.replace(chance.choice(('"tictactoe"', "100", "3\n", '"ntuple"')), value, 1)
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    study = read_study(path)
    if study.work == DEFAULT_WORK:
        config = study.configs[0]
        if game_of(config.get("game", "tictactoe")).cells <= QUICK_CELLS:
            TrainingWork.begin(config, 0)


def questions(chance: random.Random) -> None:
    """What a program may ask the server."""
    name = chance.choice(list(RUNS))
    path = folder() / "server" / "agent.safetensors"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(agent_files("q")[0])

    def find(player: str, game: Any) -> Any:
        return find_player(player, game, path.parent)

    question: dict[str, Any] = {
        "game": chance.choice((RUNS[name].game, "tictactoe", "connect4:4x4")),
        "moves": chance.choice(("", "1", "11", "a1", "1,1")),
        "player": chance.choice(("random", "attack", "agent.safetensors", "minimax:2", "perfect")),
        "seed": 1,
    }
    for _ in range(chance.choice((1, 1, 2))):
        part = chance.choice(list(question))
        given = question[part]
        question[part] = odd(chance) if chance.random() < 0.5 else bent_text(str(given), chance)
    kind, answer = chance.choice(
        [
            (models.PositionQuestion, api_answers.describe_position),
            (models.ValuesQuestion, lambda asked: api_answers.find_values(asked, find)),
            (models.MoveQuestion, lambda asked: api_answers.choose_move(asked, find)),
        ]
    )
    known = {part: question[part] for part in kind.model_fields if part in question}
    try:
        asked = kind.model_validate(known)
    except ValidationError as error:
        raise InputError(str(error)) from None
    answer(asked).model_dump_json()


def searchers(chance: random.Random) -> None:
    """A tree search with the values of an agent from somewhere."""
    content = bent_agent(chance.choice(agent_files(chance.choice(list(RUNS)))), chance)
    agent = agent_from(content, "some.safetensors")
    search = f"mcts:{chance.choice((1, 9))}{chance.choice(('', '', '@x', '/0s', 's'))}"
    bound = bind_player(agent_mcts(agent, search), agent.game, make_stream(1))
    ask(bound, agent.game.position())


TARGETS: dict[str, Callable[[random.Random], None]] = {
    "searchers": searchers,
    **study_targets.TARGETS,
    **server_targets.TARGETS,
    "agents": agents,
    "states": states,
    "databases": databases,
    "books": books,
    "replies": replies,
    "records": records,
    "record files": record_files,
    "strategies": strategies,
    "study files": study_files,
    "questions": questions,
}
# Agents and states have the most that can be wrong with them.
ORDER = ["agents", "states", "agents", "states", *TARGETS]


def warm_up() -> None:
    """Compiles what sound files lead to, so that no case is charged for it."""
    for name in RUNS:
        run = run_from(agent_files(name)[0])
        run.training.play(1)
        agent = agent_from(pack(run.header, run.training.arrays), "sound")
        ask(bind_player(agent, agent.game, make_stream(1)), agent.game.position())
        agent.values(agent.game.position())
        with suppress(InputError):  # tables have no values for a search
            searcher = agent_mcts(agent, "mcts:9")
            ask(bind_player(searcher, agent.game, make_stream(1)), agent.game.position())
    for sound in (*study_targets.TARGETS.values(), *server_targets.TARGETS.values()):
        for seed in range(3):
            with suppress(InputError):
                sound(random.Random(seed))
    check_book(small_book(), 1, 0, lambda: None)
    some_strategy().find(0, 0)
    database()
    for moves in ("", "1"):
        asked = models.ValuesQuestion(game="connect4:4x4", moves=moves, player="minimax:2")
        api_answers.find_values(asked, lambda player, game: find_player(player, game, folder()))
