"""Evaluations of an agent, while it learns or when it is done: objects read from short texts.

An evaluation is read once, by `parse_evaluation`, before anything is trained: it then knows its
players, its numbers, and the names of all that it may measure. Sampled ones draw from evaluation
streams that no training uses; exact ones are sweeps over the game's graph.
"""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

from inarow.engine.board import tables_of
from inarow.engine.players import compiled_form, is_unchanged
from inarow.engine.streams import EVALUATION, FIRST, SECOND, Stream, below, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.errors import suggestion
from inarow.game.plugins import installed, is_address, load_address
from inarow.game.position import SIDES
from inarow.graph.all_games import play_all_games
from inarow.graph.best_response import best_responses
from inarow.graph.certificate import certify_side
from inarow.graph.graph import Graph, graph_of
from inarow.graph.memory_cache import cached
from inarow.graph.odds import Policy, mean_odds
from inarow.graph.policies import expert_policy, rule_policies, sample_games
from inarow.lab.certificates.by_solver import endings_reached, judge_late
from inarow.lab.matches.match import MAX_GAMES, Tally, match
from inarow.lab.numbers import SCALES
from inarow.lab.players.names import BoundPlayer, player, rule_list
from inarow.lab.players.policies import exact_policies, policies_of
from inarow.lab.players.protocols import ask, bind_player, check_plays
from inarow.learn.agent import LearnedAgent
from inarow.learn.tabular.table import TabularAgent
from inarow.search.perfect import REPLIES, Oracle, perfect_oracle
from inarow.search.solver import solver_for

Measurements = dict[str, float]
ENDS = ("won", "drawn", "lost")
TRAINING_METRICS = ("lost", "games")  # what a run says of itself
GROUP = "inarow.evaluations"  # entry points of installed packages


