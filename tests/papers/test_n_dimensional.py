"""The n-dimensional paper's SARSA study: exact numbers, claims, tables, figures and page."""

from __future__ import annotations

import io
import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.odds import Objective, Odds, best_response, uniform_policy
from inarow.papers import n_dimensional_figures, n_dimensional_page, n_dimensional_report
from inarow.papers import n_dimensional_sarsa as sarsa
from inarow.papers.n_dimensional_claims import CLAIMS, Claim, judge, rows
from inarow.papers.n_dimensional_exact import (
    COUNTED,
    PLAIN,
    REWARDS,
    Rewards,
    ceilings,
    counts,
    openings,
    overwritten,
    policy_of,
    reward_optimum,
    states,
    states_as_printed,
)
from inarow.papers.n_dimensional_measures import Measured, difference, of_the_best, threshold
from inarow.papers.n_dimensional_sarsa import BASE, EPISODES, NEVER_LOSES, OPTIMAL, cell_of
from inarow.papers.page import markdown
from inarow.papers.parts import part_of
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results
from inarow.ui.reproduce import _print_table


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The whole study with one run: three million games."""
    folder = tmp_path_factory.mktemp("n-dimensional")
    return sarsa.study(folder, lambda text, share: None, runs=1)


# Exact numbers


def test_states_are_all_ways_to_fill_a_grid_by_turns() -> None:
    for cells in range(1, 8):
        filled = (row for row in product((0, 1, 2), repeat=cells))
        turns = sum(row.count(1) - row.count(2) in (0, 1) for row in filled)
        assert states(cells) == turns


def test_the_printed_numbers_of_states_come_of_rounding() -> None:
    assert (states(9), states_as_printed(9)) == (6_046, 6_038)
    assert (states(27), states_as_printed(27)) == (1_405_155_255_055, 1_414_819_440_989)
    found = counts()
    assert (found["reachable"], found["up to symmetry"], found["and unfinished"]) == (
        5478,
        765,
        627,
    )


def test_discounted_rewards_by_hand() -> None:
    # Any two cells of 2x2 are a line: the first player wins with its second move.
    square = graph_of(Game((2, 2), 2))
    value, odds = reward_optimum(square, uniform_policy(square), 0, Rewards())
    assert (value, odds) == (Fraction(77, 10), Odds(Fraction(1), Fraction(0), Fraction(0)))
    # On 1x3 with lines of two, a random first stone in the middle wins; else the second takes the
    # middle, and the last stone draws.
    row = graph_of(Game((1, 3), 2))
    value, odds = reward_optimum(row, uniform_policy(row), 1, Rewards(draw=Fraction(5, 4)))
    assert value == Fraction(2, 3) * Fraction(5, 4)
    assert odds == Odds(Fraction(1, 3), Fraction(2, 3), Fraction(0))


def test_without_discount_the_rewards_are_an_objective() -> None:
    graph = graph_of(game_of("tictactoe"), reduced=True)
    rewards = Rewards(Fraction(1), Fraction(0), Fraction(0), Fraction(1))
    for seat in (0, 1):
        policy = policy_of(graph, "advanced")
        value, _ = reward_optimum(graph, policy, seat, rewards)
        best = best_response(graph, policy, seat, Objective(1, 0, 0), exact=True)[0]
        assert value == (best.first if seat == 0 else best.second)


@pytest.fixture(scope="module")
def best() -> list[dict[str, Any]]:
    return ceilings()


def test_ceilings(best: list[dict[str, Any]]) -> None:
    found = {
        (row["board"], row["opponent"], row["seat"], row["aim"]): (row["won"], row["lost"])
        for row in best
    }
    assert len(found) == 12 + 4
    assert found[PLAIN, "random", "second", REWARDS] == ("887/945", "1/63")
    assert found[PLAIN, "advanced", "second", REWARDS] == ("146/315", "4/63")
    assert found[PLAIN, "advanced", "first", REWARDS] == ("89/96", "0")
    assert found[PLAIN, "advanced", "second", "never to lose"] == ("82/315", "0")
    assert found[COUNTED, "advanced", "first", "most wins"] == ("35/48", "0")
    assert openings("advanced") == {"corner": "89/96", "edge": "163/192", "centre": "5/6"}


def test_symmetry_changes_no_ceiling(best: list[dict[str, Any]]) -> None:
    graph = graph_of(game_of("tictactoe"))
    rewards = Rewards(draw=Fraction(5, 4))
    _, odds = reward_optimum(graph, policy_of(graph, "advanced"), 1, rewards)
    (same,) = (
        row
        for row in best
        if (row["opponent"], row["seat"], row["aim"]) == ("advanced", "second", REWARDS)
    )
    assert [str(share) for share in (odds.second, odds.draw, odds.first)] == [
        same[end] for end in sarsa.ENDS
    ]


def test_a_reward_is_seldom_the_value_of_a_move_that_is_answered() -> None:
    ending, unsure = overwritten().values()
    assert 0 < unsure < ending


# What is counted


def test_summaries_by_hand(best: list[dict[str, Any]]) -> None:
    values = {
        f"chance {end} as {seat} against {opponent}": np.array([0.2, 0.4])
        for end in sarsa.ENDS
        for seat in sarsa.SEATS
        for opponent in sarsa.OPPONENTS
    }
    values |= {"unbeatable as first": np.array([1.0, 0.0])}
    values |= {"unbeatable as second": np.array([1.0, 1.0])}
    values["chance lost as first against random"] = np.array([0.0, 0.1])
    for end, share in (("won", 191 / 192), ("drawn", 1 / 192), ("lost", 0.0)):
        values[f"chance {end} as first against random"] = np.array([0.5, share])
    row = sarsa.summarise(values, "random", best, intervals=False)
    assert row["certain"][NEVER_LOSES] == {"first": 1, "second": 0, "both": 0}
    assert row["certain"]["unbeatable"] == {"first": 1, "second": 2, "both": 1}
    assert row["certain"][OPTIMAL] == {"first": 1, "second": 0, "both": 0}
    assert row["shares"]["won as second against random"] == pytest.approx([0.3, 0.1])


def test_every_number_of_episodes_is_a_run_of_its_own() -> None:
    cells = sarsa.definition().cells
    assert len(cells) == 2 * 11 + 4 * 2 * 5
    assert all(cell["games"] == cell["episodes"] for cell in cells)
    assert {cell["episodes"] for cell in cells[:11]} == set(EPISODES)


def test_the_study(results: Results) -> None:
    assert len(results.rows) == len(sarsa.plan())
    row = cell_of(results, "random", 200_000)
    assert row is not None
    assert row["certain"][NEVER_LOSES]["first"] == 1
    assert row["certain"][NEVER_LOSES] == row["certain"]["unbeatable"]  # random plays every line
    # As first, trained on random and tested against advanced: the paper's halves.
    assert row["shares"]["won as first against advanced"] == pytest.approx([0.5, 0, 0.5, 0.5])
    for found in results.rows:
        for seat in sarsa.SEATS:
            for opponent in sarsa.OPPONENTS:
                ends = (found["shares"][f"{e} as {seat} against {opponent}"] for e in sarsa.ENDS)
                assert sum(end[0] for end in ends) == pytest.approx(1, abs=1e-6)
    with pytest.raises(InputError, match="plays tictactoe, not 'qubic'"):
        sarsa.study(Path(), lambda text, share: None, game="qubic")


# Claims


def claim(**changes: Any) -> Claim:
    given = {"low": 95.0, "reason": "why"} | changes
    return Claim("m", "s", "said", "read", lambda results: None, **given)


def test_a_claim_matches_if_the_interval_reaches_it() -> None:
    assert judge(claim(), Measured(90, 2, 86, 95, 10)).verdict == MATCHES
    differs = judge(claim(), Measured(90, 2, 86, 94, 10))
    assert (differs.verdict, differs.reason) == (DIFFERS, "why")
    assert judge(claim(low=0.0, high=0.0), Measured(0.0)).verdict == MATCHES
    assert judge(claim(low=0.0, high=0.0), Measured(1.6)).verdict == DIFFERS
    assert judge(claim(), None).verdict == NOT_RUN


def synthetic(never: dict[int, int], won: dict[int, float]) -> Results:
    """Cells of one trainer, with some counts and shares."""
    made = [
        {
            "variant": BASE,
            "trainer": "random",
            "episodes": episodes,
            "runs": 10,
            "certain": {NEVER_LOSES: {"first": never.get(episodes, 0)}},
            "shares": {"won": [won.get(episodes, 0.1), 0.01, 0.08, 0.12]},
        }
        for episodes in EPISODES
    ]
    return Results("n-dimensional", "sarsa", "quick", made)


def test_measures_by_hand() -> None:
    made = synthetic({2_000: 4, 4_000: 5, 10_000: 9}, {1_000: 0.2, 20_000: 0.4})
    found = threshold("random", "first")(made)
    assert found is not None
    assert found.mean == 4_000
    never = threshold("random", "first")(synthetic({}, {}))
    assert never is not None
    assert math.isinf(never.mean)
    ratio = of_the_best("random", 1_000, "won")(made)
    assert ratio is not None
    assert ratio.mean == pytest.approx(50)
    assert threshold("advanced", "first")(made) is None
    more = difference(lambda r: Measured(5, 3, 0, 9, 7), lambda r: Measured(2, 4, 0, 9, 7))(made)
    assert more is not None
    assert more[:2] == (3, 5)


def test_rows(results: Results) -> None:
    found = rows(results)
    assert len(found) == len(CLAIMS) == 29
    wanted = {"metric", "published", "mean", "stderr", "low", "high", "runs", "verdict", "reason"}
    answer = json.loads(json.dumps([row.as_json() for row in found], allow_nan=False))
    for row in answer:
        assert wanted <= set(row)
        assert (row["verdict"] == DIFFERS) == bool(row["reason"])
    by_metric = {row["metric"]: row for row in answer}
    assert len(by_metric) == len(answer)
    assert by_metric["states: formula 3x3"]["mean"] == 6_046
    assert by_metric["states: formula 3x3"]["verdict"] == DIFFERS
    assert by_metric["states: reachable"]["verdict"] == MATCHES
    assert by_metric["best loses: advanced, second"]["mean"] == pytest.approx(100 * 4 / 63)
    assert by_metric["corner wins more than centre"]["mean"] == pytest.approx(9.375)
    assert by_metric["wins at 1k, of most: second"]["verdict"] == DIFFERS
    assert by_metric["threshold: advanced, second"]["mean"] is None  # never reached


# What is shown


def test_tables_fit_the_terminal(results: Results) -> None:
    for table in n_dimensional_report.tables(results):
        text = io.StringIO()
        _print_table(Console(file=text, width=80), table)
        lines = text.getvalue().splitlines()
        assert max(map(len, lines)) <= 80
        assert len(lines) <= len(table.rows) + 6  # nothing is wrapped
    said = n_dimensional_report.notes(results)
    assert "35/48 as first and 86/315 as second, 50.1% over both" in said[1]
    assert any("so few runs (1) says little" in line for line in said)


def test_the_page_shows_tables_and_figures(results: Results, tmp_path: Path) -> None:
    drawn = n_dimensional_figures.figures(results, tmp_path)
    assert len(drawn) == 5
    text = markdown(n_dimensional_page.page(results))
    for path in drawn:
        assert f"(figures/{path.name})" in text
    for number in range(3, 9):
        assert f"**Figure {number}: trained on" in text
    for words in (
        "inarow reproduce n-dimensional --part sarsa --scale quick",
        "gives 6,046 and 1,405,155,255,055",
        "(the paper: 1,414,819,440,989; ours: 1,405,155,255,055)",
        "as second the best play loses 1/63 to random and 4/63 to advanced",
        "From the centre at most 95/96 can be won, 98.96%, and from a corner 191/192, 99.48%",
        "| won vs advanced: 40k, first | 50 | ",
    ):
        assert words in text, words


def test_the_part_by_name() -> None:
    name, part = part_of("n-dimensional", "sarsa")
    assert (name, part.scales) == ("sarsa", ("quick", "paper"))
