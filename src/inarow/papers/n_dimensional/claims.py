"""What the n-dimensional paper claims, and how each claim is tested; then what is ours.

*Optimal* is taken as never losing to the trainer, the paper's own test of a good agent. Where the
paper names no number of episodes, the longest training counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import fmean

from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.papers.claims import Claim, ClaimTest, Costs, above, below, between, equal
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    ResultRow,
    computed,
    curve,
    curve_end,
    exactly,
    fact,
    from_count,
    from_summary,
    from_values,
    of_row,
)
from inarow.papers.n_dimensional import exact, study
from inarow.papers.n_dimensional.study import (
    BASE,
    CUBE,
    EPISODES,
    FIRST_MOVES,
    FOUR,
    LONG,
    NEVER_LOSES,
    PLANE,
    POLICY,
    PUBLISHED,
    SEARCH,
    SHORT,
    SPEED,
    VARIED,
)
from inarow.papers.published import OWN, Entry
from inarow.papers.speed import SPEED as RATE

value = PUBLISHED.value

# SARSA: a row for each number of episodes


def games_share(metric: str, **bound: Label) -> Measure:
    """Return the per cent of games, as of `won as first against advanced`, exact for each run."""

    def number(row: ResultRow) -> Measured:
        mean, error = row["shares"][metric][:2]
        return from_summary(mean, error, row["runs"]).times(100)

    return of_row(number, **{"variant": BASE, **bound})


def runs_that(kind: str, side: str, **bound: Label) -> Measure:
    """Return the per cent of runs of which something is certain."""
    labels = {"variant": BASE, **bound}
    return of_row(lambda row: from_count(row["certain"][kind][side], row["runs"]), **labels)


in_grid = of_row(
    lambda row: from_count(row["certain"][NEVER_LOSES]["first"], row["runs"]), part=SEARCH
)


# The policy gradient: a row for each learner


def policy(path: str, games: int, game: str, variant: str) -> Measure:
    """Return the per cent of games (`shares.advanced.won`) or lines ahead (`lines.advanced`)."""
    return curve(path, part=POLICY, game=game, variant=variant).at(games)


def at_end(path: str) -> Measure:
    """Return a quantity of a learner after its last game; no lines are counted in 2-D."""
    return curve_end(path, part=POLICY)


def varied(path: str) -> Measure:
    """Return a quantity after the last game of a variant."""
    return curve_end(path, part=VARIED)


games_played = of_row(lambda row: exactly(row["games"][-1]), part=POLICY)


def seconds(games: float, **bound: Label) -> Measure:
    """Return CPU-seconds of so many games of training, at the speed measured on one core."""
    labels = {"part": SPEED, **bound}
    return of_row(lambda row: exactly(games / fmean(row["finals"][RATE])), **labels)


def baseline(what: str, opponent: str, **bound: Label) -> Measure:
    """Return what a player that learned nothing does: `won` in per cent, or `lines` ahead."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        wanted = {**bound, **labels, "opponent": opponent}
        for row in data.fact("baselines", part=POLICY) or ():
            if wanted.items() <= row.items() and row[what] is not None:
                return exactly(row[what])
        return None

    return Measure(measure)


# First moves of trained agents, and policies that learned nothing


def opens(where: str, trainer: str) -> Measure:
    """Return the per cent of runs of SARSA that begin there."""

    def measure(data: Data, **_: Label) -> Measured | None:
        found = data.fact("openings", part=FIRST_MOVES) or ()
        rows = [row for row in found if row["trainer"] == trainer]
        return from_count(rows[0][where], rows[0]["runs"]) if rows else None

    return Measure(measure)


@Measure
def untrained(data: Data, **_: Label) -> Measured | None:
    """Return the per cent that policies win against random before their first game."""
    found = data.fact("untrained", part=FIRST_MOVES)
    return from_values(found) if found else None


# The best that can be

most_wins = computed(lambda: exact.most_wins(exact.PLAIN, "random")["both"])


def best(opponent: str, side: str, end: str) -> Measure:
    """Return the per cent of games that end so, if play is best by the paper's rewards."""
    return computed(lambda: exact.best_by_rewards(opponent, side)[end])


# Claims

