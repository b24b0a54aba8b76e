"""What is run: learners with the options that are their own for a game, and variants of them.

A budget of CPU time is a fixed number of training games, from the stored games per CPU-second
(`published.toml`), so that a run is a function of its seed on any machine. No option was chosen for
this comparison; the defaults are not equally good. Three things follow from the task: a learner
that needs a trainer has attack-defense, whom forms offer first; a learner that has a trainer learns
both sides, since both are judged; and an option that is the planned number of games is that number.

Where a game is small enough the measure is exact; elsewhere fixed opponents judge, who move at
random where they may, so that no two games are alike. They are players whose rules are written
down, or perfect play with random moves between: never an agent that comes with the package, which
another version may replace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.lab.statistics import Floats
from inarow.lab.studies.study import Config
from inarow.learn.learner import ITSELF
from inarow.learn.options import options_of_type
from inarow.learn.registry import BUILT_IN, learner_type
from inarow.papers.measures import ResultRow
from inarow.papers.published import Published
from inarow.papers.speed import SPEED_WORK
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, shorter
from inarow.papers.tables import list_text

# The games, and how agents are judged in each: one number from 0 to 1

LEVEL = "level:8"  # on 6x7: perfect play, but for one move in eight, which is random
Finals = dict[str, list[float]]  # by metric: what runs had at their end, by seed


@dataclass(frozen=True)
class Scoring:
    """How the agents of a game are judged."""

    title: str
    evaluations: tuple[str, ...]
    measure: str  # what is shown, in words
    shown: Callable[[Finals], Floats]  # by seed
    lower_is_better: bool = False
    beaten: Callable[[Finals], Floats] | None = None  # where it can be proven: by anybody at all

    def merit(self, row: ResultRow) -> Floats:
        """Return the measure so that more is better."""
        found = self.shown(row["finals"])
        return 1 - found if self.lower_is_better else found

    def unbeatable(self, row: ResultRow) -> Floats | None:
        """Return 1 for each run that nobody can beat on either side; None if it is not known."""
        return None if self.beaten is None else 1.0 - self.beaten(row["finals"])


def _metric(name: str) -> Callable[[Finals], Floats]:
    return lambda finals: np.array(finals[name], np.float64)


def _mistakes(finals: Finals) -> Floats:
    """Return mistakes of both sides, as a share of the positions that were not lost."""
    first, second = (np.array(finals[f"mistakes as {side} against perfect"]) for side in SIDES)
    mean: Floats = (first + second) / 2
    return mean


def _beaten_on_graph(finals: Finals) -> Floats:
    first, second = (np.array(finals[f"unbeatable as {side}"], np.float64) for side in SIDES)
    beaten: Floats = 1 - first * second
    return beaten


def _beaten_by_anyone(finals: Finals) -> Floats:
    first, second = (np.array(finals[f"lost as {side} against anyone"]) for side in SIDES)
    beaten: Floats = (first + second > 0).astype(np.float64)
    return beaten


def _exact(title: str) -> Scoring:
    return Scoring(
        title, ("exploitability", "certificate"), "exploitability", _metric("exploitability"),
        True, _beaten_on_graph,
    )  # fmt: skip


def _scored(title: str, opponents: tuple[str, ...], games: int, *others: str) -> Scoring:
    """Judge by the mean score against some opponents, with the same number of games each."""

    def shown(finals: Finals) -> Floats:
        scores = [finals[f"score against {opponent}"] for opponent in opponents]
        mean: Floats = np.mean(np.array(scores, np.float64), axis=0)
        return mean

    return Scoring(
        title, (*(f"score:{opponent}:{games}" for opponent in opponents), *others),
        f"score against {list_text(opponents)}", shown,
    )  # fmt: skip


RULES = ("advanced", "greedy-lines")  # where lines are counted: the paper's player, and a stronger
SCORINGS = {
    "tictactoe": _exact("tic-tac-toe"),
    "connect4:4x4": _exact("Connect Four on 4x4"),
    "connect4:5x5": Scoring(
        "Connect Four on 5x5",
        (*(f"perfect:100:{side}:value" for side in SIDES), *(f"anyone:{side}" for side in SIDES)),
        "mistakes per position", _mistakes, True, _beaten_by_anyone,
    ),
    "connect4:6x7": _scored("Connect Four on 6x7", (LEVEL,), 60, "perfect:20:first:value"),
    "cube": _scored("Tic-Tac-Toe 3D", ("benchmark@random",), 1000),
    "ntictactoe:3^3": _scored("tic-tac-toe 3^3", RULES, 500),
    "ntictactoe:3^4": _scored("tic-tac-toe 3^4", RULES, 200),
}  # fmt: skip

# What is run

PUBLISHED = Published(__file__)
RATES = PUBLISHED["rates"].numbers  # by game and contestant
TRAINER, HYBRID = "attack-defense", "hybrid"
TABLE_CELLS = 16  # larger games have more positions than a table holds
QUICK_SHARE = 0.02  # of the games, at the quick scale
BUDGETS = {"1s": 1, "10s": 10, "100s": 100}  # parts: CPU-seconds of training
LONG = ("connect4:6x7", "cube", "ntictactoe:3^4")  # where 100 seconds still matter
SMALL = ("tictactoe", "connect4:4x4")
Runs = Mapping[str, int]  # by scale
TINY_GAMES = ("tictactoe", "cube", "ntictactoe:3^3")
DIMENSIONS = ("tictactoe", "ntictactoe:3^3", "ntictactoe:3^4")


@dataclass(frozen=True)
class Contestant:
    """A learner, whom it learns from, and options that differ from its own."""

    name: str
    learner: str
    against: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    timed_as: str = ""  # the contestant whose speed gives the budget, if not its own

    def training(self, game: str) -> Config:
        """Return the parameters of a run, without its length."""
        suited = learner_type(self.learner).suits.get(game, {})
        opponent = {} if self.against is None else {"against": self.against, "side": "both"}
        return {"game": game, "learner": self.learner, **opponent, **suited, **self.options}

    def plays(self, game: str) -> bool:
        """Return whether the game is small enough."""
        return not learner_type(self.learner).needs_graph or game_of(game).cells <= TABLE_CELLS

    def games(self, game: str, seconds: float) -> int:
        """Return how many games are played in so much CPU time."""
        return max(1, round(float(RATES[game][self.timed_as or self.name]) * seconds))

    def planned(self, games: int) -> Config:
        """Return the options that are the number of games."""
        declared = options_of_type(learner_type(self.learner)).values()
        return {option.name: games for option in declared if option.planned}


def _base(name: str) -> Contestant:
    against = None if ITSELF in learner_type(name).opponents else TRAINER
    return Contestant(name, name, against)


LEARNERS = tuple(_base(name) for name in BUILT_IN)
BY_NAME = {base.name: base for base in LEARNERS}


def _changed(name: str, about: str, **options: object) -> Contestant:
    return Contestant(f"{name}, {about}", name, BY_NAME[name].against, options)


# Question 1: the hybrid paper's trainer, with and without its random games, for other learners.
TAUGHT = ("sarsa", "mlp", "reinforce", "ntuple", "line_td")
Q_TAUGHT = "sarsa, update q"  # `q` takes no trainer: this is Q-learning that does
Q_OPTIONS = {"update": "q", "final": "soft"}
HYBRIDS = (
    _changed("td", "no random games", random_games="0"),
    Contestant(Q_TAUGHT, "sarsa", TRAINER, Q_OPTIONS),
    Contestant(f"{Q_TAUGHT}, {HYBRID}", "sarsa", HYBRID, Q_OPTIONS),
    *(Contestant(f"{name}, {HYBRID}", name, HYBRID) for name in TAUGHT),
    *(Contestant(f"{name}, {TRAINER}", name, TRAINER) for name in TAUGHT[1:]),
)
# Question 2: the cube paper's networks, as many weights or so with lines as without.
NETWORKS = {
    "small": (("lines:4", "small-structured"), ("50", "small-unstructured")),
    "deep": (("lines:4,32", ""), ("95,51", "deep-unstructured")),
}
STRUCTURES = tuple(
    _changed("mlp", name, network=name) for pair in NETWORKS.values() for _, name in pair if name
)
# Question 3: each learner that can share by symmetry, with and without.
SHARING: dict[str, tuple[str, dict[str, object]]] = {
    "td": ("symmetric", {"symmetric": True}),
    "q": ("symmetric", {"symmetric": True}),
    "td_lambda": ("symmetric", {"symmetric": True}),
    "sarsa": ("not symmetric", {"symmetric": False}),
    "ntuple": ("not symmetric", {"symmetric": False}),
    "mlp": ("equivariant", {"sharing": "equivariant"}),
}
SYMMETRIES = tuple(_changed(name, about, **options) for name, (about, options) in SHARING.items())
# Tactical filters: the learners that can have one, off for all of them, and on for all. A run has
# as many games as with the default, so that nothing else is changed.
FILTERS: dict[str, dict[str, Mapping[str, object]]] = {  # by part and learner
    "filter-off": {
        "ntuple": {"shield": False}, "mlp": {"shield": "none"}, "monte_carlo": {"shield": "none"},
    },
    "filter-on": {
        "ntuple": {"shield": True}, "mlp": {"shield": "safe"}, "monte_carlo": {"shield": "safe"},
    },
}  # fmt: skip
FILTER_GAMES, FILTER_BUDGET = ("tictactoe", "connect4:4x4", "connect4:6x7"), "1s"
QUESTION_SECONDS = 0.1  # some are perfect in tic-tac-toe after a second, whatever is changed
QUESTIONS = {  # by part: who, their base before them, and in which games
    "hybrid": ((BY_NAME["td"], *(BY_NAME[name] for name in TAUGHT), *HYBRIDS), SMALL),
    "lines": ((BY_NAME["mlp"], *STRUCTURES), DIMENSIONS),
    "symmetry": ((*(BY_NAME[name] for name in SHARING), *SYMMETRIES), SMALL),
}


def condition(contestant: Contestant, game: str, seconds: float, scale: str) -> Condition:
    """Return a contestant with a budget; at the quick scale with a fiftieth of it."""
    games = contestant.games(game, seconds * (QUICK_SHARE if scale == QUICK else 1))
    return Condition(
        {"game": game, "contestant": contestant.name},
        {
            **contestant.training(game), **contestant.planned(games), "games": games,
            "evaluations": list(SCORINGS[game].evaluations),
        },
    )  # fmt: skip


def compared(scale: str, seconds: float) -> list[Condition]:
    """Return all learners on all games they can play, or on those where so long matters."""
    return [
        condition(contestant, game, seconds, scale)
        for game in (LONG if seconds > 10 else SCORINGS)
        for contestant in LEARNERS
        if contestant.plays(game)
    ]


def question(scale: str, part: str) -> list[Condition]:
    """Return the contestants of a question, with a tenth of a second each."""
    contestants, games = QUESTIONS[part]
    return [
        condition(contestant, game, QUESTION_SECONDS, scale)
        for game in games
        for contestant in contestants
    ]


def default_of(name: str, option: str) -> object:
    """Return the default of a learner's option; None if it has none."""
    declared = options_of_type(learner_type(name))
    return declared[option].default if option in declared else None


