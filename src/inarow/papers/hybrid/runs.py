"""What is run of the hybrid paper: conditions, variants, and how long training takes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from inarow.lab.speed import WORK as SPEED_WORK
from inarow.papers.hybrid import losses
from inarow.papers.published import Published
from inarow.papers.results import Stored
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, Condition, Part
from inarow.papers.variants import Variants, read_variants

FOLDER = Path(__file__).parent
PUBLISHED = Published(FOLDER / "published.toml")
value = PUBLISHED.value

TRAINERS = ("attack-defense", "random", "defense-attack", "attack", "defense", "combined")
BEST, OTHERS = TRAINERS[0], TRAINERS[1:]
T3, C4 = "tictactoe", "connect4:4x4"
GAMES = {T3: "Tic-tac-toe", C4: "Connect-4 on 4x4"}
RUNS, MOST, STOP = value("runs"), value("most-games"), value("stop-games")
TESTS, WINDOW = value("test-games"), value("window")
RANDOM_TEST = f"games:random:{TESTS}:second"


def parameters(game: str, trainer: str, **changes: object) -> Stored:
    """A training run and its tests as the paper describes them, or with some changes."""
    tests = [RANDOM_TEST, "expert", "exact:random", "certificate"]
    return {
        "game": game, "learner": "td", "against": trainer, "games": MOST, "stop_games": STOP,
        "record": losses.RECORD, "evaluations": tests, **changes,
    }  # fmt: skip


FEW = {QUICK: 4, PAPER_SCALE: RUNS}
CONDITIONS = [
    Condition(
        {"game": game, "trainer": trainer},
        parameters(game, trainer),
        runs=FEW if game == C4 else None,
    )
    for game in GAMES
    for trainer in TRAINERS
]


VARIANTS = Variants(read_variants(FOLDER / "variants.toml")["all"])


def variant_conditions(scale: str) -> list[Condition]:
    """Without the curves that the base has; few of them at the quick scale."""
    games = (T3,) if scale == QUICK else tuple(GAMES)
    trainers = (BEST, "defense", "combined") if scale == QUICK else TRAINERS
    found = []
    for game in games:
        for trainer in trainers:
            for variant in VARIANTS.all:
                if trainer not in variant.without:
                    changes = dict(variant.changes)
                    player = f"{trainer}{changes.pop('scan', '')}"
                    tests = {"record": 0, "evaluations": [RANDOM_TEST, "expert"]}
                    found.append(
                        Condition(
                            {"game": game, "trainer": trainer, "variant": variant.name},
                            parameters(game, player, **tests, **changes),
                        )
                    )
    return found


# Ties between moves, taken literally; tests are exact, since a million games take longer

LETTER_CONDITIONS = [
    Condition(
        {"game": C4, "trainer": trainer},
        parameters(
            C4, trainer, ties="first-unless-all", record=0,
            evaluations=["expert", "exact:random", "certificate"],
        ),
    )
    for trainer in TRAINERS
]  # fmt: skip
SPEED_CONDITIONS = [
    Condition(
        {"game": game, "trainer": trainer},
        {"game": game, "learner": "td", "against": trainer},
        SPEED_WORK,
    )
    for game in GAMES
    for trainer in TRAINERS
]


PARTS = (
    Part(
        "all", "Tables 1 to 4, Figures 3 to 14", CONDITIONS, {QUICK: 10, PAPER_SCALE: RUNS},
        partial(losses.read, most=MOST, window=WINDOW),
        partial(losses.facts, most=MOST, stop=STOP),
    ),
    Part(
        "variants", "variants, each changing one thing that the paper leaves open",
        variant_conditions, {QUICK: 4, PAPER_SCALE: RUNS}, losses.read_finals,
    ),
    Part(
        "ties", "Connect-4: a random move only if all moves are equal, else the first best",
        LETTER_CONDITIONS, {QUICK: 4, PAPER_SCALE: RUNS},
    ),
    Part(
        "speed", "training games per CPU-second", SPEED_CONDITIONS, {QUICK: 1, PAPER_SCALE: 1}
    ),
)  # fmt: skip
