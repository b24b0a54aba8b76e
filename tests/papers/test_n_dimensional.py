"""What only the n-dimensional paper has: exact numbers, baselines, readers, its known verdicts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from inarow.game import game as game_of
from inarow.lab.matches.match import match
from inarow.learn.reinforce.learner import MOST_LINES, most_lines
from inarow.learn.tabular.sarsa import Sarsa
from inarow.papers.measures import Data
from inarow.papers.n_dimensional import claims, exact
from inarow.papers.n_dimensional import study as runs
from inarow.papers.n_dimensional.paper import PAPER, over_episodes, search_result
from inarow.papers.n_dimensional.study import (
    CUBE,
    DESCRIBED,
    NEVER_LOSES,
    OPTIMAL,
    PLANE,
    SOUND,
    UNBEATABLE,
    summarise,
)
from inarow.papers.published import Entry
from inarow.papers.study import Results
from inarow.papers.verdicts import FASTER, MATCHES, UNDECIDED

STORED = Path(__file__).parents[2] / "docs" / "results"

# Exact numbers


def test_states_are_all_ways_to_fill_a_grid_by_turns() -> None:
    for cells in range(1, 8):
        filled = product((0, 1, 2), repeat=cells)
        turns = sum(row.count(1) - row.count(2) in (0, 1) for row in filled)
        assert exact.states(cells) == turns


def changed(name: str, label: str, text: str) -> Entry:
    entry = runs.PUBLISHED.entries[name]
    return replace(entry, numbers={**entry.numbers, label: text})


def test_what_the_paper_prints_is_checked_and_could_fail() -> None:
    """Axes that are no lines, or go the other way; replies that do not block, or do not win."""
    assert exact.axes_in_order(runs.PUBLISHED.entries["table-1a"]) == 4
    assert exact.axes_in_order(changed("table-1a", "d1", "0020 0021 0012")) == 3
    assert exact.axes_in_order(changed("table-1b", "3D", "0000 1111 2222")) == 2  # across four
    assert exact.broken_games(runs.PUBLISHED.entries["example-games"]) == 0
    missed = changed("example-games", "Game 2", "22 00 02 10 20 21 11")  # does not block 12
    assert exact.broken_games(missed) == 1
    cut = changed("example-games", "Game 3", "22 11 10 12 20 21")
    assert exact.broken_games(cut) == 1
    assert exact.broken_permutations() == 0


def test_the_printed_numbers_of_states_come_of_rounding() -> None:
    found = exact.counts()
    assert (found["formula 3x3"], found["formula 3x3, rounded"]) == (6_046, 6_038)
    assert found["formula 3x3x3"] == 1_405_155_255_055
    assert found["formula 3x3x3, rounded"] == 1_414_819_440_989
    assert (found["reachable"], found["up to symmetry"]) == (5478, 765)
    assert found["and unfinished"] == 627


def test_ceilings() -> None:
    found = exact.ceilings()
    second = found[exact.PLAIN, "random", "second", exact.REWARDS]
    assert second == {"won": "887/945", "drawn": "43/945", "lost": "1/63"}
    assert found[exact.PLAIN, "advanced", "second", exact.REWARDS]["lost"] == "4/63"
    assert found[exact.PLAIN, "advanced", "first", exact.REWARDS]["won"] == "89/96"
    assert found[exact.PLAIN, "advanced", "second", exact.NO_LOSS]["won"] == "82/315"
    assert exact.openings("advanced") == {"corner": "89/96", "edge": "163/192", "centre": "5/6"}
    counted = exact.most_wins(exact.COUNTED, "advanced")
    assert (counted["first"], counted["second"]) == ("35/48", "86/315")
    ending, unsure = exact.overwritten().values()
    assert 0 < unsure < ending


def test_the_learner_has_the_published_parameters() -> None:
    """What is best by the rewards of the learner is best by the paper's."""
    assert Sarsa(**runs.PRINTED_SARSA) == Sarsa()


# Players that learned nothing


def test_exact_baselines_against_sampled_ones() -> None:
    game = game_of(PLANE)
    found = {(r["player"], r["opponent"]): r for r in runs.baselines(PLANE, 0)}
    assert found["random", "random"]["drawn"] == pytest.approx(100 * 8 / 63)
    for name in ("advanced", MOST_LINES):
        who = most_lines(game) if name == MOST_LINES else name
        total = match(game, who, "advanced", 20_000, 3).total
        assert found[name, "advanced"]["won"] == pytest.approx(total.wins / 200, abs=1.5)


