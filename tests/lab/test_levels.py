"""Levels of play: from random moves to the strongest player, as far apart as was measured."""

import itertools
import json
import math
import runpy
from collections import Counter

import pytest

import inarow
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.graph.graph import graph_of
from inarow.graph.odds import odds, uniform_policy
from inarow.lab.levels import LEVELS, SHARES, Level, mixed_policy, share_of, strongest
from inarow.lab.player_protocols import bind_player
from inarow.lab.players import player
from inarow.search.perfect import Perfect
from tests.pages import DOCS


def elo(graph, one, other):
    leading, following = odds(graph, one, other), odds(graph, other, one)
    score = (leading.first + leading.draw / 2 + following.second + following.draw / 2) / 2
    return 400 * math.log10(score / (1 - score))


def test_levels_of_tictactoe_are_evenly_apart_and_end_in_perfect_play():
    graph = graph_of("tictactoe")
    policies = [Level(number).policies(graph)[0] for number in LEVELS]
    assert elo(graph, policies[0], uniform_policy(graph)) == pytest.approx(0, abs=0.1)
    assert elo(graph, policies[-1], Perfect().policies(graph)[0]) == pytest.approx(0, abs=0.1)
    apart = [elo(graph, high, low) for low, high in itertools.pairwise(policies)]
    assert min(apart) > 0.9 * max(apart) > 35


def test_what_was_measured_is_what_is_played():
    measured = json.loads((DOCS / "results" / "levels.json").read_text())["games"]
    assert set(measured) >= set(SHARES)
    for name, found in measured.items():
        game = inarow.game(name)
        assert found["shares"] == [share_of(game, number) for number in LEVELS]
        assert found["strongest"] == strongest(game)
        assert all(row["elo"] > 0 for row in found["neighbours"])
        assert found["shares"] == sorted(found["shares"])
        assert found["shares"][-1] == 1
    table = runpy.run_path(str(DOCS / "make_levels.py"))["table"]()
    assert table in (DOCS / "how-to" / "play.md").read_text(encoding="utf-8")


def test_moves_are_drawn_from_the_policy():
    game = inarow.game("tictactoe")
    position, graph = game.position("22 11"), graph_of("tictactoe")
    number, _ = graph.find(position)
    start, end = graph.edge_start[number], graph.edge_start[number + 1]
    weights = mixed_policy(graph, share_of(game, 4))[start:end]
    side = bind_player(player("level:4"), game, make_stream(1))
    counts = Counter(side.move(position) for _ in range(4000))
    for move, weight in zip(graph.move[start:end], weights, strict=True):
        assert counts[int(move)] / 4000 == pytest.approx(weight, abs=0.035)


def test_other_games_and_what_does_not_work():
    for name in ("cube", "mnk:5x5x4", "ntictactoe:3^3"):
        assert share_of(inarow.game(name), 1) == SHARES["connect4:6x7"][0]
        assert strongest(inarow.game(name)).startswith(("minimax", "shipped"))
    position = inarow.game("tictactoe").position("22")
    assert Level(10).move(position) in (0, 2, 6, 8)
    assert repr(player("level:3")) == "<player level:3>"
    assert repr(player("best")) == "<player best>"
    assert player("best").move(position) in (0, 2, 6, 8)
    for name in ("level:0", "level:11"):
        with pytest.raises(InputError, match="must be between 1 and 10"):
            player(name)
    with pytest.raises(InputError, match="unknown player"):
        player("level:x")
