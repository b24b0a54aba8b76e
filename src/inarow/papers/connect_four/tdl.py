"""TDL of the Connect Four paper: pairs of n-tuple agents, and networks that train by self-play.

`Pair`: two agents, each with an n-tuple network of its own, that learn from each other's games
(Abegg and Buhite, section III-B and IV-D). The first agent always moves first. Evaluations are
games without learning; the paper does not say how games between the same two agents come to
differ, and here both explore in them as in training.

Three works of studies: `PairWork` trains a pair from evaluation to evaluation, `TDLWork` one
network by self-play, `TrainedOnWork` goes on with a network against a trainer. At the end perfect
play evaluates the agents; `TDLWork` also measures what games an agent plays against itself, and
how it does against a minimax as deep as that of the paper.
"""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Self

import numpy as np
from safetensors.numpy import save

import inarow
from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    OPEN,
    PLY,
    STATE,
    Board,
    Int64s,
    Tables,
    clear,
    new_board,
    place,
    tables_of,
)
from inarow.engine.jit import jit
from inarow.engine.play_games import EntryPoints, Pairing, TwoPlayers, begin_pair, choose_next
from inarow.engine.players import compiled_form, has_compiled_form
from inarow.engine.streams import EVALUATION, LEARNER, Stream, below, make_stream
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.lab.evaluation import play_perfect
from inarow.lab.matches.games import opened
from inarow.lab.players.names import player
from inarow.lab.players.protocols import ask, bind_player
from inarow.lab.studies.study import Config, Measurement
from inarow.lab.training.driver import TrainingWork
from inarow.lab.training.run import Run
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import DRAWS, GAMES, SELF_PLAY, WINS, check_counts, count_game, options_of
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.ntuple.learner import Memory, NTuple, Record, Settings, keep, learn, move
from inarow.learn.ntuple.network import Accumulator, add_stone, clear_stones
from inarow.learn.options import value_at
from inarow.learn.registry import learner
from inarow.learn.saved import (
    Arrays,
    Header,
    Layout,
    check_arrays,
    game_counts,
    random_stream,
    read_arrays,
    real,
)
from inarow.search.perfect import perfect_oracle


class Pair:
    """Two agents that train each other."""

    def __init__(self, network: NTuple, game: str, seed: int) -> None:
        self.network, self.game, self.seed = network, game_of(game), seed
        self.tables = tables_of(self.game)
        self.board = new_board(self.tables)
        self.both = [network.begin(self.game, None, self.seed_of(one)) for one in range(2)]
        self.streams = [make_stream(seed, LEARNER, 2, one) for one in range(2)]
        self.evaluation = [make_stream(seed, EVALUATION, one) for one in range(2)]
        self.counts = np.zeros(5, dtype=np.int64)

    def seed_of(self, one: int) -> int:
        """What an agent's tuples are drawn with."""
        return 2 * self.seed + one

    @property
    def games(self) -> int:
        """Training games so far."""
        return int(self.counts[GAMES])

    def train(self, games: int) -> None:
        """Both learn from so many more games."""
        self._play(games, self.counts, self.both[0].settings, self.streams)

    def evaluate(self, games: int) -> float:
        """The score of the first agent in games that nobody learns from: win 1, draw 1/2."""
        settings = self.both[0].settings
        epsilon = value_at(settings.epsilon, self.games)
        still = settings._replace(
            alpha=np.array([0.0, 1.0, 1.0, 0.0]), epsilon=np.array([epsilon, 1.0, 1.0, 0.0])
        )
        counts = np.zeros(5, dtype=np.int64)
        self._play(games, counts, still, self.evaluation)
        return float(counts[WINS] + counts[DRAWS] / 2)

    def _play(
        self, games: int, counts: Int64s, settings: Settings, streams: Sequence[Stream]
    ) -> None:
        one, two = self.both
        play_both(
            self.tables,
            self.board,
            one.accumulator,
            two.accumulator,
            one.memory,
            two.memory,
            one.record,
            two.record,
            streams[0],
            streams[1],
            settings,
            games,
            counts,
        )

    def agent(self) -> LearnedAgent:
        """The first agent, as a player."""
        return self.both[0].agent()

    def save_agent(self, one: int, path: Path) -> None:
        """Write what it takes to play with one of the two."""
        agent = self.both[one].agent()
        agent.arrays = {**(agent.arrays or {}), "counts": self.counts}  # of the games of the pair
        agent.header = Header(
            self.game.name,
            "ntuple",
            options_of(self.network),
            None,
            self.seed_of(one),
            self.games,
            inarow.__version__,
            resumable=False,
        )
        agent.save(path)

    @property
    def arrays(self) -> Arrays:
        """All that changes."""
        found: Arrays = {"counts": self.counts}
        for one in range(2):
            found[f"weights {one}"] = self.both[one].arrays["weights"]
            found[f"stream {one}"], found[f"evaluation {one}"] = (
                self.streams[one],
                self.evaluation[one],
            )
        return found

    @property
    def layout(self) -> Layout:
        """What these arrays may hold."""
        found: Layout = {"counts": game_counts()}
        for one in range(2):
            found[f"weights {one}"] = self.both[one].layout["weights"]
            found[f"stream {one}"] = found[f"evaluation {one}"] = random_stream()
        return found

    def restore(self, arrays: Arrays) -> None:
        """Goes on from the arrays of another pair with the same network and seed."""
        check_arrays(self.layout, arrays, self.layout)
        check_counts(arrays["counts"])
        for name, array in self.arrays.items():
            array[...] = arrays[name]