def filtered(part: str, name: str) -> Contestant:
    """Return a learner with its filter off or on: itself where that is its default."""
    options = FILTERS[part][name]
    if all(default_of(name, option) == value for option, value in options.items()):
        return BY_NAME[name]
    base = BY_NAME[name]
    return Contestant(f"{name}, {part.replace('-', ' ')}", name, base.against, options, name)


def filters(scale: str, part: str) -> list[Condition]:
    """Return the learners whose filter is not as in this part by default.

    The runs of all others are those of a second of CPU time.
    """
    return [
        condition(contestant, game, BUDGETS[FILTER_BUDGET], scale)
        for game in FILTER_GAMES
        for contestant in (filtered(part, name) for name in FILTERS[part])
        if contestant.name not in BY_NAME
    ]


def _speeds() -> list[Condition]:
    every = [(contestant, tuple(SCORINGS)) for contestant in LEARNERS]
    every += [
        (one, games)
        for contestants, games in QUESTIONS.values()
        for one in contestants
        if one.name not in BY_NAME
    ]
    return [
        Condition({"game": game, "contestant": one.name}, one.training(game), SPEED_WORK)
        for one, games in every
        for game in games
        if one.plays(game)
    ]


TEN, FIVE, THIRTY = ({TINY: 2, QUICK: 2, PAPER_SCALE: number} for number in (10, 5, 30))
FIRST_SEED = 1_000  # lower ones helped to choose the defaults of some learners


