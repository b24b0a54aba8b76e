"""What the Connect Four paper publishes, and how each number and claim is tested."""

from __future__ import annotations

import math
from functools import partial

from inarow.lab.minimax_work import KEEPING, OURS
from inarow.lab.ntuple_work import AGAINST_MINIMAX, MINIMAX, SCORE
from inarow.papers.claims import Claim, Column, above, apart, below, between, equal
from inarow.papers.connect_four import extra, runs
from inarow.papers.measures import Label, computed, fact, final, share
from inarow.papers.number_tests import Costs
from inarow.papers.published import Entry
from inarow.papers.verdicts import OURS as OUR_OWN
from inarow.papers.verdicts import SMALLER

take = runs.PUBLISHED.take
pairs: dict[str, Label] = {"part": "tdl", "referee": runs.OTHER, "rule": runs.AT_MOST}
ours = {"program": OURS, "depth": runs.DEPTH}
CELLS = {board: float(rows * columns) for board, (rows, columns) in runs.BOARDS.items()}
WIDTHS = {board: float(columns) for board, (_, columns) in runs.BOARDS.items()}
# What scores of the same agents differ by, on average, if every game is won half of the time.
CHANCE = 2 * math.sqrt(runs.EVALUATED / 4 / math.pi)

COLUMNS = (
    Column(take("time"), ("board",), extra.one("seconds", 1 / 60, **ours), Costs(), 1),
    Column(take("heap"), ("board",), extra.one("allocated bytes", 1e-9, **ours), Costs(SMALLER), 1),
)
VISITS = extra.growth(extra.visits(), WIDTHS, program=KEEPING, depth=runs.DEPTH)
IN_ALL, TIME = extra.one("allocated bytes"), extra.one("seconds")
by_trainer = partial(apart, label="trainer", part="trainers")
POSITIONS = 4_531_985_219_092  # of 6x7 (Edelkamp and Kissmann 2008)
OWN = "Ours"  # no place in the paper


def output_claim(gamma: float) -> Claim:
    """That tanh makes networks worse: asked on tuples that did not suggest it."""
    linear, tanh = ({"part": "outputs", "gamma": gamma, "output": o} for o in ("linear", "tanh"))
    entry = Entry(
        f"linear-{gamma:g}", OWN, text=f"networks without tanh score higher, gamma {gamma:g}"
    )
    test = above(extra.better(SCORE, linear, tanh), 0)
    return Claim(entry, test, "per game", 3, part="outputs", kind=OUR_OWN)


CLAIMS = (
    Claim(take("time-grows"), above(extra.growth(TIME, CELLS, **ours), 1), "exponent of cells", 2),
    Claim(
        take("memory-grows"), above(extra.growth(IN_ALL, CELLS, **ours), 1), "exponent of cells", 2,
    ),
    Claim(
        take("time-complexity"), between(VISITS, runs.DEPTH / 2, runs.DEPTH),
        "exponent of columns, naive", 1,
    ),
    Claim(
        take("space-complexity"), below(extra.growth(IN_ALL, WIDTHS, **ours), 1.5),
        "exponent of columns", 1,
        "the number of cells alone grows with the square of the columns, and the total allocated "
        "also grows with the length of the game",
    ),
    Claim(
        runs.FIGURE_1, above(fact("figure_1", "same_end"), 0), "games", 0,
        "the paper does not say which agents played, nor their depth and tie-breaking order; all "
        "pairs of ours were tried",
    ),
    Claim(
        take("figure-1-winner"), equal(computed(lambda: extra.lines_won(runs.FIGURE_1.value))),
        "lines",
    ),
    Claim(
        take("weights"), equal(computed(lambda: runs.NETWORK.tuples * 4**runs.NETWORK.length)),
        "weights",
    ),
    Claim(
        take("positions"), between(computed(lambda: POSITIONS), 3.6e12, 4.4e12), "positions", 0,
        "Edelkamp and Kissmann (2008) count four and a half trillion; the paper truncates to four",
    ),
    *(
        Claim(
            take(name), above(share("done", **{**pairs, "rule": rule}), 50), "% of pairs",
            part="tdl",
        )
        for name, rule in (("completed", runs.AT_MOST), ("completed-less", runs.LESS))
    ),
    Claim(
        take("fluctuations"), above(extra.mean_change(**pairs), CHANCE),
        f"of {runs.EVALUATED}", 1, part="tdl",
    ),
    Claim(
        take("minimax-stronger"), below(final("score", referee=MINIMAX, part="tdl"), 50),
        f"of {runs.EVALUATED}", 1, part="tdl",
    ),
    Claim(
        take("self-learning"), above(final(SCORE, part="ten-seeds", network=runs.CHOSEN), 0.5),
        "per game", 3, part="ten-seeds",
    ),
    Claim(
        Entry(
            "same-games", OWN, value=len(runs.BOARDS),
            text="our search and the naive program play the same game on every board",
        ),
        equal(extra.same_game(list(runs.BOARDS), (OURS, KEEPING), runs.DEPTH)), "boards",
        kind=OUR_OWN,
    ),
    Claim(
        Entry("ten-seeds-mean", OWN,
              text="mean score against perfect play is above 0.96, our target"),
        above(final(SCORE, part="ten-seeds", network=runs.CHOSEN), 0.96), "per game", 4,
        part="ten-seeds", kind=OUR_OWN,
    ),
    Claim(
        Entry("ten-seeds-lowest", OWN, text="lowest score of ten seeds is above 0.88, our target"),
        above(extra.chosen(SCORE, min, part="ten-seeds", network=runs.CHOSEN), 0.88), "per game", 4,
        part="ten-seeds", kind=OUR_OWN,
    ),
    *(output_claim(gamma) for gamma in runs.GAMMAS),
    Claim(
        Entry("trainer-perfect", OWN,
              text="training against perfect play helps against perfect play"),
        by_trainer(final(SCORE), higher=(runs.PERFECT,), lower=(runs.UNTRAINED, runs.ITSELF)),
        "per game", 4, part="trainers", kind=OUR_OWN,
    ),
    Claim(
        Entry("trainer-minimax", OWN, text=f"training against {MINIMAX} helps against {MINIMAX}"),
        by_trainer(final(AGAINST_MINIMAX), higher=(MINIMAX,), lower=(runs.UNTRAINED, runs.ITSELF)),
        "per game", 3, part="trainers", kind=OUR_OWN,
    ),
)  # fmt: skip
