"""Opponents that learn too: self-play of the policy gradient, and two SARSA agents.

The paper trains against fixed policies, since "the agent will perform poorly if his opponent can
also learn". Here the opponent learns: the policy gradient plays itself, in two, three and four
dimensions, and two SARSA agents train each other in turns, in two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from inarow.game.position import SIDES
from inarow.lab.evaluation import evaluate
from inarow.lab.training.run import Run
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    ResultRow,
    curve_end,
    from_summary,
    from_values,
    subtract,
)
from inarow.papers.n_dimensional.exact import ENDS, OPPONENTS
from inarow.papers.n_dimensional.study import (
    BASE,
    CUBE,
    FOUR,
    GAMES,
    PLANE,
    POLICY_SEED,
    PRINTED_SARSA,
    SHORT,
    read_policy,
)
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Request, shorter
from inarow.papers.tables import Grid, Made, PaperTable, Table, list_text, plus_minus, significant

LEARNING, ITSELF, ALIKE = "learning-opponent", "itself", "another that learns"
TESTED = ("random", "advanced")
TRAINING_GAMES = {PLANE: SHORT, CUBE: SHORT, FOUR: 2_000}
TESTS = 500  # games against each, where tests are not exact


def conditions(scale: str) -> list[Condition]:
    """Return the policy gradient against fixed opponents and against itself, for as many games."""
    return [
        Condition(
            {"game": game, "trainer": trainer},
            {
                "game": game, "learner": "reinforce",
                "against": None if trainer == ITSELF else trainer,
                "games": games // (4 if scale == QUICK else 1),
                "evaluations": [
                    f"exact:{o}" if game == PLANE else f"games:{o}:{TESTS}" for o in TESTED
                ],
            },
        )
        for (game, games), trainer in product(TRAINING_GAMES.items(), (*TESTED, ITSELF))
    ]  # fmt: skip


# Two SARSA agents that train each other: one learns while the other plays what it has learned

TURNS = {TINY: 2, QUICK: 20, PAPER_SCALE: 40}  # of each
PAIRS = {TINY: 2, QUICK: 4, PAPER_SCALE: 10}


def facts(request: Request) -> ResultRow:
    """Return how pairs of SARSA agents end, against fixed opponents, each on its own side."""
    pairs, turns = PAIRS[request.scale], TURNS[request.scale]
    games = 100 if request.scale == TINY else SHORT
    found = [play_pair(seed, games, turns) for seed in range(pairs)]
    return {
        "episodes": games,
        "turns": turns,
        "shares": {name: [pair[name] for pair in found] for name in found[0]},
    }


def play_pair(seed: int, games: int, turns: int) -> dict[str, float]:
    """Train two agents against each other, and return the chances of the ends of their games."""
    options = {**PRINTED_SARSA, "episodes": games}
    runs = [Run(PLANE, "sarsa", {**options, "side": "first"}, "random", seed)]
    runs.append(Run(PLANE, "sarsa", {**options, "side": "second"}, "random", seed + 1_000))
    for _ in range(turns):
        for own, other in ((0, 1), (1, 0)):
            arrays, made = runs[own].training.arrays, runs[own]
            runs[own] = Run(PLANE, made.learner, {}, runs[other].agent, made.seed)
            runs[own].training.restore(arrays)
            runs[own].training.play(games // turns)
    found = {}
    for side, run in zip(SIDES, runs, strict=True):
        for opponent in OPPONENTS:
            values = evaluate(run.agent, f"exact:{opponent}", 0)
            for end in ENDS:
                name = f"{end} as {side} against {opponent}"
                found[name] = float(values[f"chance {name}"])
    return found


# Measures and tables


def at_end(opponent: str, end: str) -> Measure:
    """Return the per cent of games of the policy gradient that end so, after all its training."""
    return curve_end(f"shares.{opponent}.{end}", part=LEARNING)


def sarsa_share(name: str) -> Measure:
    """Return the per cent of games of SARSA, by trainer: a fixed one, or another that learns."""

    def read(data: Data, trainer: str, **_: Label) -> Measured | None:
        if trainer == ALIKE:
            values: Sequence[float] | None = data.fact("shares", name, part=LEARNING)
            return None if values is None else from_values([100 * value for value in values])
        row = data.row(variant=BASE, trainer=trainer, episodes=SHORT)
        if row is None:
            return None
        mean, error = row["shares"][name][:2]
        return from_summary(mean, error, row["runs"]).times(100)

    return Measure(read)


def lost_more(data: Data) -> list[tuple[str, str, Measured]]:
    """Return how many more per cent of games are lost after training on an opponent that learns.

    Each test is against the fixed opponent that the agent compared with was trained on.
    """
    asked = [
        (f"{name}, policy gradient", o, at_end(o, "lost").where(game=game), ITSELF)
        for (game, name), o in product(GAMES.items(), TESTED)
        if game in TRAINING_GAMES
    ] + [
        (f"{GAMES[PLANE]}, SARSA as {side}", o, sarsa_share(f"lost as {side} against {o}"), ALIKE)
        for side, o in product(SIDES, OPPONENTS)
    ]
    found = []
    for agent, opponent, measure, learning in asked:
        pair = [measure(data, trainer=trainer) for trainer in (learning, opponent)]
        if pair[0] is not None and pair[1] is not None:
            found.append((agent, opponent, subtract(pair[0], pair[1])))
    return found


def lost_more_table(data: Data) -> Table | None:
    """Return these differences with their intervals."""
    heads = ("agent", "tested on", "lost more, percentage points", "95% interval")
    lines = []
    for agent, opponent, found in lost_more(data):
        ends = found.interval
        interval = " to ".join(significant(end, 1) for end in ends) if ends else ""
        lines.append((agent, opponent, significant(found.mean, 1), interval))
    title = "Games lost: trained on an opponent that learns, minus trained on that of the test"
    return Table(heads, tuple(lines), title, (0, 1)) if lines else None


def said(data: Data) -> ResultRow:
    """Count in how many of these comparisons more is lost, or less; with the most, and the games.

    A comparison counts if its interval is on one side of zero.
    """
    compared = lost_more(data)
    intervals = [found.interval for *_, found in compared]
    rows = {name: data.row(part=LEARNING, game=g, trainer=ITSELF) for g, name in GAMES.items()}
    agent, opponent, most = max(compared, key=lambda one: one[2].mean, default=("", "", None))
    return {
        "more": sum(ends is not None and ends[0] > 0 for ends in intervals),
        "less": sum(ends is not None and ends[1] < 0 for ends in intervals),
        "of": len(intervals),
        "most": {"agent": agent, "opponent": opponent, "by": most.mean if most else 0.0},
        "games": list_text([f"{row['games'][-1]:,} ({name})" for name, row in rows.items() if row]),
    }


def text(measured: Measured) -> str:
    """Write mean and standard error."""
    return plus_minus(measured, 1)


PART = Part(
    LEARNING, "an opponent that learns too: the policy gradient, and two SARSA agents",
    conditions, {TINY: 2, QUICK: 2, PAPER_SCALE: 5}, read_policy, facts, POLICY_SEED,
    tiny=shorter(60, 20), judged=(PAPER_SCALE,), own=True, keeps=lambda condition: False,
)  # fmt: skip
TABLES: dict[str, PaperTable] = {
    "lost-more": Made(lost_more_table, LEARNING),
    **{
        f"learning-{name}": Grid(
            f"{name}: policy gradient, per cent of games",
            "trained on", {t: {"game": game, "trainer": t} for t in (*TESTED, ITSELF)},
            {f"{e}, {o}": at_end(o, e) for o in TESTED for e in ("won", "lost")},
            text, part=LEARNING,
        )
        for game, name in GAMES.items()
        if game in TRAINING_GAMES
    },
    **{
        f"rivals-{side}": Grid(
            f"{GAMES[PLANE]}: SARSA as {side}, per cent of games",
            "trained on", {t: {"trainer": t} for t in (*OPPONENTS, ALIKE)},
            {f"{e}, {o}": sarsa_share(f"{e} as {side} against {o}")
             for o in TESTED for e in ("won", "lost")},
            text, part=LEARNING,
        )
        for side in SIDES
    },
}  # fmt: skip