def _cut(condition: Condition) -> Config | None:
    """Cut training and tests, and leave out the larger boards."""
    return shorter()(condition) if condition.game in TINY_GAMES else None


def _cut_speed(condition: Condition) -> Config | None:
    """Time one small game for a hundredth of a second."""
    return {"timed_seconds": 0.01} if condition.game == "tictactoe" else None


def _part(name: str, about: str, made: Callable[[str], list[Condition]], runs: Runs = TEN) -> Part:
    return Part(name, about, made, runs, seed=FIRST_SEED, tiny=_cut)


PARTS = (
    *(
        _part(name, f"all learners, {seconds} CPU-second{'s' * (seconds > 1)} of training each",
              partial(compared, seconds=seconds), FIVE if seconds > 10 else TEN)
        for name, seconds in BUDGETS.items()
    ),
    *(
        _part(name, about, partial(question, part=name), THIRTY)
        for name, about in (
            ("hybrid", "does hybrid training help other learners?"),
            ("lines", "do line layers help a network in n dimensions?"),
            ("symmetry", "does sharing by symmetry help each learner?"),
        )
    ),
    *(
        _part(part, f"the tactical {part.replace('-', ' ')} for all learners that can have one",
              partial(filters, part=part))
        for part in FILTERS
    ),
    Part("speed", "training games per CPU-second, which define the budgets", _speeds(),
         {TINY: 1, QUICK: 1, PAPER_SCALE: 3}, tiny=_cut_speed),
)  # fmt: skip