SOME_RUNS, NEARLY_ALL_RUNS = 10, 95  # per cent of runs
BEST_AT = "advanced-best-first"  # the entry that says after how many episodes
LAST, ON_RANDOM, ON_ADVANCED = EPISODES[-1], {"trainer": "random"}, {"trainer": "advanced"}


# SARSA


def of_side(side: str) -> dict[str, ClaimTest]:
    """Return the tests of the claims that are made for both sides."""
    never = runs_that(NEVER_LOSES, side)
    won, lost = (games_share(f"{end} as {side} against advanced") for end in ("won", "lost"))
    at_1000, last = (won.where(episodes=n, **ON_ADVANCED) for n in (value(BEST_AT), LAST))

    def sooner(measure: Measure) -> ClaimTest:
        """Test whether those trained on advanced are ahead of those trained on random."""
        return measure.apart(by="trainer", higher=["advanced"], lower=["random"])

    return {
        **{
            f"random-{n}-{side}": above(
                never.where(episodes=value(f"random-{n}-{side}"), **ON_RANDOM), least
            )
            for n, least in ((4_000, SOME_RUNS), (20_000, NEARLY_ALL_RUNS))
        },
        f"advanced-best-{side}": above(at_1000 / last, 0.95),
        f"advanced-sooner-{side}": sooner(never.where(episodes=value(BEST_AT))),
        f"transfer-worse-{side}": sooner(won.where(episodes=LAST)),
        f"transfer-undefeated-{side}": below(lost.where(episodes=LAST, **ON_RANDOM), 1),
    }


def better_than(*variants: str) -> ClaimTest:
    """Test whether more runs of the base never lose to random as first, 4,000 episodes."""
    never = runs_that(NEVER_LOSES, "first", episodes=4_000, **ON_RANDOM)
    return never.apart(by="variant", higher=[study.BASE], lower=variants)


def half(end: str) -> ClaimTest:
    """Test an end as first against advanced, trained on random; to whole per cent."""
    found = games_share(f"{end} as first against advanced", episodes=LAST, **ON_RANDOM)
    about = value(f"transfer-{end}")
    return between(found, about - 0.5, about + 0.5)


def worst_loss() -> float:
    """Return the most that the best play by the paper's rewards loses, in per cent."""
    return max(exact.best_by_rewards(o, s)["lost"] for o in exact.OPPONENTS for s in SIDES)


def corner_gain() -> float:
    """Return how much more the first player wins against advanced from a corner, in per cent."""
    corner, _, centre = map(exact.per_cent, exact.openings("advanced").values())
    return corner - centre


def states(counted: str) -> ClaimTest:
    """Test a printed number of states."""
    return equal(computed(lambda: exact.counts()[counted]))


def from_printed_text(name: str, count: Callable[[Entry], int]) -> ClaimTest:
    """Test something that is counted in what the paper prints."""
    entry = PUBLISHED[name]
    return equal(computed(lambda: count(entry)))


