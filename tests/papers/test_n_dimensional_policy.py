"""The n-dimensional paper's policy gradient: cells, yardsticks, claims, tables, figures, page."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.match import match
from inarow.papers import n_dimensional_policy as policy
from inarow.papers import n_dimensional_policy_claims as claims
from inarow.papers import n_dimensional_policy_figures as drawn
from inarow.papers import n_dimensional_policy_page as page
from inarow.papers import n_dimensional_policy_report as report
from inarow.papers.n_dimensional_policy import CUBE, DESCRIBED, FOUR, PLANE, SARSA, SOUND
from inarow.papers.page import Page, markdown
from inarow.papers.parts import part_of
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results
from inarow.ui.reproduce import _print_table


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All cells, with a few games each."""
    short = tuple(
        replace(cell, games={"quick": 200 if cell.learner == "sarsa" else 60}, options={
            **cell.options, **({"replay_batch": 20} if cell.variant.startswith(DESCRIBED) else {}),
        })
        for cell in policy.CELLS
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy, "CELLS", short)
        patch.setattr(policy, "TEST_GAMES", {"quick": 20})
        patch.setattr(policy, "TIMED_SECONDS", 0.001)
        folder = tmp_path_factory.mktemp("policy")
        return policy.study(folder, lambda text, share: None, runs=2)


def test_looks_are_even_on_a_logarithmic_axis() -> None:
    cell = next(cell for cell in policy.CELLS if (cell.board, cell.variant) == (PLANE, DESCRIBED))
    assert cell.looks("paper") == [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]
    sarsa = next(cell for cell in policy.CELLS if cell.variant == SARSA)
    assert sarsa.looks("paper") == [20_000]


def test_every_cell_has_all_shares(results: Results) -> None:
    assert len(results.rows) == len(policy.CELLS)
    for row in results.rows:
        assert len(row["games"]) == len(row["shares"]["random"]["won"])
        for shares in row["shares"].values():
            total = sum(np.array(shares[end])[:, 0] for end in policy.ENDS)
            assert total == pytest.approx(np.full(len(row["games"]), 100), abs=1e-3)
        assert bool(row["lines"]) == (row["board"] != PLANE)
    assert [row["seconds_for_1000"] > 0 for row in results.facts["seconds"]]


def test_most_lines_takes_the_centre_whatever_happens() -> None:
    game = game_of("tictactoe")
    agent = policy.most_lines(game)
    values = agent.values(game.position())
    assert max(values, key=lambda move: values[move]) == 4
    values = agent.values(game.position("22"))
    assert sorted(values, key=lambda move: -values[move]) == [0, 2, 6, 8, 1, 3, 5, 7]


def test_exact_yardsticks_against_sampled_ones(results: Results) -> None:
    game = game_of(PLANE)
    found = {
        (row["player"], row["opponent"]): row
        for row in results.facts["yardsticks"]
        if row["board"] == PLANE
    }
    assert found["random", "random"]["drawn"] == pytest.approx(100 * 8 / 63)
    for name in ("advanced", policy.MOST_LINES):
        who = policy.most_lines(game) if name == policy.MOST_LINES else name
        total = match(game, who, "advanced", 20_000, 3).total
        assert found[name, "advanced"]["won"] == pytest.approx(total.wins / 200, abs=1.5)


def made(won: dict[tuple[str, str, int], float], seconds: float = 1.0) -> Results:
    """Results in which the wins of a version on a board after so many games are given."""
    rows = []
    for board, variant in {key[:2] for key in won}:
        games = sorted(key[2] for key in won if key[:2] == (board, variant))
        points = [[won[board, variant, number], 0.5, 0.0, 0.0] for number in games]
        for point in points:
            point[2:] = [point[0] - 1, point[0] + 1]
        shares = {"won": points}
        rows.append(
            {
                "board": board, "variant": variant, "games": games, "runs": 10,
                "shares": dict.fromkeys(policy.OPPONENTS, shares), "lines": {},
            }
        )  # fmt: skip
    facts = {
        "seconds": [{"board": FOUR, "variant": SOUND, "seconds_for_1000": seconds}],
        "seven": {"seconds_a_move": 1e-7},
        "ceilings": [
            {"board": "first line wins", "opponent": "random", "aim": "most wins", "won": share}
            for share in ("1", "9/10")
        ],
    }
    return Results("n-dimensional", "policy-gradient", "paper", rows, facts)