@jit
def play_both(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    other_accumulator: Accumulator,
    memory: Memory,
    other_memory: Memory,
    record: Record,
    other_record: Record,
    stream: Stream,
    other_stream: Stream,
    settings: Settings,
    games: int,
    counts: Int64s,
) -> None:
    """Plays games between two learners; both learn from every position of them."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        epsilon = value_at(settings.epsilon, number)
        clear(tables, board)
        clear_stones(accumulator)
        clear_stones(other_accumulator)
        while board.counters[STATE] == 0:
            ply = board.counters[PLY]
            record.targets[ply] = other_record.targets[ply] = np.nan
            record.values[ply + 1] = other_record.values[ply + 1] = np.nan
            if ply & 1 == 0:
                cell = move(
                    tables, board, accumulator, memory.weights, record, settings, epsilon, stream
                )
            else:
                cell = move(
                    tables,
                    board,
                    other_accumulator,
                    other_memory.weights,
                    other_record,
                    settings,
                    epsilon,
                    other_stream,
                )
            place(tables, board, cell)
            add_stone(accumulator, cell, ply & 1)
            add_stone(other_accumulator, cell, ply & 1)
            keep(accumulator, memory.weights, record, ply + 1, settings)
            keep(other_accumulator, other_memory.weights, other_record, ply + 1, settings)
        alpha = value_at(settings.alpha, number)
        if alpha > 0:
            learn(board, accumulator, memory, record, alpha, settings)
            learn(board, other_accumulator, other_memory, other_record, alpha, settings)
        count_game(counts, board.counters[STATE], SELF_PLAY)


OWN_OPENING = 4  # random moves at the start of each game
FLAT = 0.99  # a value beyond which tanh leaves less than a fiftieth of an error to learn from


def play_itself(agent: LearnedAgent, games: int, seed: int) -> dict[str, float]:
    """Games of an agent against itself, each move held against perfect play.

    Of lost positions: how often the move resists as long as possible, which is what perfect play
    does. Of won ones: how often it keeps the win. Of all: how often the value is nearly 1 or -1.
    """
    game, oracle = agent.game, perfect_oracle(agent.game, "best")
    player = bind_player(agent, game, make_stream(seed, EVALUATION, 2))
    stream = make_stream(seed, EVALUATION, 3)
    lost, slowest, won, kept, seen, flat, plies = 0, 0, 0, 0, 0, 0, 0
    for _ in range(games):
        position = opened(game, OWN_OPENING, stream)
        while position.outcome is None:
            score, best = oracle.find(position)
            values = agent.values(position)
            seen += 1
            flat += FLAT < abs(max(values.values())) < 1
            move = ask(player, position)
            position.push(move)
            if score < 0:
                lost += 1
                slowest += move in best
            elif score > 0:
                won += 1
                kept += position.outcome is not None or oracle.find(position).score < 0
        plies += position.ply
    return {
        "own games: slowest loss": slowest / max(lost, 1),
        "own games: win kept": kept / max(won, 1),
        "own games: flat": flat / seen,
        "own games: length": plies / games,
    }


PERFECT = "perfect"
REFEREE_OPENING = 2  # random moves before minimax plays


def referee_score(referee: str, agent: LearnedAgent, games: int, seed: int) -> float:
    """What an agent gets in so many games moving first: win 1, draw 1/2."""
    if referee == PERFECT:
        return play_perfect(agent, games, 0, seed)[0].score * games
    other = player(referee)
    if not has_compiled_form(other):
        raise InputError(f"{referee} cannot be a referee: it must be a compiled player")
    tables, counts = tables_of(agent.game), np.zeros(2, dtype=np.int64)
    board, stream = new_board(tables), make_stream(seed, EVALUATION, 4)
    pair = Pairing(compiled_form(agent, tables), compiled_form(other, tables), stream, stream)
    sides = TwoPlayers(tables, board, pair)
    play_opened(tables, board, sides.entries, stream, REFEREE_OPENING, games, counts)
    return float(counts[0] + counts[1] / 2)


@jit
def play_opened(
    tables: Tables,
    board: Board,
    entries: Pairing | EntryPoints,
    stream: Stream,
    opening: int,
    games: int,
    counts: Int64s,
) -> None:
    """Plays games after random openings, and counts those that the first wins, and draws."""
    for _ in range(games):
        begin_pair(tables, board, entries)
        while board.counters[STATE] == 0:
            if board.counters[PLY] < opening:
                cell = board.open_cells[below(stream, board.counters[OPEN])]
            else:
                cell = choose_next(tables, board, entries)
            place(tables, board, cell)
        counts[0] += board.counters[STATE] == FIRST_WON
        counts[1] += board.counters[STATE] == DRAWN


SAVED_EVERY = 1_000_000  # games, as in the paper's pseudo-code
PAIR_WORK = "inarow.papers.connect_four.tdl:PairWork"
PARAMETERS = ("game", "network", "games", "every", "evaluated", "referee", "target", "below",
              "perfect_games")  # fmt: skip


class PairWork:
    """A pair in training."""

    def __init__(self, config: Config, seed: int) -> None:
        self.config, self.seed = config, seed
        self.pair = Pair(NTuple(**config["network"]), config["game"], seed)
        self.scores = list[float]()
        self.seconds = 0.0  # of CPU time, on this thread

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuses what is not whole, and a network that cannot be made."""
        missing = [name for name in PARAMETERS if name not in config]
        if missing:
            raise InputError(f"a pair needs {', '.join(missing)}")
        learner("ntuple", config["network"]).check(game_of(config["game"]), against=False)

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """At the start."""
        return cls(config, seed)

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        work, arrays = cls(config, seed), read_arrays(state, "the state")
        scores = len(arrays.get("scores", ()))
        own = {"scores": real((scores,)), "seconds": real((1,), low=0)}
        given = {name: arrays.pop(name) for name in own if name in arrays}
        check_arrays(own, given, own)
        work.pair.restore(arrays)
        work.scores, work.seconds = given["scores"].tolist(), float(given["seconds"][0])
        return work

    def state(self) -> bytes:
        """All that is needed to resume."""
        own = {"scores": np.array(self.scores), "seconds": np.array([self.seconds])}
        return save({**self.pair.arrays, **own})

    @property
    def done(self) -> bool:
        """Whether the rule holds."""
        return is_done(self.scores, self.config["target"], self.config["below"])

    @property
    def finished(self) -> bool:
        """Whether the rule holds, or all games that are allowed are played."""
        return self.pair.games >= self.config["games"] or self.done

    @property
    def share(self) -> float:
        """Of the games that are allowed."""
        return float(self.pair.games / self.config["games"])

    def advance(self) -> list[Measurement]:
        """Trains until the next evaluation; after the last the first agent meets perfect play."""
        before = time.thread_time()
        self.pair.train(self.config["every"])
        self.scores.append(self._evaluate(self.config["evaluated"], self.config["referee"]))
        self.seconds += time.thread_time() - before
        settings = self.pair.both[0].settings  # of which the next game takes these
        found = {
            "score": self.scores[-1],
            "alpha": value_at(settings.alpha, self.pair.games),
            "epsilon": value_at(settings.epsilon, self.pair.games),
        }
        if self.finished:
            tally, _ = play_perfect(
                self.pair.agent(), self.config["perfect_games"], 0, 10_000 + self.seed
            )
            found |= {
                "games": self.pair.games,
                "done": self.done,
                "seconds": self.seconds,
                "highest score": max(self.scores),
                "perfect score": tally.score,
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
            }
        return [Measurement(self.pair.games, name, float(value)) for name, value in found.items()]

    @classmethod
    def save_agents(cls, config: Config, seed: int, path: Path) -> None:
        """Train a pair as the study does; save the first agent at the end, both on the way.

        The pseudo-code saves its agents after every million games.
        """
        work, saved = cls(config, seed), 0
        while not work.finished:
            work.pair.train(config["every"])
            work.scores.append(work._evaluate(config["evaluated"], config["referee"]))
            if work.pair.games // SAVED_EVERY > saved:
                saved = work.pair.games // SAVED_EVERY
                for one, side in enumerate(SIDES):
                    file = path.with_name(f"{path.stem}-{saved}M-{side}{path.suffix}")
                    work.pair.save_agent(one, file)
        work.pair.save_agent(0, path)

    def _evaluate(self, games: int, referee: str | None) -> float:
        if referee is None:
            return self.pair.evaluate(games)
        source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, self.pair.games))
        seed = int(source.generate_state(1, np.uint64)[0])
        return referee_score(referee, self.pair.agent(), games, seed)


