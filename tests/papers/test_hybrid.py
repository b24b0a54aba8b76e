"""What only the hybrid paper has: windows of losses, crossings, exact counts, its example games."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.papers.hybrid import claims, exact, paper, study
from inarow.papers.measures import Data
from inarow.papers.study import Results


def test_losses_in_a_window() -> None:
    games = np.array([1_000, 10_000, 11_000, 20_000])
    lost = np.array([[500.0, 900.0, 950.0, 1_000.0]])
    found = study.window_losses(games, lost, 10_000)[0]
    assert found.tolist() == [0.5, 0.09, pytest.approx(0.045), pytest.approx(0.01)]


def crossing(ours: list[float], theirs: list[float], window: int) -> int | None:
    games = [1_000, 2_000, 3_000, 11_000, 12_000]
    rows = [
        {"game": "x", "trainer": trainer, "runs": 1, "curve": {"games": games, "lost": lost}}
        for trainer, lost in (("attack-defense", ours), ("random", theirs))
    ]
    return claims.crossing_of(Data({"all": Results("p", "all", "q", rows)}, "all"), "x", window)


def with_example(utilities: list[float | None]) -> Data:
    """The opponent has the centre: corners hold the draw, edges lose."""
    board = {"stones": [0, 0, 0, 0, 1, 0, 0, 0, 0], "utilities": utilities, "move": 0}
    facts = {"example_games": {"games": {"centre": {"boards": [board]}}}}
    return Data({"all": Results("p", "all", "q", [], facts)}, "all")


def test_boards_on_which_utilities_mislead() -> None:
    sound = with_example([0.2, -0.1, 0.1, -0.1, None, -0.1, 0.1, -0.1, 0.1])
    misleading = with_example([0.2, 0.0, 0.0, -0.1, None, -0.1, 0.1, -0.1, 0.1])
    found = [claims.boards_out_of_order(data) for data in (sound, misleading)]
    assert [measured and measured.mean for measured in found] == [0, 1]
    assert claims.boards_out_of_order(Data({}, "all")) is None


def test_the_slope_of_the_log_curve() -> None:
    """A ratio of 1 over the games falls a decade in a decade, everywhere."""
    shares = {n: [100 / n] * 6 for n in (500, 1_000, 5_000, 10_000)}
    row = {"histograms": {str(n): ratios for n, ratios in shares.items()} | {"20000": [0.005] * 6}}
    assert claims.lost_between(row, 500, 1_000).mean == 0  # type: ignore[union-attr]
    row["histograms"] = {"500": [0.5] * 6, "1000": [0.4] * 6, "5000": [0.12] * 6}
    row["histograms"] |= {"10000": [0.065] * 6, "20000": [0.005] * 6}
    labels = {"game": "tictactoe", "trainer": "attack-defense", "runs": 6}
    found = claims.steepness(Data({"all": Results("p", "all", "q", [labels | row])}, "all"))
    rates = [(0.4 - 0.25) / 0.5, (0.6 - 0.4) / 4, (0.65 - 0.6) / 5, 0.005]
    before = np.log10(rates[0] / rates[1]) / np.log10(10**0.5)
    after = np.log10(rates[2] / rates[3]) / np.log10(2)
    assert found is not None
    assert found.mean == pytest.approx(before - after)
    assert claims.steepness(Data({}, "all")) is None


def test_where_curves_cross() -> None:
    ours, theirs = [500.0, 700.0, 750.0, 800.0, 800.0], [400.0, 550.0, 650.0, 850.0, 900.0]
    assert crossing(ours, theirs, 1_000) == 3_000  # 50 and 100 in the last thousand
    assert crossing(ours, theirs, 10_000) == 11_000  # 800 - 500 and 850 - 400
    assert crossing(theirs, theirs, 1_000) is None


def test_exact_counts() -> None:
    finals = {
        "perfect": [1.0, 1.0, 0.0, 0.0],
        "unbeatable as second": [1.0, 0.0, 0.0, 0.0],
        "games": [60_000.0, 70_000.0, 80_000.0, 2_000_000.0],
        "lost against expert": [0.0, 0.0, 0.0, 2.0],
        "lost against random": [0.0, 0.0, 4.0, 8.0],
        "chance lost as second against random": [0.0, 1e-9, 4e-6, 8e-6],
    }
    found = paper.exact_counts({"finals": finals})
    assert found == {
        "runs": 4, "perfect": 2, "unbeatable": 1, "lost": 3, "expected": pytest.approx(3.00025),
        "early": 3, "early beatable": 2, "unseen": 2,
    }  # fmt: skip


def test_what_is_counted_of_the_games() -> None:
    assert (exact.positions("tictactoe"), exact.positions("connect4:4x4")) == (5_478, 161_029)
    assert (exact.game_value("tictactoe"), exact.game_value("connect4:4x4")) == (0, 0)
    assert exact.won_ratio() == pytest.approx(626 / 316)