def test_claims_by_hand() -> None:
    given = made(
        {
            (PLANE, SOUND, 1_000): 60.0,
            (PLANE, SOUND, 20_000): 80.0,
            (CUBE, SOUND, 5_000): 97.0,
            (CUBE, SOUND, 20_000): 90.0,
            (CUBE, SOUND, 500_000): 96.5,
            (FOUR, SOUND, 100_000): 99.6,
        },
        36.0,
    )
    found = {row.metric: (row.mean, row.verdict) for _, row in claims.rows(given) if row}
    assert found["2-D: gain, 1k to 20k"] == (20.0, MATCHES)
    assert found["2-D: below best, 20k"] == (pytest.approx(15.0), MATCHES)
    assert found["2-D: SARSA ahead, 20k"] == (None, NOT_RUN)
    assert found["3-D: gain, 5k to 20k"] == (-7.0, DIFFERS)
    assert found["4-D: won, advanced"] == (99.6, DIFFERS)
    assert found["4-D: hours for 100k"] == (pytest.approx(1.0), DIFFERS)
    assert all(row.mean is None for row, _ in claims.rows(given)[:-1])
    bars = claims.bars(given)
    assert [bar.met for bar in bars] == [False, True, None, None]
    assert bars[1].seconds == pytest.approx(36.0 * bars[1].games / 1000)


def test_a_few_runs_give_no_verdict() -> None:
    given = made({(PLANE, SOUND, 1_000): 60.0, (PLANE, SOUND, 20_000): 80.0})
    given.rows[0]["runs"] = 9
    found = {row.metric: row.verdict for _, row in claims.rows(given) if row}
    assert found["2-D: gain, 1k to 20k"] == claims.TOO_FEW
    assert found["2-D: won, 20k"] == claims.TOO_FEW


def test_every_claim_has_a_verdict_for_both_versions(results: Results) -> None:
    answer = json.loads(json.dumps(claims.as_json(results), allow_nan=False))
    judged = [row for row in answer if "verdict" in row]
    assert len(judged) == 2 * 14 + 1
    assert len({(row["version"], row["metric"]) for row in judged}) == len(judged)
    for row in judged:
        assert (row["verdict"] == NOT_RUN) == (row["mean"] is None)
        assert (row["verdict"] == claims.TOO_FEW) == (0 < row["runs"] < 10)
        assert (row["verdict"] == DIFFERS) == bool(row["reason"])
    assert sum("asked" in row for row in answer) == 4


def test_tables_fit_the_terminal(results: Results) -> None:
    for table in report.tables(results):
        text = io.StringIO()
        _print_table(Console(file=text, width=80), table)
        lines = text.getvalue().splitlines()
        assert max(map(len, lines)) <= 80
        assert len(lines) <= len(table.rows) + 6  # nothing is wrapped
    said = " ".join(report.notes(results))
    assert "1,414,819,440,989; its formula gives 1,405,155,255,055" in said
    assert "191/192 as first and" in said
    assert "So few runs (2) say little" in said


def test_the_sections_show_tables_and_figures(results: Results, tmp_path: Path) -> None:
    files = drawn.figures(results, tmp_path)
    assert len(files) == 6
    text = markdown(Page("page", (), page.sections(results, "figures"), ""))
    for path in files:
        assert f"(figures/{path.name})" in text
    for words in (
        "inarow reproduce n-dimensional --part policy-gradient --scale quick --runs 2",
        "**Figure 13, 4-D against advanced, as described**",
        "100,000 iterations took 21 hours",
    ):
        assert words in text, words


def test_one_board_alone(tmp_path: Path) -> None:
    name, part = part_of("n-dimensional", "policy-gradient")
    assert (name, part.scales) == ("policy-gradient", ("quick", "paper"))
    with pytest.raises(InputError, match="not 'qubic'"):
        policy.study(tmp_path, lambda text, share: None, game="qubic")
