"""What the hybrid paper publishes, and how each number and claim is tested."""

from __future__ import annotations

from functools import partial

from inarow.game import game as game_of
from inarow.papers.claims import Claim, Column, above, always, apart, below, between, equal
from inarow.papers.hybrid import extra, games
from inarow.papers.hybrid.runs import (
    BEST,
    C4,
    MOST,
    OTHERS,
    PUBLISHED,
    RUNS,
    STOP,
    T3,
    TESTS,
    TRAINERS,
    WINDOW,
)
from inarow.papers.measures import (
    Data,
    Label,
    computed,
    curve_at,
    difference,
    final,
    ratio,
    share,
)
from inarow.papers.number_tests import Costs, Exactly, Means, Shares, joint
from inarow.papers.published import Entry
from inarow.papers.verdicts import NOT_RUN, OURS, Judged

take = PUBLISHED.take

# Numbers

GAMES_PLAYED, PERFECT = final("games"), share("perfect")
LOST_RANDOM, LOST_EXPERT = final("lost against random"), final("lost against expert")
LABELS = ("game", "trainer")
COLUMNS = (
    Column(take("table-1-games"), LABELS, GAMES_PLAYED, Means(RUNS, least=0, most=MOST)),
    Column(
        take("table-1-seconds"), LABELS, extra.training_seconds, Costs(), digits=2, part="speed"
    ),
    Column(take("table-2"), LABELS, PERFECT, Shares(RUNS)),
    Column(take("table-3"), LABELS, LOST_RANDOM, Means(RUNS, least=0), digits=1),
    Column(take("table-4"), LABELS, LOST_EXPERT, Means(RUNS, least=0), digits=2),
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

# The sentence on ties between moves, taken literally


def by_the_letter(data: Data, entry: Entry) -> Judged:
    """Whether the training games of Connect-4, all trainers together, then agree."""
    del entry
    column = COLUMNS[0]
    numbers = column.entry.numbers[C4]
    span = max(numbers.values()) - min(numbers.values())
    found = {t: GAMES_PLAYED(data, part="ties", game=C4, trainer=t) for t in TRAINERS}
    judged = [column.test(numbers[t], ours, span) for t, ours in found.items() if ours]
    return joint(judged) if len(judged) == len(TRAINERS) else Judged(NOT_RUN)


LETTER = Claim(
    Entry("ties", "Our question", text="Connect-4: training games of all trainers together agree "
          "with the paper if a move is random only where all moves are equal"),
    by_the_letter, part="ties", kind=OURS,
    reason="this does not explain the published numbers either",
)  # fmt: skip

# Claims

ATTACKING, REST = (BEST, "attack", "combined"), ("random", "defense-attack", "defense")
by_trainer = partial(apart, label="trainer")
own: dict[str, Label] = {"game": T3, "trainer": BEST}
own4: dict[str, Label] = {"game": C4, "trainer": BEST}
lost_at = partial(curve_at, "curve.lost", key="curve.games")
LATELY = difference(lost_at(MOST), lost_at(MOST - 100_000))  # lost in the last games of all
ratio_at = partial(curve_at, "curve.ratio", key="curve.games")
LOST_EXPERT_NEVER = partial(share, "lost against expert", lambda lost: lost == 0)
NEXT = final("games", game=T3, trainer="combined")
CLAIMS = (
    Claim(take("fewer-than-100k"), below(final("games", **own)), "games"),
    Claim(take("perfect-in-all-runs"), always(share("unbeatable as second", **own)), "%", 1),
    Claim(
        take("fewest-games-tictactoe"),
        by_trainer(GAMES_PLAYED, higher=OTHERS, lower=(BEST,), game=T3),
    ),
    Claim(
        take("fewest-games-connect4"),
        by_trainer(GAMES_PLAYED, higher=OTHERS, lower=(BEST,), game=C4),
    ),
    Claim(
        take("best-connect4-random"),
        by_trainer(LOST_RANDOM, higher=OTHERS, lower=(BEST,), game=C4),
        digits=1,
    ),
    Claim(
        take("best-connect4-expert"),
        by_trainer(LOST_EXPERT, higher=OTHERS, lower=(BEST,), game=C4),
        digits=2,
    ),
    Claim(
        take("best-connect4-perfect"),
        by_trainer(PERFECT, higher=(BEST,), lower=OTHERS, game=C4),
        "points",
        1,
    ),
    Claim(take("expert-never-tictactoe"), always(LOST_EXPERT_NEVER(**own)), "%", 1),
    Claim(
        take("expert-never-connect4"), always(LOST_EXPERT_NEVER(**own4)), "%", 1,
        "one losing run is enough to refute it",
    ),
    Claim(
        take("others-lose-to-expert"),
        above(final("lost against expert", game=T3, trainer="combined"), 0),
        "games",
        2,
    ),
    Claim(take("stops-losing"), always(share("games", lambda n: n < MOST, **own)), "%", 1),
    *(
        Claim(
            take(f"zero-losses-{name}"),
            above(share("games", lambda played: played <= 100_000 + STOP, **labels), 50),
            "%",
            1,
            "the paper's own Table 1 contradicts it, too",
        )
        for name, labels in (("tictactoe", own), ("connect4", own4))
    ),
    Claim(
        take("combined-first-20k"),
        by_trainer(ratio_at(20_000), higher=(BEST,), lower=("combined",), game=T3),
        digits=4,
    ),
    *(
        Claim(
            take(name), by_trainer(lost_at(1_000), higher=(BEST,), lower=OTHERS, game=game),
            "games", 1,
        )
        for name, game in (("worse-at-first", T3), ("worse-at-first-connect4", C4))
    ),
    Claim(take("steepest"), above(extra.steepness), "decades per decade", 2),
    Claim(
        take("crossover"), between(extra.crossing(WINDOW), 1_500, 2_500), "games", 0,
        extra.crossing_reason,
    ),
    Claim(
        take("random-first-2000"),
        by_trainer(
            lost_at(2_000), higher=tuple(t for t in TRAINERS if t != "random"), lower=("random",),
            game=T3,
        ),
        "games",
        1,
    ),
    *(
        Claim(
            take(name),
            by_trainer(
                lost_at(MOST), higher=("random", "attack"),
                lower=(BEST, "defense-attack", "defense", "combined"), game=game,
            ),
            "games",
        )
        for name, game in (
            ("random-attack-lose-most", T3), ("random-attack-lose-most-connect4", C4)
        )
    ),
    Claim(take("others-never-flat"), above(extra.lowest(LATELY, OTHERS, game=T3)), "games", 1),
    Claim(
        take("best-convergence-connect4"),
        by_trainer(
            LATELY, higher=("random", "attack", "defense", "combined"),
            lower=(BEST, "defense-attack"), game=C4,
        ),
        "games",
        1,
    ),
    Claim(take("not-flat-connect4"), above(partial(LATELY, **own4)), "games", 1),
    Claim(
        take("poor-against-random"),
        by_trainer(LOST_RANDOM, higher=("random", "defense"), lower=ATTACKING, game=T3),
        "games",
    ),
    Claim(
        take("attack-better-against-expert"),
        by_trainer(LOST_EXPERT, higher=REST, lower=ATTACKING, game=T3),
        "games",
        2,
    ),
    Claim(
        take("fewer-wins"),
        by_trainer(
            final("won against random"), higher=("random", "attack"), lower=(BEST,), game=T3
        ),
        "games",
    ),
    Claim(
        take("combined-worse-random"),
        by_trainer(LOST_RANDOM, higher=("combined",), lower=(BEST,), game=T3),
        "games",
    ),
    Claim(
        take("combined-worse-expert"),
        by_trainer(LOST_EXPERT, higher=("combined",), lower=(BEST,), game=T3),
        "games",
        2,
    ),
    Claim(
        take("subtler-connect4"),
        above(difference(
            extra.spread(LOST_RANDOM, TRAINERS, game=T3),
            extra.spread(LOST_RANDOM, TRAINERS, game=C4),
        ), 0),
        "games per 1M",
    ),
    Claim(
        take("second-best"),
        by_trainer(
            GAMES_PLAYED, higher=("random", "attack", "defense", "combined"),
            lower=("defense-attack",), game=C4,
        ),
        "games",
    ),
    Claim(
        take("orders-of-magnitude"), above(ratio(NEXT, final("games", **own))), "times", 1,
        "the paper's own Table 1 contradicts it, too",
    ),
    Claim(
        take("winning-final-positions"), between(computed(games.won_ratio), 1.8, 2), "times", 2
    ),
    Claim(take("drawn-tictactoe"), equal(computed(lambda: games.game_value(T3)))),
    Claim(take("drawn-connect4"), equal(computed(lambda: games.game_value(C4)))),
    *(
        Claim(take(name), equal(computed(partial(games.solved_value, f"connect4:{board}"))))
        for name, board in (
            ("drawn-5x4", "4x5"), ("drawn-5x5", "5x5"), ("drawn-6x5", "5x6"),
            ("first-player-wins-7x6", "6x7"),
        )
    ),
    Claim(take("any-opening"), equal(computed(games.drawing_openings)), "openings"),
    Claim(take("sequence-states"), equal(computed(lambda: 3 ** game_of(T3).cells)), "states"),
    Claim(
        take("estimates"), equal(extra.boards_out_of_order), "boards", 0,
        "moves that are no longer tried keep a utility near zero, whatever their true value",
    ),
    Claim(take("states-tictactoe"), equal(computed(lambda: games.positions(T3))), "states"),
    Claim(
        take("states-connect4"),
        between(computed(lambda: games.positions_without_ends(C4)), 180_000, 200_000), "states",
    ),
    Claim(
        take("states-factor"),
        between(computed(lambda: games.positions(C4) / games.positions(T3)), 27, 33),
        "times",
        1,
    ),
    Claim(
        take("potential-states"),
        equal(computed(lambda: 3 ** game_of(C4).cells / 3 ** game_of(T3).cells)),
        "times",
        0,
        "the paper divides the number of ways to fill the larger board by the reachable "
        "positions of the smaller",
    ),
    Claim(
        take("first-moves"), equal(computed(lambda: game_of(T3).cells)), "moves", 0,
        "the board has nine cells",
    ),
    Claim(
        take("share-lost"),
        equal(computed(lambda: COLUMNS[3].entry.numbers[C4][BEST] / TESTS * 100), Exactly(4)),
        "%",
        4,
        "a rounding error: our value is computed from the paper's Table 3",
    ),
    LETTER,
)  # fmt: skip
