"""The card of the shipped agent: what studies say, on made-up runs and on the stored ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.agents.cards import (
    CONDITIONS,
    STUDIES,
    TOO_FEW,
    card,
    compared,
    conclusion,
    conditions,
    seeds_text,
    shares,
    verdict,
)

RESULTS = Path(__file__).parents[2] / "docs" / "results"
FALLING = next(iter(CONDITIONS))[1]


def write_study(path: Path, lost: dict[tuple[str, str], list[int]]) -> None:
    rows = ["cell,seed,games,metric,value,opening,epsilon"]
    for (opening, epsilon), runs in lost.items():
        for seed, number in enumerate(runs):
            for name, value in (("won", 1000 - number), ("drawn", 0), ("lost", number)):
                metric = f"{name} as second against anyone"
                rows.append(f"0,{seed},10,{metric},{value},{opening},{epsilon}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_shares_are_of_all_endings_seed_by_seed(tmp_path: Path) -> None:
    write_study(tmp_path / "study.csv", {("0", FALLING): [10, 20, 30], ("8", FALLING): [5, 5, 5]})
    found = shares(tmp_path / "study.csv", "4x6")
    assert list(found.values()) == [
        pytest.approx([0.01, 0.02, 0.03]),
        pytest.approx([0.005, 0.005, 0.005]),
    ]


@pytest.mark.parametrize(
    ("change", "answer"), [(-8, "helps"), (8, "hurts"), (0, "no difference seen")]
)
def test_an_answer_needs_an_interval_on_one_side(change: int, answer: str) -> None:
    base = [0.020, 0.022, 0.018, 0.021, 0.019, 0.020, 0.023, 0.017, 0.021, 0.019]
    noise = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1]
    other = [b + (change + n) / 1000 for b, n in zip(base, noise, strict=True)]
    assert compared(other, base)["answer"] == answer
    assert "answer" not in compared(base, base)


def test_the_stored_studies_have_ten_seeds_for_each_condition() -> None:
    for board, file in STUDIES.items():
        rows = conditions(RESULTS / file, board)
        assert [row["runs"] for row in rows] == [10] * len(CONDITIONS)


def test_the_card_is_made_of_stored_results() -> None:
    text = card(RESULTS)
    assert (RESULTS.parent / "agents" / "ntuple-6x7.md").read_text(encoding="utf-8") == text
    assert "wins every game, against any opponent" in text


def test_beating_takes_games_enough_and_an_interval() -> None:
    games = [(4, 0.51, 1.0), (40, 0.51, 0.9), (40, 0.1, 0.49), (40, 0.4, 0.6)]
    found = [
        {"against": f"minimax:{n}", "games": number, "interval": [low, high]}
        for n, (number, low, high) in enumerate(games)
    ]
    words = [verdict(match) for match in found]
    assert words == [TOO_FEW, "beats", "loses to", "not told apart from"]
    field = [{**match, "verdict": word} for match, word in zip(found, words, strict=True)]
    text = conclusion(field, "cube")
    assert text.startswith("It is not told apart from `minimax:3`. It loses to `minimax:2`.")
    assert "too few games against `minimax:0`. Not played: `mcts:10000`" in text


def test_the_page_names_matches_whose_openings_chose_the_agent() -> None:
    fresh = {"against": "random", "seed": 8}
    stored = {"cube": {"field": {"random": fresh}}, "tictactoe": {}}
    assert seeds_text(stored).endswith("influenced the selection.")
    stored["qubic"] = {"field": {"random": fresh, "minimax:2": {"against": "minimax:2", "seed": 1}}}
    assert seeds_text(stored).endswith("so did these matches: `qubic` against `minimax:2`.")
