"""The comparison of all learners: who takes part, one small run end to end, and its rules."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.policies import rule_policies
from inarow.lab.players.names import RULE_PLAYERS
from inarow.lab.players.shipped import strongest
from inarow.lab.statistics import difference, smallest_difference
from inarow.lab.training.driver import TrainingWork
from inarow.learn.registry import BUILT_IN, learner
from inarow.papers.learners import claims
from inarow.papers.learners.claims import PAIRS, answer
from inarow.papers.learners.paper import PAPER
from inarow.papers.learners.study import (
    BY_NAME,
    FILTERS,
    LEARNERS,
    PARTS,
    RATES,
    SCORINGS,
    condition,
    default_of,
    filters,
    question,
)
from inarow.papers.measures import Data, ResultRow
from inarow.papers.page import page_of
from inarow.papers.study import Part, Request, Results, run_part

RESULTS = Path(__file__).parents[2] / "docs" / "results"
TWO = ("td", "td_lambda")


def test_every_learner_takes_part_wherever_it_can_play() -> None:
    assert {base.name for base in LEARNERS} == set(BUILT_IN)
    for base in LEARNERS:
        for name in SCORINGS:
            if base.plays(name):
                given = condition(base, name, 1, "paper").parameters
                assert given["games"] == RATES[name][base.name]
                if game_of(name).cells <= 16:  # building features of large games takes its time
                    TrainingWork.check(given)
            elif name != "connect4:5x5":  # refused too, after counting its positions
                with pytest.raises(
                    InputError, match=r"more positions than a table|cannot be written out"
                ):
                    learner(base.learner).check(game_of(name), base.against is not None)


def test_two_opponents_judge_by_the_mean_of_their_scores() -> None:
    finals = {"score against advanced": [1.0, 0.5], "score against greedy-lines": [0.5, 0.1]}
    assert SCORINGS["ntictactoe:3^3"].merit({"finals": finals}).tolist() == [0.75, 0.3]


def test_no_judge_is_an_agent_that_another_version_may_replace() -> None:
    """A level is as strong as the strongest player of its game, which an agent may be."""
    for name, judge in SCORINGS.items():
        scored = [text.split(":")[1] for text in judge.evaluations if text.startswith("score:")]
        assert all(
            opponent.partition("@")[0] in RULE_PLAYERS
            or (opponent == "level" and strongest(game_of(name)) == "perfect")
            for opponent in scored
        )


def test_every_comparison_of_a_question_has_its_two_conditions() -> None:
    for part, pairs in PAIRS.items():
        conditions = question("paper", part)
        run = {(each.game, each.labels["contestant"]) for each in conditions}
        asked = {(game, name) for _, (game, *two) in pairs() for name in two}
        assert asked == run
        for each in conditions:
            if each.game == "tictactoe":
                TrainingWork.check(each.parameters)


def test_budgets_are_the_speeds_that_are_stored() -> None:
    rows = json.loads((RESULTS / "learners-speed.json").read_text(encoding="utf-8"))["rows"]
    stored = {name: dict[str, int]() for name in SCORINGS}
    for row in rows:
        speed = row["finals"]["games a CPU-second"][0]
        stored[row["game"]][row["contestant"]] = int(float(f"{speed:.2g}"))
    assert stored == RATES


def test_two_learners_end_to_end(tmp_path: Path) -> None:
    """Half of it runs, is read as far as it is, and then the rest."""
    few = [condition(BY_NAME[name], "tictactoe", 0.0001, "paper") for name in TWO]
    part = Part("1s", "two learners", few, {"paper": 3})
    run_part("learners", part, Request("paper", tmp_path, runs=2, workers=1))
    half = run_part("learners", part, Request("paper", tmp_path, finished=True))
    assert [(row["contestant"], row["runs"]) for row in half.rows] == [(name, 2) for name in TWO]
    whole = run_part("learners", part, Request("paper", tmp_path, workers=1))
    assert [row["runs"] for row in whole.rows] == [3, 3]
    for early, late in zip(half.rows, whole.rows, strict=True):
        assert early["finals"]["exploitability"] == late["finals"]["exploitability"][:2]
    data = PAPER.data(tmp_path, whole)
    text = page_of(PAPER, data)
    assert "2 of 9 learners, 3 runs" in text
    assert "For tic-tac-toe: too few runs for advice." in text
    assert "0 of 5 learners" in text
    with pytest.raises(InputError, match="has no finished run of part 10s"):
        run_part("learners", PARTS[1], Request("paper", tmp_path, finished=True))


def made_up(**merits: list[float]) -> Data:
    rows: list[ResultRow] = [
        {
            "game": "cube",
            "contestant": name,
            "runs": len(values),
            "finals": {"score against benchmark@random": values},
        }
        for name, values in merits.items()
    ]
    return Data({"1s": Results("learners", "1s", "paper", rows)}, "1s")


def test_the_rule_of_advice() -> None:
    spread = np.linspace(-0.05, 0.05, 10)
    data = made_up(mlp=list(0.5 + spread), line_td=list(0.8 + spread), ntuple=list(0.79 + spread))
    found = claims.advise(data, "cube")
    assert found is not None
    assert (found.best.name, found.equals, found.behind) == ("line_td", ("ntuple",), ("mlp",))
    assert claims.advice_text(data, "cube") == (
        "For Tic-Tac-Toe 3D with 1 CPU-second, use `line_td`: score against benchmark@random "
        "80.0% (77.6-82.4); `ntuple` is not significantly different; `mlp` is significantly worse."
    )
    same = made_up(mlp=list(0.5 + spread), line_td=list(0.8 + spread), ntuple=list(0.8 - spread))
    assert " use `ntuple` or `line_td`: " in claims.advice_text(same, "cube")
    few = made_up(mlp=[0.5] * 9, line_td=[0.8] * 10)
    assert claims.advise(few, "cube") is None


def exact(name: str, exploited: list[float]) -> ResultRow:
    """A row of tic-tac-toe: agents that are exploited by nobody are proven unbeatable."""
    unbeatable = [float(value == 0) for value in exploited]
    finals = {"exploitability": exploited}
    finals |= {f"unbeatable as {side}": unbeatable for side in ("first", "second")}
    return {"game": "tictactoe", "contestant": name, "runs": len(exploited), "finals": finals}


def test_runs_that_are_all_unbeatable_have_no_interval_of_a_mean() -> None:
    rows = [exact("td", [0.0] * 10), exact("mlp", [0.5, *[0.2] * 9])]
    data = Data({"1s": Results("learners", "1s", "paper", rows)}, "1s")
    assert "use `td`: unbeatable in 10 of 10 runs (95%: at least 72%); all others" in (
        claims.advice_text(data, "tictactoe")
    )
    assert claims.mean_text("tictactoe", rows[0]) == "0.0"
    assert " (" in claims.mean_text("tictactoe", rows[1])


def test_filters_are_off_for_all_and_on_for_all_that_can_have_one() -> None:
    with_filter = {base.name for base in LEARNERS if default_of(base.name, "shield") is not None}
    assert all(set(learners) == with_filter for learners in FILTERS.values())
    for part in FILTERS:
        for each in filters("paper", part):
            name = each.labels["contestant"].partition(",")[0]
            usual = condition(BY_NAME[name], each.game, 1, "paper").parameters
            assert each.parameters == {**usual, **FILTERS[part][name]} != usual
            if each.game == "tictactoe":
                TrainingWork.check(each.parameters)


def test_tables_of_filters_take_defaults_from_the_budget() -> None:
    spread = list(np.linspace(0.1, 0.3, 10))
    one = [exact("ntuple", spread), exact("mlp", spread), exact("td", spread)]
    off = [exact("ntuple, filter off", [value + 0.2 for value in spread])]
    on = [exact("mlp, filter on", [value - 0.1 for value in spread])]
    parts = {"1s": one, "filter-off": off, "filter-on": on}
    data = Data({n: Results("learners", n, "paper", rows) for n, rows in parts.items()}, "1s")
    tables = {part: PAPER.table(part, data, []) for part in FILTERS}
    lines = {part: [line[:2] for line in table.rows] for part, table in tables.items() if table}
    assert [name for name, _ in lines["filter-off"]] == ["`td`", "`ntuple`"]  # mlp has one
    assert [name for name, _ in lines["filter-on"]] == ["`ntuple`", "`mlp`"]
    assert lines["filter-off"][1][1].startswith("40.0 (")
    assert lines["filter-on"][0][1].startswith("20.0 (")
    assert lines["filter-on"][1][1].startswith("10.0 (")
    assert len(claims.filter_effects(data)) == 1
    assert claims.filter_effects(data)[0].startswith("tic-tac-toe, `ntuple`: +20.0 points (")


def test_the_answer_to_a_question_names_what_helps() -> None:
    spread = np.linspace(-0.05, 0.05, 10)
    found = {"sarsa": 0.3, "sarsa, not symmetric": 0.6, "q": 0.4, "q, symmetric": 0.4}
    rows: list[ResultRow] = [
        {"game": "tictactoe", "contestant": name, "runs": 10,
         "finals": {"exploitability": list(mean + spread)}}
        for name, mean in found.items()
    ]  # fmt: skip
    data = Data({"symmetry": Results("learners", "symmetry", "paper", rows)}, "1s")
    assert answer(data, "symmetry") == (
        "The change helps in 1 of 2 comparisons (tic-tac-toe: `sarsa`) and hurts in 0; "
        "1 is undecided."
    )
    for row in rows:
        row["runs"], row["finals"] = 9, {"exploitability": row["finals"]["exploitability"][:9]}
    assert "and 2 more have too few runs" in answer(data, "symmetry")


def test_an_improvement_over_games_is_the_mean_of_theirs() -> None:
    ours, theirs = np.array([3.0, 1.0]), np.array([2.0, 1.0])
    found = claims.improvement([(ours, theirs), (theirs, theirs)])
    assert found.value == pytest.approx((2.5 / 4 + 0.5) / 2)
    assert found.low <= found.value <= found.high
    swapped = claims.improvement([(theirs, ours), (theirs, theirs)])
    assert swapped.value == pytest.approx(1 - found.value)
    assert 0.5 < claims.least_improvement(10) < claims.least_improvement(5) < 1


@pytest.mark.parametrize("comparisons", [1, 8])
def test_the_smallest_difference_is_seen_four_times_of_five(comparisons: int) -> None:
    stream = np.random.default_rng(1)
    least, seen, trials = smallest_difference(2.0, 10, comparisons), 0, 1_000
    for _ in range(trials):
        ours, theirs = stream.normal(least, 2.0, 10), stream.normal(0.0, 2.0, 10)
        seen += difference(ours, theirs, comparisons).low > 0
    assert 0.75 < seen / trials < 0.85


def test_the_hybrid_trainer_plays_one_game_in_seven_at_random() -> None:
    graph = graph_of("tictactoe")
    policies = rule_policies(graph, RULE_PLAYERS["hybrid"].rules)
    (ruled,) = rule_policies(graph, RULE_PLAYERS["attack-defense"].rules)
    (at_random,) = rule_policies(graph, RULE_PLAYERS["random"].rules)
    assert [bool(np.array_equal(policy, at_random)) for policy in policies] == [False] * 6 + [True]
    assert all(np.array_equal(policy, ruled) for policy in policies[:6])