# How studies are read


def test_summaries_by_hand() -> None:
    values = {
        f"chance {end} as {side} against {opponent}": np.array([0.2, 0.4])
        for end in exact.ENDS
        for side in exact.SIDES
        for opponent in exact.OPPONENTS
    }
    values |= {"unbeatable as first": np.array([1.0, 0.0])}
    values |= {"unbeatable as second": np.array([1.0, 1.0])}
    for end, share in (("won", 191 / 192), ("drawn", 1 / 192), ("lost", 0.0)):
        values[f"chance {end} as first against random"] = np.array([0.5, share])
    row = summarise(values, "random")
    assert row["certain"][NEVER_LOSES] == {"first": 1, "second": 0}
    assert row["certain"][UNBEATABLE] == {"first": 1, "second": 2}
    assert row["certain"][OPTIMAL] == {"first": 1, "second": 0}
    assert row["shares"]["won as second against random"] == pytest.approx([0.3, 0.1])


def made(won: dict[int, float]) -> Data:
    rows = [
        {
            "variant": "base", "trainer": "random", "episodes": episodes, "runs": 10,
            "shares": {"won": [share, 0.01]}, "certain": {NEVER_LOSES: {"first": 4}},
        }
        for episodes, share in won.items()
    ]  # fmt: skip
    return Data({"sarsa": Results("n-dimensional", "sarsa", "quick", rows)}, "sarsa")


def test_measures_by_hand() -> None:
    data = made({1_000: 0.2, 4_000: 0.4, 20_000: 0.3})
    assert claims.games_share("won", trainer="advanced")(data, episodes=1_000) is None
    held = claims.runs_that(NEVER_LOSES, "first", trainer="random")(data, episodes=1_000)
    assert held is not None
    assert (held.count, held.runs) == (4, 10)
    points = over_episodes(claims.games_share("won"), trainer="random")(data)
    assert [point[:2] for point in points] == [(1_000, 20), (4_000, 40), (20_000, 30)]


def test_the_search_says_how_many_settings_are_better_than_the_paper_s() -> None:
    rows = [
        {"alpha": alpha, "epsilon": epsilon, "episodes": 4_000, "runs": 10,
         "certain": {NEVER_LOSES: {"first": 5}}}
        for alpha, epsilon in product(runs.ALPHAS, runs.EPSILONS)
    ]  # fmt: skip
    assert runs.PAPERS in {(row["alpha"], row["epsilon"]) for row in rows}
    rows[0]["certain"], rows[1]["certain"] = ({NEVER_LOSES: {"first": n}} for n in (7, 6))
    data = Data({runs.SEARCH: Results("n-dimensional", runs.SEARCH, "paper", rows)}, "sarsa")
    found = search_result(data, 4_000)
    assert found is not None
    assert (found["better"], found["of"], found["paper"], found["best"]) == (2, 23, 50.0, 70.0)
    assert (found["alpha"], found["epsilon"]) == (runs.ALPHAS[0], runs.EPSILONS[0])
    assert search_result(data, 20_000) is None


def test_evaluations_are_even_on_a_logarithmic_axis() -> None:
    learners = {(one.game, one.variant): one for one in runs.LEARNERS}
    expected = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]
    assert learners[PLANE, DESCRIBED].evaluations(20_000) == expected
    assert learners[PLANE, runs.SARSA].evaluations(20_000) == [20_000]


# Verdicts that were once too generous


def test_known_verdicts() -> None:
    rows = {row.name: row for row in PAPER.rows(PAPER.data(STORED))}
    for name, mean in (("improves-2d", 2.9), ("better-in-3d", 5.8)):
        assert rows[name].judged.ours == pytest.approx(mean, abs=0.05)
        assert rows[name].verdict == UNDECIDED
    assert rows["hours-4d"].verdict == FASTER


def test_a_gain_within_its_error_is_no_improvement() -> None:
    def judged(gain: float) -> str:
        points = [[40.0, 1.0], [40.0 + gain, 1.0]]
        row = {
            "game": CUBE, "variant": SOUND, "runs": 10, "games": [1_000, 5_000],
            "shares": {"advanced": {"won": points}},
        }  # fmt: skip
        part = Results("n-dimensional", runs.POLICY, "paper", [row])
        found = {r.name: r.verdict for r in PAPER.rows(Data({runs.POLICY: part}, "sarsa"))}
        return found["improves-3d-sound"]

    assert judged(2.0) == judged(-2.0) == UNDECIDED
    assert judged(20.0) == MATCHES
