"""What is run: learners with the options that are their own for a game, and variants of them.

A budget of CPU time is a fixed number of training games, from the stored games per CPU-second
(`published.toml`), so that a run is a function of its seed on any machine. No option was chosen by
hand. Three things follow from the task: a learner that needs a trainer has attack-defense, whom
forms offer first; who learns from a trainer learns both sides, since both are judged; and an option
that is the planned number of games is that number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from inarow.game import game as game_of
from inarow.lab.speed import WORK as SPEED_WORK
from inarow.lab.study import Config
from inarow.learn.learner import ITSELF
from inarow.learn.options import options_of_type
from inarow.learn.registry import BUILT_IN, learner_type
from inarow.papers.learners.games import JUDGES
from inarow.papers.published import Published
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, Condition, Part

FOLDER = Path(__file__).parent
PUBLISHED = Published(FOLDER / "published.toml")
RATES = PUBLISHED.take("rates").numbers  # by game and contestant
TRAINER, HYBRID = "attack-defense", "hybrid"
TABLE_CELLS = 16  # larger games have more positions than a table holds
QUICK_SHARE = 0.02  # of the games, at the quick scale
BUDGETS = {"1s": 1, "10s": 10, "100s": 100}  # parts: CPU-seconds of training
LONG = ("connect4:6x7", "cube", "ntictactoe:3^4")  # where 100 seconds still matter
SMALL = ("tictactoe", "connect4:4x4")
Runs = Mapping[str, int]  # by scale
DIMENSIONS = ("tictactoe", "ntictactoe:3^3", "ntictactoe:3^4")


@dataclass(frozen=True)
class Contestant:
    """A learner, whom it learns from, and options that differ from its own."""

    name: str
    learner: str
    against: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)

    def training(self, game: str) -> Config:
        """The parameters of a run, without its length."""
        suited = learner_type(self.learner).suits.get(game, {})
        opponent = {} if self.against is None else {"against": self.against, "side": "both"}
        return {"game": game, "learner": self.learner, **opponent, **suited, **self.options}

    def plays(self, game: str) -> bool:
        """Whether the game is small enough."""
        return not learner_type(self.learner).needs_graph or game_of(game).cells <= TABLE_CELLS

    def games(self, game: str, seconds: float) -> int:
        """How many are played in so much CPU time."""
        return max(1, round(float(RATES[game][self.name]) * seconds))

    def planned(self, games: int) -> Config:
        """Options that are the number of games."""
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
QUESTION_SECONDS = 0.1  # some are perfect in tic-tac-toe after a second, whatever is changed
QUESTIONS = {  # by part: who, their base before them, and in which games
    "hybrid": ((BY_NAME["td"], *(BY_NAME[name] for name in TAUGHT), *HYBRIDS), SMALL),
    "lines": ((BY_NAME["mlp"], *STRUCTURES), DIMENSIONS),
    "symmetry": ((*(BY_NAME[name] for name in SHARING), *SYMMETRIES), SMALL),
}


def condition(contestant: Contestant, game: str, seconds: float, scale: str) -> Condition:
    """A contestant with a budget; at the quick scale with a fiftieth of it."""
    games = contestant.games(game, seconds * (QUICK_SHARE if scale == QUICK else 1))
    return Condition(
        {"game": game, "contestant": contestant.name},
        {
            **contestant.training(game), **contestant.planned(games), "games": games,
            "evaluations": list(JUDGES[game].evaluations),
        },
    )  # fmt: skip


def compared(scale: str, seconds: float) -> list[Condition]:
    """All learners on all games they can play, or on those where so long matters."""
    return [
        condition(contestant, game, seconds, scale)
        for game in (LONG if seconds > 10 else JUDGES)
        for contestant in LEARNERS
        if contestant.plays(game)
    ]


def question(scale: str, part: str) -> list[Condition]:
    """The contestants of a question, with a tenth of a second each."""
    contestants, games = QUESTIONS[part]
    return [
        condition(contestant, game, QUESTION_SECONDS, scale)
        for game in games
        for contestant in contestants
    ]


def _speeds() -> list[Condition]:
    every = [(contestant, tuple(JUDGES)) for contestant in LEARNERS]
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


TEN, FIVE, THIRTY = ({QUICK: 2, PAPER_SCALE: number} for number in (10, 5, 30))
FIRST_SEED = 1_000  # lower ones helped to choose the defaults of some learners


def _part(name: str, about: str, made: Callable[[str], list[Condition]], runs: Runs = TEN) -> Part:
    return Part(name, about, made, runs, seed=FIRST_SEED)


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
    Part("speed", "training games per CPU-second, which define the budgets", _speeds(),
         {QUICK: 1, PAPER_SCALE: 3}),
)  # fmt: skip