SARSA_TESTS: dict[str, ClaimTest] = {
    **of_side("first"),
    **of_side("second"),
    "transfer-won": half("won"),
    "transfer-drawn": half("drawn"),
    "corner-better": above(computed(corner_gain), 0),
    "should-not-lose": equal(computed(worst_loss)),
    "reward-attribution": better_than(study.SOFT),
    "symmetry-essential": better_than(study.NO_SYMMETRY),
    "backpropagation-essential": better_than("forward"),
    "faster-than-plain": better_than("plain SARSA", "Q-learning"),
    "optimistic-start": better_than("start at 0"),
    "epsilon-decay": better_than("epsilon 0.1", "epsilon 0.3"),
    "alpha-decay": better_than("alpha constant"),
    "opens-centre": above(opens("centre", "random")),
    "opens-corner": above(opens("corner", "advanced")),
    "example-games": from_printed_text("example-games", exact.broken_games),
    "five-actions": equal(computed(lambda: game_of(PLANE).cells // 2 + 1)),
    "states-formula-3x3": states("formula 3x3"),
    "states-formula-3x3x3": states("formula 3x3x3"),
    "states-reachable": states("reachable"),
    "states-symmetry": states("up to symmetry"),
    "states-unfinished": states("and unfinished"),
}

# The policy gradient: the paper's version is judged, the sound one beside it is ours

RANDOM, ADVANCED, LOST = "shares.random.won", "shares.advanced.won", "shares.random.lost"


def policy_tests(version: str) -> dict[str, ClaimTest]:
    """Return the tests of the claims about the policy gradient, of one version."""
    at, sarsa = partial(policy, variant=version), partial(policy, variant=study.SARSA)
    plane, four = at(RANDOM, SHORT, PLANE), at(ADVANCED, LONG, FOUR)
    random, advanced = at(RANDOM, SHORT, CUBE), at(ADVANCED, SHORT, CUBE)
    alone = policy(ADVANCED, SHORT, CUBE, version + study.ALONE)
    unconverged = most_wins - at(RANDOM, value("not-converged-2d"), PLANE)
    return {
        "sarsa-best-2d": above(at(LOST, SHORT, PLANE) - sarsa(LOST, SHORT, PLANE), 0),
        "improves-2d": above(plane - at(RANDOM, 1_000, PLANE), 0),
        "not-converged-2d": above(unconverged, 1),
        "sarsa-faster-2d": above(sarsa(RANDOM, SHORT, PLANE) - plane, 0),
        "most-games-2d": above(plane, 50),
        "better-in-3d": above(random - plane, 0),
        "advanced-harder-3d": above(random - advanced, 0),
        "improves-3d": above(at(ADVANCED, 5_000, CUBE) - at(ADVANCED, 1_000, CUBE), 0),
        "more-training-3d": above(advanced - at(ADVANCED, 5_000, CUBE), 0),
        "acceptable-3d": above(advanced, 50),
        "decently-3d": above(random, 50),
        "propagation-3d": above(advanced - alone, 0),
        "hard-4d": below(four, 50),
        "advanced-harder-4d": above(at(RANDOM, LONG, FOUR) - four, 0),
    }


def sound(name: str, test: ClaimTest) -> Claim:
    """Repeat a claim for the sound version, as one of ours."""
    said = PUBLISHED[name]
    entry = replace(
        said,
        name=f"{name}-sound",
        text=f"sound version, {said.text}",
        headline=False,
        class_=OWN,
        reason=EASY if name == "hard-4d" else "",
    )
    return Claim(entry, test)


EASY = "the sound version wins nearly all games"
POLICY_TESTS = policy_tests(study.DESCRIBED)
AS_RANDOM = baseline("won", "random", game=PLANE, player="random")
HOURS = seconds(LONG / 3600, game=FOUR, variant=study.DESCRIBED)
SEVEN = fact("seven", "seconds_a_move", part=study.SPEED)
WEIGHTS = ("weight", "standardised", "positive")
OF_CUBE, OF_FOUR, OF_FIVE = (
    {"game": CUBE, "variant": study.SOUND},
    {"game": FOUR, "variant": study.LINE_TD},
    {"game": study.FIVE, "variant": study.LINE_TD},
)
TARGETS: dict[str, ClaimTest] = {  # what this project asked of itself
    "target-3-D, sound, 500,000 games": above(policy(ADVANCED, 500_000, **OF_CUBE)),
    "target-4-D, sound, 100,000 games": above(policy(ADVANCED, LONG, FOUR, study.SOUND)),
    "target-4-D, line TD, 20,000 games": above(policy("lines.advanced", 20_000, **OF_FOUR)),
    "target-5-D, line TD, 2,000 games": above(policy("shares.greedy-lines.won", 2_000, **OF_FIVE)),
}
CLAIMS: dict[str, ClaimTest | Claim] = {
    **SARSA_TESTS,
    **POLICY_TESTS,
    "random-at-first": between(untrained - AS_RANDOM, -5, 5),
    "table-1a": from_printed_text("table-1a", exact.axes_in_order),
    "table-1b": from_printed_text("table-1b", exact.axes_in_order),
    "permutations": equal(computed(exact.broken_permutations)),
    "hours-4d": equal(HOURS, Costs()),
    "seven-dimensions": below(SEVEN, 0.1),
    "label": varied(ADVANCED).apart(by="variant", higher=[study.BASE], lower=WEIGHTS),
    **{f"{name}-sound": sound(name, test) for name, test in policy_tests(study.SOUND).items()},
    **TARGETS,
}
