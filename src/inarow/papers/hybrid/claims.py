"""What the hybrid paper publishes, and how each number and claim is tested."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inarow.lab.statistics import Floats
from inarow.papers.claims import (
    Claim,
    ClaimTest,
    Column,
    Costs,
    Means,
    Shares,
    above,
    always,
    below,
    between,
    equal,
    joint,
)
from inarow.papers.figures import CurvePoint
from inarow.papers.hybrid import exact
from inarow.papers.hybrid.study import (
    BEST,
    CONNECT4,
    MAX_GAMES,
    OTHERS,
    PUBLISHED,
    RUNS,
    STOP_GAMES,
    TESTS,
    TICTACTOE,
    TRAINERS,
    WINDOW,
)
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    ResultRow,
    computed,
    curve,
    exactly,
    final,
    from_summary,
    from_values,
    share,
)
from inarow.papers.published import Entry
from inarow.papers.speed import SPEED
from inarow.papers.verdicts import NOT_RUN, Judged

value = PUBLISHED.value
SHORT_WINDOW = 1_000  # beside the published one

# Measures


@Measure
def run_seconds(data: Data, **labels: Label) -> Measured | None:
    """Return CPU-seconds of training, by run: its games at the speed measured on one core."""
    speed, run = data.row(part="speed", **labels), data.row(**labels)
    if speed is None or run is None:
        return None
    rate = from_values(speed["finals"][SPEED]).mean
    return from_values([games / rate for games in run["finals"]["games"]])


@Measure
def training_seconds(data: Data, **labels: Label) -> Measured | None:
    """Return CPU-seconds of training a mean run."""
    found = run_seconds(data, **labels)
    return None if found is None else exactly(found.mean)


@Measure
def crossing(data: Data, **_: Label) -> Measured | None:
    """Return after how many games attack-defense loses less than random in tic-tac-toe."""
    found = crossing_of(data, TICTACTOE, WINDOW)
    return None if found is None else exactly(found)


def crossing_reason(data: Data) -> str:
    """Say what a shorter window shows."""
    found = crossing_of(data, TICTACTOE, SHORT_WINDOW)
    if found is None:
        return "nor do the curves cross with a window of 1,000 games"
    return (
        f"with a window of {SHORT_WINDOW:,} games, shorter than the paper's, they cross after "
        f"{found:,}"
    )


def crossing_of(data: Data, game: str, window: int) -> int | None:
    """Return after how many games attack-defense loses less than random in a window, if ever.

    Before the window is full, all games so far count.
    """
    rows = [data.row(game=game, trainer=trainer) for trainer in (BEST, "random")]
    if rows[0] is None or rows[1] is None:
        return None
    games = np.array(rows[0]["curve"]["games"])
    before = np.searchsorted(games, games - window, side="right")
    ours, theirs = (
        lost - np.concatenate([[0.0], lost])[before]
        for lost in (means_of(row["curve"]["lost"]) for row in rows if row)
    )
    fewer = np.flatnonzero(ours < theirs)
    return int(games[fewer[0]]) if len(fewer) else None


def means_of(points: Sequence[CurvePoint]) -> Floats:
    """Return the means of a curve, whether it has errors or not."""
    return np.array([point[0] if isinstance(point, list) else point for point in points])


def lost_between(row: ResultRow, start: int, end: int) -> Measured | None:
    """Return the share lost of the games from one number of Figure 4 to the next, by run.

    Up to 10,000 games Figure 4's ratio is that of all games so far, so both give it.
    """
    shares = row.get("histograms", {})
    if not {str(start), str(end)} <= {*shares}:
        return None
    if start == 10_000:  # the window itself
        return from_values(shares[str(end)])
    before = np.array(shares[str(start)])
    return from_values((end * np.array(shares[str(end)]) - start * before) / (end - start))


# The numbers of Figure 4 on both sides of 5,000 games, from 500 to 20,000.
PIECES = ((500, 1_000), (1_000, 5_000), (5_000, 10_000), (10_000, 20_000))


@Measure
def steepness(data: Data, **_: Label) -> Measured | None:
    """Return how much steeper the log curve of losses falls from 500 to 5,000 games than after.

    In decades of the ratio a decade of games; games of a piece are taken at its geometric mean.
    """
    row = data.row(game=TICTACTOE, trainer=BEST)
    found = [row and lost_between(row, *piece) for piece in PIECES]
    rates = [rate for rate in found if rate and rate.mean > 0]
    if len(rates) < len(PIECES):
        return None
    places = [math.log10(start * end) / 2 for start, end in PIECES]
    logs = np.log10([rate.mean for rate in rates])
    errors = np.array([(rate.stderr or 0.0) / rate.mean / math.log(10) for rate in rates])
    weights = np.array([1.0, -1.0, -1.0, 1.0])
    weights[:2] /= places[1] - places[0]
    weights[2:] /= places[3] - places[2]
    error = float(np.sqrt(((weights * errors) ** 2).sum()))
    return from_summary(float(weights @ logs), error, rates[0].runs)


@Measure
def boards_out_of_order(data: Data, **_: Label) -> Measured | None:
    """Count boards of Figure 3 on which a losing move has as high a utility as one that draws."""
    example = data.fact("example_games")
    if example is None:
        return None
    wrong = 0
    for board in (b for one in example["games"].values() for b in one["boards"]):
        moves, utilities = exact.values_of_moves(board["stones"]), board["utilities"]
        losing = [utilities[move] for move, value in moves.items() if value > 0]
        holding = [utilities[move] for move, value in moves.items() if value <= 0]
        wrong += bool(losing and holding) and max(losing) >= min(holding)
    return exactly(wrong)


GAMES_PLAYED, PERFECT = final("games"), share("perfect")
LOST_RANDOM, LOST_EXPERT = final("lost against random"), final("lost against expert")
WON_RANDOM = final("won against random")
RATIO, LOST = curve("curve.ratio", "curve.games"), curve("curve.lost", "curve.games")
LATELY = LOST.at(MAX_GAMES) - LOST.at(MAX_GAMES - 100_000)  # lost in the last games of all

# Numbers

LABELS = ("game", "trainer")
GAMES_COLUMN = Column(
    PUBLISHED["table-1-games"], LABELS, GAMES_PLAYED, Means(RUNS, least=0, most=MAX_GAMES)
)
LOST_COLUMN = Column(PUBLISHED["table-3"], LABELS, LOST_RANDOM, Means(RUNS, least=0))
EXPERT_COLUMN = Column(PUBLISHED["table-4"], LABELS, LOST_EXPERT, Means(RUNS, least=0))
COLUMNS = (
    GAMES_COLUMN,
    Column(PUBLISHED["table-1-seconds"], LABELS, training_seconds, Costs()),
    Column(PUBLISHED["table-2"], LABELS, PERFECT, Shares(RUNS)),
    LOST_COLUMN,
    EXPERT_COLUMN,
)
SAMPLED = tuple(column for column in COLUMNS if not isinstance(column.test, Costs))
TABLE_NAMES = {
    "table-1-games": ("Table 1: training games", "games"),
    "table-1-seconds": ("Table 1: training time, s", "seconds"),
    "table-2": ("Table 2: perfect runs, %", "perfect, %"),
    "table-3": ("Table 3: games lost to random, of 1M", "lost to random"),
    "table-4": ("Table 4: games lost to the expert", "lost to expert"),
}
HEADS = tuple(TABLE_NAMES[column.entry.name][1] for column in SAMPLED)

# Claims


@ClaimTest
def literal_ties_agree(data: Data, _: Entry) -> Judged:
    """Test whether the training games of Connect-4, all trainers together, then agree."""
    numbers = GAMES_COLUMN.entry.numbers[CONNECT4]
    span = max(numbers.values()) - min(numbers.values())
    found = {t: GAMES_PLAYED(data, part="ties", game=CONNECT4, trainer=t) for t in TRAINERS}
    judged = [GAMES_COLUMN.test(numbers[t], ours, span) for t, ours in found.items() if ours]
    return joint(judged) if len(judged) == len(TRAINERS) else Judged(NOT_RUN)


def stops_losing(name: str) -> ClaimTest:
    """Test whether most runs lose no more after the published number of games."""
    within = share("games", lambda played: played <= value(name) + STOP_GAMES, trainer=BEST)
    return above(within.where(game=TICTACTOE if name.endswith("tictactoe") else CONNECT4), 50)


def lost_by(name: str, game: str = TICTACTOE) -> Measure:
    """Return the games lost by the number of games that a claim is about."""
    return LOST.at(value(name)).where(game=game)


def fewest(measure: Measure, game: str) -> ClaimTest:
    """Test whether attack-defense has fewer of something than every other trainer."""
    return measure.where(game=game).apart(by="trainer", higher=OTHERS, lower=[BEST])


def worse_at_first(name: str, game: str) -> ClaimTest:
    """Test whether attack-defense has lost more than the others after the published games."""
    return lost_by(name, game).apart(by="trainer", higher=[BEST], lower=OTHERS)


def lost_most(game: str) -> ClaimTest:
    """Test whether agents of random and attack have lost more games in all than the others."""
    lower = [BEST, "defense-attack", "defense", "combined"]
    lost = LOST.at(MAX_GAMES).where(game=game)
    return lost.apart(by="trainer", higher=["random", "attack"], lower=lower)


ATTACKING, REST = (BEST, "attack", "combined"), ("random", "defense-attack", "defense")
WEAK4 = ("random", "attack", "defense", "combined")  # in Connect-4
OF_BEST = {"game": TICTACTOE, "trainer": BEST}
NEVER_LOST = share("lost against expert", lambda lost: lost == 0, trainer=BEST)
CLAIMS: dict[str, ClaimTest | Claim] = {
    "fewer-than-100k": below(GAMES_PLAYED.where(**OF_BEST)),
    "perfect-in-all-runs": always(share("unbeatable as second", **OF_BEST)),
    "fewest-games-tictactoe": fewest(GAMES_PLAYED, TICTACTOE),
    "fewest-games-connect4": fewest(GAMES_PLAYED, CONNECT4),
    "least-time-tictactoe": fewest(run_seconds, TICTACTOE),
    "least-time-connect4": fewest(run_seconds, CONNECT4),
    "best-connect4-random": fewest(LOST_RANDOM, CONNECT4),
    "best-connect4-expert": fewest(LOST_EXPERT, CONNECT4),
    "best-connect4-perfect": PERFECT.where(game=CONNECT4).apart(
        by="trainer", higher=[BEST], lower=OTHERS
    ),
    "expert-never-tictactoe": always(NEVER_LOST.where(game=TICTACTOE)),
    "expert-never-connect4": equal(NEVER_LOST.where(game=CONNECT4), Shares(RUNS, margin=5)),
    "others-lose-to-expert": above(LOST_EXPERT.where(game=TICTACTOE).lowest(trainer=OTHERS), 0),
    "stops-losing": always(share("games", lambda played: played < MAX_GAMES, **OF_BEST)),
    "zero-losses-tictactoe": stops_losing("zero-losses-tictactoe"),
    "zero-losses-connect4": stops_losing("zero-losses-connect4"),
    "combined-first-20k": lost_by("combined-first-20k").apart(
        by="trainer", higher=[BEST], lower=["combined"]
    ),
    "combined-residual": RATIO.at(value("combined-residual"))
    .where(game=TICTACTOE)
    .apart(by="trainer", higher=["combined"], lower=[BEST]),
    "worse-at-first": worse_at_first("worse-at-first", TICTACTOE),
    "worse-at-first-connect4": worse_at_first("worse-at-first-connect4", CONNECT4),
    "steepest": above(steepness),
    "crossover": Claim(PUBLISHED["crossover"], between(crossing, 1_500, 2_500), crossing_reason),
    "random-first-2000": lost_by("random-first-2000").apart(
        by="trainer", higher=[one for one in TRAINERS if one != "random"], lower=["random"]
    ),
    "random-attack-lose-most": lost_most(TICTACTOE),
    "random-attack-lose-most-connect4": lost_most(CONNECT4),
    "others-never-flat": above(LATELY.where(game=TICTACTOE).lowest(trainer=OTHERS)),
    "best-convergence-connect4": LATELY.where(game=CONNECT4).apart(
        by="trainer", higher=WEAK4, lower=[BEST, "defense-attack"]
    ),
    "not-flat-connect4": above(LATELY.where(game=CONNECT4, trainer=BEST)),
    "poor-against-random": LOST_RANDOM.where(game=TICTACTOE).apart(
        by="trainer", higher=["random", "defense"], lower=ATTACKING
    ),
    "attack-better-against-expert": LOST_EXPERT.where(game=TICTACTOE).apart(
        by="trainer", higher=REST, lower=ATTACKING
    ),
    "fewer-wins": WON_RANDOM.where(game=TICTACTOE).apart(
        by="trainer", higher=["random", "attack"], lower=[BEST]
    ),
    "combined-worse-random": LOST_RANDOM.where(game=TICTACTOE).apart(
        by="trainer", higher=["combined"], lower=[BEST]
    ),
    "combined-worse-expert": LOST_EXPERT.where(game=TICTACTOE).apart(
        by="trainer", higher=["combined"], lower=[BEST]
    ),
    "subtler-connect4": above(
        LOST_RANDOM.where(game=TICTACTOE).spread(trainer=TRAINERS)
        - LOST_RANDOM.where(game=CONNECT4).spread(trainer=TRAINERS),
        0,
    ),
    "second-best": GAMES_PLAYED.where(game=CONNECT4).apart(
        by="trainer", higher=WEAK4, lower=["defense-attack"]
    ),
    "defense-attack-worse": LOST_RANDOM.where(game=TICTACTOE).apart(
        by="trainer", higher=["defense-attack"], lower=ATTACKING
    ),
    "orders-of-magnitude": above(
        GAMES_PLAYED.where(game=TICTACTOE, trainer="combined") / GAMES_PLAYED.where(**OF_BEST)
    ),
    "winning-final-positions": between(computed(exact.won_ratio), 1.8, 2),
    "drawn-tictactoe": equal(computed(lambda: exact.game_value(TICTACTOE))),
    "drawn-connect4": equal(computed(lambda: exact.game_value(CONNECT4))),
    "drawn-5x4": equal(computed(lambda: exact.solved_value("connect4:4x5"))),
    "drawn-5x5": equal(computed(lambda: exact.solved_value("connect4:5x5"))),
    "drawn-6x5": equal(computed(lambda: exact.solved_value("connect4:5x6"))),
    "first-player-wins-7x6": equal(computed(lambda: exact.solved_value("connect4:6x7"))),
    "any-opening": equal(computed(exact.drawing_openings)),
    "sequence-states": equal(computed(lambda: exact.fillings(TICTACTOE))),
    "estimates": equal(boards_out_of_order),
    "states-tictactoe": equal(computed(lambda: exact.positions(TICTACTOE))),
    "states-connect4": between(computed(lambda: exact.positions_without_ends(CONNECT4))),
    "states-factor": between(
        computed(lambda: exact.positions(CONNECT4) / exact.positions(TICTACTOE)), 27, 33
    ),
    "potential-states": equal(
        computed(lambda: exact.fillings(CONNECT4) / exact.fillings(TICTACTOE))
    ),
    "share-lost": between(
        computed(lambda: LOST_COLUMN.entry.numbers[CONNECT4][BEST] / TESTS * 100), 0.0175, 0.0176
    ),
    "ties": literal_ties_agree,
}