def is_done(scores: Sequence[float], target: float, below: bool) -> bool:
    """The paper's rule: the last score is at least the target, and not above the two before it.

    So its pseudocode; its text says `below` both. A pair that is done `below` is done either way.
    """
    if len(scores) < 3 or scores[-1] < target:
        return False
    before = min(scores[-3:-1])
    return scores[-1] < before if below else scores[-1] <= before


TDL_WORK = "inarow.papers.connect_four.tdl:TDLWork"
TRAINED_ON_WORK = "inarow.papers.connect_four.tdl:TrainedOnWork"
POINTS = 20  # pieces that a run is played in
PERFECT_GAMES = 200  # games against perfect play moving first: moving second, every agent loses
OWN_GAMES = 20  # games against itself
MINIMAX = "minimax:6"
SCORE, LAST, CPU = "averaged score", "last score", "training CPU-seconds"
AGAINST_MINIMAX = f"score against {MINIMAX}"
SECONDS = struct.Struct("<d")


class TDLWork(TrainingWork):
    """A training run of `ntuple`."""

    EVALUATED_WITH = ("perfect_games",)  # parameters that training does not know
    cpu = 0.0  # seconds of training, on this thread
    perfect_games = PERFECT_GAMES

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuse a run whose options cannot be used."""
        super().check(_training_of(config))

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """Start a run; `perfect_games` in the config is the number of games of its evaluation."""
        work = super().begin(_training_of(config), seed)
        work.perfect_games = config.get("perfect_games", PERFECT_GAMES)
        return work

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        if len(state) < SECONDS.size:
            raise InputError("the state is damaged, or something else")
        (cpu,) = SECONDS.unpack(state[: SECONDS.size])
        if not 0 <= cpu < math.inf:
            raise InputError(f"the state says that training took {cpu} s")
        work = super().resume(_training_of(config), seed, state[SECONDS.size :])
        work.cpu, work.perfect_games = cpu, config.get("perfect_games", PERFECT_GAMES)
        return work

    def state(self) -> bytes:
        """All that is needed to resume."""
        return SECONDS.pack(self.cpu) + super().state()

    def advance(self) -> list[Measurement]:
        """Plays on; at the end the agent is evaluated."""
        before = time.thread_time()
        games = self.plan.games
        self.run.training.play(min(-(-games // POINTS), games - self.run.games))
        self.cpu += time.thread_time() - before
        return self._evaluate() if self.finished else []

    def _evaluate(self) -> list[Measurement]:
        """Scores moving first, and mistakes by the stones before them."""
        self.run.training.check_finite()
        games, agent = self.run.games, self.run.agent
        assert isinstance(agent, NTupleAgent)
        source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, games))
        seed = int(source.generate_state(1, np.uint64)[0])
        found = {CPU: self.cpu}
        for kind in ("averaged", "last"):
            tally, mistakes = play_perfect(agent, self.perfect_games, 0, seed)
            found[f"{kind} score"] = tally.score
            found[f"{kind} wins"], found[f"{kind} losses"] = tally.wins, tally.losses
            for stones in range(0, agent.game.cells, 6):
                asked, wrong = mistakes.get(stones, (0, 0))
                found[f"{kind} mistakes from {stones} stones"] = wrong / max(asked, 1)
            if kind == "averaged":
                found |= play_itself(agent, OWN_GAMES, seed)
                found[AGAINST_MINIMAX] = (
                    referee_score(MINIMAX, agent, self.perfect_games, seed) / self.perfect_games
                )
            agent.weights = self.run.training.arrays["weights"]
        return [Measurement(games, name, float(value)) for name, value in found.items()]


class TrainedOnWork(TDLWork):
    """A run that begins with the averaged weights of another, `start`, and its tuples."""

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuses a run, or one to begin with, whose options cannot be used."""
        super().check(_options_of(config))
        start = {name: value for name, value in config["start"].items() if name != "seed"}
        super().check({"learner": "ntuple", **start})

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """Trains the other first: once in a process, since all runs begin with the same."""
        start = trained(json.dumps(config["start"]))
        work = super().begin(_options_of(config), seed)
        work.run.training.arrays["weights"][...] = start.training.arrays["averages"]
        return work

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        return super().resume(_options_of(config), seed, state)


def _training_of(config: Config) -> Config:
    """The parameters of training alone."""
    return {n: value for n, value in config.items() if n not in TDLWork.EVALUATED_WITH}


def _options_of(config: Config) -> Config:
    """The parameters of the run itself: its own, and those of the network that it begins with."""
    own = {name: value for name, value in config.items() if name != "start"}
    kept = {n: config["start"][n] for n in ("tuples", "length", "output", "explored", "gamma")}
    return {**kept, **own, "tuple_seed": config["start"]["seed"]}


_training = Lock()


def trained(config: str) -> Run:
    """A run against itself, to its end."""
    with _training:  # threads wait for the one that trains it
        return _trained(config)


@lru_cache(maxsize=2)
def _trained(config: str) -> Run:
    options = json.loads(config)
    game, games, seed = (options.pop(name) for name in ("game", "games", "seed"))
    run = Run(game, "ntuple", options, None, seed)
    run.training.play(games)
    return run