class Evaluation(ABC):
    """Something to measure of an agent."""

    form: ClassVar[str]  # how it is written: help and messages say so
    about: ClassVar[str]  # what it measures, in a line

    @property
    def needs_policy(self) -> bool:
        """Whether it is exact, and so takes an agent whose every move is known."""
        return False

    @classmethod
    @abstractmethod
    def parse(cls, rest: str) -> Self:
        """Read what stands behind the evaluation's name and colon; '' where there is nothing."""

    def check(self, game: Game) -> None:  # noqa: B027 - most have nothing to check
        """Raise InputError if it cannot be made of agents of a game."""

    @abstractmethod
    def metrics(self, game: Game) -> tuple[str, ...]:
        """Return the names of all that it may measure in a game."""

    @abstractmethod
    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Measure an agent; what is left to chance follows from the seed."""


@dataclass(frozen=True)
class Games(Evaluation):
    """Games against a player, on one side or on both in turn."""

    form = "games:PLAYER:NUMBER[:SIDE]"
    about = "games against a player, on one side or on both in turn"

    against: str
    number: int
    side: str = "both"

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the side and the number from the right: names of players have colons, too."""
        said = re.fullmatch(r"(.+):([1-9][0-9]*)(?::(first|second|both))?", rest)
        if said is None:
            raise InputError(f"'games:{rest}' is not {cls.form}")
        return cls(said[1], _games(said[2]), said[3] or "both")

    @property
    def shares(self) -> tuple[int, int]:
        """How many of the games the agent plays as first and as second."""
        number = self.number
        shares = {"first": (number, 0), "second": (0, number)}
        return shares.get(self.side, ((number + 1) // 2, number // 2))

    def check(self, game: Game) -> None:
        """Raise InputError for a player that nobody knows, or of another game."""
        check_plays(player(self.against), game)

    def metrics(self, game: Game) -> tuple[str, ...]:
        """Return the names of the counts; games for points add lines."""
        ends = (*ENDS, "lines ahead") if game.scoring else ENDS
        return tuple(f"{end} against {self.against}" for end in ends)

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Play the games: on the game's graph where both players are tables there."""
        opponent = player(self.against)
        rules = rule_list(opponent)
        if is_unchanged(agent, TabularAgent) and rules is not None:
            graph = graph_of(agent.game)
            own, other = agent.policies(graph), rule_policies(graph, rules)
            tally = _play_on_graph(graph, own, other, self.shares, seed)
        else:
            tally = match(agent.game, agent, opponent, self.number, seed, side=self.side).total
        return self.measurements(tally, agent.game)

    def measurements(self, tally: Tally, game: Game) -> Measurements:
        """Return what is measured by games that were counted."""
        counts = {"won": tally.wins, "drawn": tally.draws, "lost": tally.losses}
        if game.scoring and tally.plies:  # played on boards
            counts["lines ahead"] = tally.lines_for - tally.lines_against
        return {f"{end} against {self.against}": float(count) for end, count in counts.items()}


@dataclass(frozen=True)
class Sides(Evaluation):
    """Games against a player, so many on each side, counted for each side."""

    form = "sides:PLAYER:NUMBER"
    about = "so many games on each side, counted for each side"

    against: str
    number: int

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the number from the right."""
        said = re.fullmatch(r"(.+):([1-9][0-9]*)", rest)
        if said is None:
            raise InputError(f"'sides:{rest}' is not {cls.form}")
        return cls(said[1], _games(said[2]))

    @property
    def parts(self) -> dict[str, Games]:
        """The games of each side."""
        return {side: Games(self.against, self.number, side) for side in SIDES}

    def check(self, game: Game) -> None:
        """Raise InputError for a player that nobody knows, or of another game."""
        check_plays(player(self.against), game)

    def metrics(self, game: Game) -> tuple[str, ...]:
        """Return the names of the counts of both sides."""
        return tuple(
            of_side(name, side)
            for side, games in self.parts.items()
            for name in games.metrics(game)
        )

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Play the games of each side."""
        return {
            of_side(name, side): value
            for side, games in self.parts.items()
            for name, value in games.measure(agent, seed).items()
        }


def of_side(metric: str, side: str) -> str:
    """Return the name of a count with the agent's side in it."""
    return metric.replace(" against", f" as {side} against", 1)


def _play_on_graph(
    graph: Graph, own: list[Policy], other: list[Policy], shares: tuple[int, int], seed: int
) -> Tally:
    """Play where the game is a graph: tables are walked, no board is needed."""
    tally = Tally()
    for number, share in enumerate(shares):
        if share:
            sides = (own, other) if number == 0 else (other, own)
            ends = sample_games(graph, sides[0], sides[1], share, contest_streams(seed, number))
            wins, draws, losses = ends if number == 0 else ends[::-1]
            tally += Tally(share, wins, draws, losses)
    return tally


def contest_streams(seed: int, side: int) -> tuple[Stream, Stream]:
    """Return the streams of the first player and the second, where the agent has that side."""
    return (
        make_stream(seed, EVALUATION, FIRST, side),
        make_stream(seed, EVALUATION, SECOND, side),
    )


class OnGraph(Evaluation):
    """An exact evaluation: a sweep over the game's graph, of an agent whose every move is known."""

    @property
    def needs_policy(self) -> bool:
        """Whether it is exact: always."""
        return True

    def check(self, game: Game) -> None:
        """Raise InputError for a game that is no graph."""
        graph_of(game)


@dataclass(frozen=True)
class Expert(OnGraph):
    """One game for each opening move against a deterministic expert (hybrid paper, Table 4).

    The expert moves first, its opening is given, and its other moves are the lowest that keep the
    game's value. Exactly, with the agent's ties averaged: `exactly lost against expert`.
    """

    form = "expert[:SIDE]"
    about = "one game for each opening move against the papers' deterministic expert"

    side: str = "second"

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the side, which can only be the second."""
        (side,) = _parts(cls, rest, 1)
        if side not in ("", "second"):
            raise InputError("the expert opens, so the agent is second")
        return cls()

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002 - the same in all games
        """Return the names of the counts, and of the exact one."""
        return (*(f"{end} against expert" for end in ENDS), "exactly lost against expert")

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Play the games."""
        graph = graph_of(agent.game)
        own, (expert, opened) = policies_of(agent, graph), _experts(graph)
        streams = make_stream(seed, EVALUATION, FIRST, 2), make_stream(seed, EVALUATION, SECOND, 2)
        lost, drawn, won = map(float, sample_games(graph, [expert], own, 1, streams, openings=True))
        exactly = float(mean_odds(graph, [opened], own).first) * int(graph.edge_start[1])
        return {
            "won against expert": won,
            "drawn against expert": drawn,
            "lost against expert": lost,
            "exactly lost against expert": exactly,
        }


@cached
def _experts(graph: Graph) -> tuple[Policy, Policy]:
    """Return the expert, and the expert with any opening move."""
    expert = expert_policy(graph)
    opened = expert.copy()
    opened[: graph.edge_start[1]] = 1.0
    return expert, opened


@dataclass(frozen=True)
class Exact(OnGraph):
    """The chances of the agent against a player, on each side, without sampling."""

    form = "exact[:PLAYER]"
    about = "the chances against a player (random), without sampling"

    against: str = "random"

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Take all of it for a player's name."""
        return cls(rest or "random")

    def check(self, game: Game) -> None:
        """Raise InputError for a game that is no graph, or a player that nobody knows."""
        check_plays(player(self.against), game)
        super().check(game)

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the chances of each end on each side."""
        return tuple(
            f"chance {end} as {side} against {self.against}" for side in SIDES for end in ENDS
        )

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:  # noqa: ARG002
        """Measure the agent; what is left to chance follows from the seed."""
        chances = _chances(agent, self.against)
        found = (chance for side in SIDES for chance in chances[side])
        return dict(zip(self.metrics(agent.game), found, strict=True))


def _chances(agent: LearnedAgent, against: str) -> dict[str, tuple[float, float, float]]:
    """Return the chances of a win, a draw and a loss on each side, exactly."""
    graph = graph_of(agent.game)
    own, other = policies_of(agent, graph), exact_policies(against, graph)
    first, second = mean_odds(graph, own, other), mean_odds(graph, other, own)
    return {
        "first": (float(first.first), float(first.draw), float(first.second)),
        "second": (float(second.second), float(second.draw), float(second.first)),
    }


@dataclass(frozen=True)
class Score(Evaluation):
    """Wins and half the draws, as a share of the games."""

    form = "score:PLAYER[:NUMBER][:SIDE]"
    about = "wins and half the draws, as a share; exactly without a number of games"

    against: str
    number: int = 0  # of games; 0: exactly
    side: str = "both"

    @property
    def needs_policy(self) -> bool:
        """Whether it is exact: without a number of games."""
        return not self.number

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the side from the right, then a number of games, unless it belongs to the player."""
        said = re.fullmatch(r"(.+?)(?::(first|second|both))?", rest)
        if said is None:
            raise InputError(f"'score' says against whom: {cls.form}")
        against, side = said[1], said[2] or "both"
        games = re.fullmatch(r"(.+):([1-9][0-9]*)", against)
        if games is not None and (_is_player(games[1]) or not _is_player(against)):
            return cls(games[1], _games(games[2]), side)
        return cls(against, 0, side)

    def check(self, game: Game) -> None:
        """Raise InputError for a player that nobody knows, or a game that is no graph."""
        check_plays(player(self.against), game)
        if not self.number:
            graph_of(game)

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002
        """Return the name of the score."""
        side = "" if self.side == "both" else f"as {self.side} "
        return (f"score {side}against {self.against}",)

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Play the games, or sweep over the game's graph."""
        if self.number:
            played = match(agent.game, agent, self.against, self.number, seed, side=self.side)
            score = played.total.score
        else:
            sides = SIDES if self.side == "both" else (self.side,)
            chances = [_chances(agent, self.against)[name] for name in sides]
            score = sum(won + drawn / 2 for won, drawn, _ in chances) / len(chances)
        return {self.metrics(agent.game)[0]: score}


def _is_player(name: str) -> bool:
    """Return whether a name stands for a player here."""
    try:
        player(name)
    except InputError:
        return False
    return True


@dataclass(frozen=True)
class Exploitability(OnGraph):
    """What a best response gains over the value of the game when the agent has a side."""

    form = "exploitability[:SIDE]"
    about = "what best responses gain over perfect play"

    side: str = "both"

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the side."""
        (side,) = _parts(cls, rest, 1)
        return cls(_side(side or "both", (*SIDES, "both")))

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names for the sides, and for both together."""
        if self.side != "both":
            return (f"exploitability as {self.side}",)
        return (*(f"exploitability as {side}" for side in SIDES), "exploitability")

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:  # noqa: ARG002
        """Measure the agent; what is left to chance follows from the seed."""
        graph = graph_of(agent.game)
        found = best_responses(
            graph, policies_of(agent, graph)[0]
        )  # learned agents have one policy
        gains = {"first": found.gain("second"), "second": found.gain("first")}
        wanted = SIDES if self.side == "both" else (self.side,)
        measured = {f"exploitability as {name}": float(gains[name]) for name in wanted}
        if self.side == "both":
            measured["exploitability"] = float(found.exploitability)
        return measured


@dataclass(frozen=True)
class Proof(OnGraph):
    """What is proven of the agent, on each side."""

    form = "certificate"
    about = "whether it can be beaten, and whether it converts every won position"

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Refuse anything behind the name."""
        _parts(cls, rest, 0)
        return cls()

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of what is proven for each side."""
        return tuple(f"{what} as {side}" for side in SIDES for what in ("unbeatable", "converts"))

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:  # noqa: ARG002
        """Measure the agent; what is left to chance follows from the seed."""
        graph = graph_of(agent.game)
        policies, measurements = policies_of(agent, graph), dict[str, float]()
        for side, name in enumerate(SIDES):
            proven = certify_side(graph, policies, side)
            unbeatable = bool(proven.unbeatable)
            measurements[f"unbeatable as {name}"] = float(unbeatable)
            measurements[f"converts as {name}"] = float(unbeatable and proven.converts)
        return measurements


@dataclass(frozen=True)
class AgainstPerfect(Evaluation):
    """Games against perfect play, and the agent's mistakes by number of stones."""

    form = "perfect[:NUMBER[:SIDE[:REPLIES]]]"
    about = "games against perfect play, and mistakes by number of stones"

    number: int = 200
    side: str = "first"
    replies: str = "best"

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the number of games, the side, and which moves perfect play may choose."""
        number, side, replies = _parts(cls, rest, 3)
        if replies not in ("", *REPLIES):
            raise InputError(f"replies {replies!r} are none of {', '.join(REPLIES)}")
        return cls(_games(number or "200"), _side(side or "first"), replies or "best")

    def check(self, game: Game) -> None:
        """Raise InputError for a game that the solver does not reach."""
        solver_for(game)

    def metrics(self, game: Game) -> tuple[str, ...]:
        """Return the names of the counts, and of the mistakes from each number of stones on."""
        side = self.side
        ends = [f"{name} as {side} against perfect" for name in ("score", *ENDS, "mistakes")]
        stones = range(0, game.cells, FEWER)
        return (*ends, *(f"mistakes as {side} from {number} stones" for number in stones))

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Play the games."""
        return against_perfect(agent, seed, self.number, self.side, self.replies)


@dataclass(frozen=True)
class Anyone(Evaluation):
    """All positions and endings that any opponent can bring about (`graph.all_games`).

    With a number of stones it ends there, and the positions with as many are solved.
    """

    form = "anyone[:SIDE[:STONES]]"
    about = "every game against every opponent, enumerated: how many end how"

    side: str = "first"
    stones: int | None = None

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the side and the number of stones."""
        side, stones = _parts(cls, rest, 2)
        return cls(_side(side or "first"), _number(stones, "stones") if stones else None)

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the counts."""
        names = ["positions", *ENDS]
        if self.stones is not None:
            names.append(f"reached with {self.stones} stones")
            names.append(f"no longer won with {self.stones} stones")
        return tuple(f"{name} as {self.side} against anyone" for name in names)

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:  # noqa: ARG002
        """Measure the agent; what is left to chance follows from the seed."""
        player_arrays = compiled_form(agent, tables_of(agent.game))
        side = SIDES.index(self.side)
        found = play_all_games(agent.game, player_arrays, side, stones=self.stones)
        counts = [found.positions, found.won, found.drawn, found.lost]
        if self.stones is not None:
            from inarow.search.endgame import count_won  # loads the solver

            reached = len(found.beyond[0])
            counts += [reached, reached - count_won(agent.game, *found.beyond)]
        return dict(zip(self.metrics(agent.game), map(float, counts), strict=True))


@dataclass(frozen=True)
class Endings(Evaluation):
    """Mistakes from a number of stones on: the one from which the solver decides most positions."""

    form = "endings:GAMES[:STONES]"
    about = "moves late in games against itself, judged by the solver"

    number: int
    stones: int | None = None

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Read the number of games and the number of stones."""
        games, stones = _parts(cls, rest, 2)
        if not _is_number(games) or (stones and not _is_number(stones)):
            raise InputError(f"'endings:{rest}' is not {cls.form}")
        return cls(_games(games), int(stones) if stones else None)

    def _start(self, game: Game) -> int:
        """Return the number of stones from which moves are judged."""
        start = endings_reached(game) if self.stones is None else self.stones
        if start is None:
            raise InputError(f"the solver reaches no endings of {game.name}: give the stones")
        if not 0 <= start < game.cells:
            raise InputError(f"{game.name} has no moves from {start} stones on")
        return start

    def check(self, game: Game) -> None:
        """Raise InputError for a game whose endings the solver does not reach."""
        self._start(game)

    def metrics(self, game: Game) -> tuple[str, ...]:
        """Return the names of the counts."""
        start = self._start(game)
        return tuple(f"{n} from {start} stones on" for n in ("positions", "judged", "mistakes"))

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Play games of the agent against itself and judge its moves."""
        start = self._start(agent.game)
        rates = judge_late(agent, agent.game, start, self.number, seed).rates
        counts = {
            "positions": sum(rate.positions for rate in rates),
            "judged": sum(rate.judged for rate in rates),
            "mistakes": sum(rate.mistakes for rate in rates),
        }
        return {f"{name} from {start} stones on": float(n) for name, n in counts.items()}


@dataclass(frozen=True)
class Own(Evaluation):
    """A function `module:function` of a person's own, called with the agent and a seed.

    It returns one number, which is called as the function is, or numbers by name; then the
    decorator `evaluation` says the names.
    """

    form = "module:function"
    about = "a function of your own: of the agent and a seed, to a number or numbers by name"

    address: str
    function: Callable[[LearnedAgent, int], object]

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Import the function."""
        function = load_address(rest)
        if not callable(function) or isinstance(function, type):
            raise InputError(f"{rest} is not an evaluation: name a function of an agent and a seed")
        try:
            inspect.signature(function).bind("agent", 0)
        except TypeError:
            raise InputError(
                f"{rest} is called with an agent and a seed: write def "
                f"{getattr(function, '__name__', rest)}(agent, seed)"
            ) from None
        except ValueError:  # of a function that does not say what it takes
            pass
        return cls(rest, function)

    def metrics(self, game: Game) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names that the decorator says, or that of the function; with the scale."""
        scale = getattr(self.function, "scale", "")
        return tuple(f"{name} ({scale})" if scale else name for name in self._names)

    @property
    def _names(self) -> tuple[str, ...]:
        declared = getattr(self.function, "metrics", ())
        return declared or (getattr(self.function, "__name__", self.address),)

    def measure(self, agent: LearnedAgent, seed: int) -> Measurements:
        """Call the function; anything but the numbers that it declares is refused."""
        try:
            answer = self.function(agent, seed)
        except InputError:
            raise
        except (Exception, SystemExit) as error:  # whatever code of others does
            raise InputError(f"{self.address} failed: {type(error).__name__}: {error}") from error
        names = self._names
        found = answer if isinstance(answer, Mapping) else {names[0]: answer}
        if sorted(map(str, found)) != sorted(names):
            raise InputError(f"{self.address} measures {', '.join(names)}, not {answer!r}")
        full = dict(zip(names, self.metrics(agent.game), strict=True))
        return {full[str(name)]: self._number(name, value) for name, value in found.items()}

    def _number(self, name: object, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f"{self.address} gives {value!r} for {name}, which is not a number")
        said = getattr(self.function, "scale", "points")
        if not SCALES[said].holds(number):
            raise InputError(f"{self.address} gives {value!r} for {name}: its scale is {said}")
        return number


def evaluation(
    *metrics: str, scale: str = ""
) -> Callable[[Callable[[LearnedAgent, int], object]], Callable[[LearnedAgent, int], object]]:
    """Declare the names of the numbers that a function of an agent and a seed returns.

    Write `@inarow.evaluation("corners", "centre")` above a function that returns
    `{"corners": ..., "centre": ...}`. Studies and `train --evaluate` know it as `module:function`.

    With a `scale` (share, count, "yes or no" or points) intervals hold only values that can be.
    It is part of the names: `corners (share)`. A function of one number needs no name.
    """
    if scale and scale not in SCALES:
        raise InputError(f"the scale of an evaluation is one of {', '.join(SCALES)}, not {scale!r}")
    if not (metrics or scale) or len(set(metrics)) < len(metrics):
        raise InputError("an evaluation has one name for each number that it returns")
    if wrong := [name for name in metrics if not isinstance(name, str) or not name.strip()]:
        raise InputError(f"the name of a number is a text, not {wrong[0]!r}")

    def declare(
        function: Callable[[LearnedAgent, int], object],
    ) -> Callable[[LearnedAgent, int], object]:
        function.metrics = metrics  # type: ignore[attr-defined]
        if scale:
            function.scale = scale  # type: ignore[attr-defined]
        return function

    return declare


EVALUATIONS: dict[str, type[Evaluation]] = {
    "games": Games,
    "sides": Sides,
    "expert": Expert,
    "exact": Exact,
    "score": Score,
    "exploitability": Exploitability,
    "certificate": Proof,
    "perfect": AgainstPerfect,
    "anyone": Anyone,
    "endings": Endings,
}


def parse_evaluation(text: object) -> Evaluation:
    """Read an evaluation, as `games:random:1000000:second`, `expert:second` or `exact`.

    - `games:PLAYER:NUMBER[:SIDE]`: games against a player, on one side or on both in turn
    - `sides:PLAYER:NUMBER`: so many games on each side, counted for each side
    - `expert[:SIDE]`: one game for each opening move against the papers' deterministic expert
    - `exact[:PLAYER]`: chances of the agent against a player (random), without sampling
    - `score:PLAYER[:NUMBER][:SIDE]`: wins and half the draws, as a share; exactly without a number
    - `exploitability[:SIDE]`: what best responses gain over perfect play (`graph.best_response`)
    - `certificate`: whether it can be beaten, and whether it converts every won position
    - `perfect[:NUMBER[:SIDE]]`: games against perfect play, and mistakes by number of stones
    - `anyone[:SIDE[:STONES]]`: every game against every opponent, enumerated: how many end how
    - `endings:GAMES[:STONES]`: moves late in games against itself, judged by the solver
    - `module:function`: a function of your own, of the agent and a seed
    - the name of an evaluation that an installed package offers (`inarow.evaluations`)
    """
    if isinstance(text, Evaluation):
        return text
    name, _, rest = text.strip().partition(":") if isinstance(text, str) else ("", "", "")
    if name in EVALUATIONS:
        return EVALUATIONS[name].parse(rest)
    if isinstance(text, str) and text.strip() in installed(GROUP):
        return Own.parse(installed(GROUP)[text.strip()].value)
    if isinstance(text, str) and is_address(text):
        return Own.parse(text.strip())
    names = [*EVALUATIONS, *installed(GROUP)]
    near, known = suggestion(str(text).partition(":")[0], names), ", ".join(names)
    raise InputError(
        f"unknown evaluation {text!r}{near}: there is {known}, and functions of your own "
        "(module:function)"
    )


def parse_evaluations(texts: Iterable[object], game: Game) -> tuple[Evaluation, ...]:
    """Read the evaluations of a run on a game; none may measure what another one measures."""
    found = [(text, parse_evaluation(text)) for text in texts]
    for _, made in found:
        made.check(game)
    for (one_text, one), (other_text, other) in combinations(found, 2):
        if both := sorted({*one.metrics(game)} & {*other.metrics(game)}):
            raise InputError(f"{one_text!r} and {other_text!r} both measure {both[0]!r}")
    for text, made in found:
        if taken := sorted({*made.metrics(game)} & {*TRAINING_METRICS}):
            raise InputError(f"{text!r} measures {taken[0]!r}, as every run does itself")
    return tuple(made for _, made in found)


def evaluate(agent: LearnedAgent, evaluation: str | Evaluation, seed: int) -> Measurements:
    """Measure an agent by an evaluation or its text, as `parse_evaluation` reads it."""
    return parse_evaluation(evaluation).measure(agent, seed)


def _parts(kind: type[Evaluation], rest: str, most: int) -> list[str]:
    """Split what stands behind an evaluation's name into parts; missing ones are ''."""
    parts = rest.split(":") if rest else []
    if len(parts) > most:
        raise InputError(f"{kind.form} is not written with so many parts: {rest!r}")
    return parts + [""] * (most - len(parts))


def _side(text: str, known: tuple[str, ...] = SIDES) -> str:
    if text not in known:
        raise InputError(f"side {text!r} must be one of {', '.join(known)}")
    return text


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _number(text: str, of: str) -> int:
    if not _is_number(text):
        raise InputError(f"{text!r} must be a number of {of}")
    return int(text)


def _games(text: str) -> int:
    """Read a number of games, at least one."""
    number = _number(text, "games")
    if not 1 <= number <= MAX_GAMES:
        raise InputError(f"the number of games must be between 1 and {MAX_GAMES:,}, not {text}")
    return number


# An agent against perfect play, on games of its own seeds: how it scores, and where it errs.
#
# Perfect play takes any of the best moves: the slowest loss, the fastest win. All evaluations of a
# process ask one oracle for its replies. The agent's moves are compiled. After each of them the
# position's score says whether it gave something away, so mistakes are counted on the way, by the
# number of stones before them.

FEWER = 6  # mistakes are counted by so many stones together


def against_perfect(
    agent: LearnedAgent, seed: int, games: int = 200, side: str = "first", replies: str = "best"
) -> dict[str, float]:
    """Play games against perfect play on a side; return counts and mistakes by stones."""
    tally, mistakes = play_perfect(agent, games, SIDES.index(side), seed, replies)
    measurements = {
        "score": tally.score,
        "won": tally.wins,
        "drawn": tally.draws,
        "lost": tally.losses,
    }
    found = {f"{name} as {side} against perfect": float(n) for name, n in measurements.items()}
    for stones, (asked, wrong) in sorted(mistakes.items()):
        found[f"mistakes as {side} from {stones} stones"] = wrong / asked
    if mistakes:
        asked, wrong = (sum(counted) for counted in zip(*mistakes.values(), strict=True))
        found[f"mistakes as {side} against perfect"] = wrong / asked
    return found


def play_perfect(
    agent: LearnedAgent, games: int, side: int, seed: int, replies: str = "best"
) -> tuple[Tally, dict[int, list[int]]]:
    """Return the games counted, and by stones before the move: how many moves, how many gave away.

    A move is a mistake if a win becomes a draw or loss, or a draw a
    loss. A position that is lost holds nothing to give away, and is not counted.
    """
    oracle = perfect_oracle(agent.game, replies)
    player = bind_player(agent, agent.game, make_stream(seed, EVALUATION, FIRST, side))
    stream = make_stream(seed, EVALUATION, SECOND, side)
    tally, mistakes = Tally(), dict[int, list[int]]()
    start = oracle.find(Position(agent.game)).score
    value_of_start = ((start > 0) - (start < 0)) * (1 - 2 * side)
    for _ in range(games):
        position, value = Position(agent.game), value_of_start
        if isinstance(player, BoundPlayer):
            player.begin()
        while position.outcome is None:
            if position.ply % 2 == side:
                stones = position.ply // FEWER * FEWER
                position.push(ask(player, position))
                after = _value_for_mover(oracle, position)
                if value >= 0:
                    counted = mistakes.setdefault(stones, [0, 0])
                    counted[0] += 1
                    counted[1] += after < value
                value = after
            else:
                moves = replies_in_order(oracle, position)
                position.push(moves[below(stream, len(moves))] if len(moves) > 1 else moves[0])
        winner = position.outcome.winner
        won, drawn = winner == side + 1, winner is None
        tally += Tally(1, int(won), int(drawn), int(not won and not drawn), position.ply)
    return tally, mistakes


def replies_in_order(oracle: Oracle, position: Position) -> tuple[int, ...]:
    """Return the replies of perfect play in the order in which they are drawn.

    That is descending where the mirror image of the position is the lower one: what has been
    measured from a seed depends on it.
    """
    moves = oracle.find(position).moves
    return moves[::-1] if oracle.is_mirrored(position) else moves


def _value_for_mover(oracle: Oracle, position: Position) -> int:
    """Return 1, 0 or -1: the value for the side that just moved."""
    if position.outcome is not None:
        return 0 if position.outcome.winner is None else 1
    score = oracle.find(position).score
    return (score < 0) - (score > 0)
