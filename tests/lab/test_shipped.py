"""Agents to play with: files without training state, and those that come with the package."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.agents.cards import cards, facts, stored_facts
from inarow.agents.measuring import describe
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.graph.all_games import play_all_games
from inarow.graph.graph import graph_of
from inarow.graph.odds import odds, uniform_policy
from inarow.lab.certificates.anyone import certify_against_anyone
from inarow.lab.certificates.certify import certify
from inarow.lab.evaluation import play_perfect
from inarow.lab.matches.match import match
from inarow.lab.players.names import player
from inarow.lab.players.protocols import bind_player
from inarow.lab.players.shipped import (
    ALL,
    FOLDER,
    LEVELS,
    SHARES,
    SHIPPED,
    Level,
    mixed_policy,
    share_of,
    shipped_agent,
    strongest,
)
from inarow.lab.players.shipped import SMALL as SMALL_AGENT
from inarow.lab.training.run import Run, continue_training, load_run
from inarow.learn.saved import read_agent, read_header
from inarow.search.endgame import LateSolver, judged
from inarow.search.perfect import Perfect
from inarow.ui.training import train
from tests.lab.moves import moves_of_network
from tests.pages import DOCS

RESULTS = DOCS / "results" / "agent-ntuple.json"
NTUPLE = SHIPPED["connect4:6x7"]

SMALL = {"tuples": 8, "length": 5, "average": 2.0, "average_every": 10}


@pytest.fixture(scope="module")
def run() -> Run:
    made = Run("connect4:4x5", "ntuple", SMALL, None, 3)
    made.training.play(200)
    return made


@pytest.mark.parametrize("small", [False, True])
def test_an_exported_agent_plays_and_does_not_go_on(run: Run, small: bool, tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    run.export(path, small)
    header, arrays = read_agent(path)
    assert not header.resumable
    assert sorted(arrays) == ["averages", "counts"]
    assert arrays["averages"].dtype == (np.int8 if small else np.float32)
    again = load_run(path)
    assert again.games == 200
    values = run.agent.values(run.game.position("12"))
    assert again.agent.values(run.game.position("12")) == pytest.approx(
        values, abs=0.05 if small else 0
    )
    with pytest.raises(InputError, match="cannot be trained on"):
        continue_training(again, 300)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot be trained on"):
        train(resume=path, games=300)
    assert path.read_bytes() == before


def test_before_there_are_averages_the_weights_are_exported(tmp_path: Path) -> None:
    made = Run("connect4:4x5", "ntuple", SMALL, None, 3)
    made.training.play(5)
    made.export(tmp_path / "agent.safetensors")
    assert sorted(read_agent(tmp_path / "agent.safetensors")[1]) == ["counts", "weights"]
    load_run(tmp_path / "agent.safetensors").save(tmp_path / "again.safetensors")
    files = [(tmp_path / f"{name}.safetensors").read_bytes() for name in ("agent", "again")]
    assert files[0] == files[1]


def test_every_learner_can_be_exported(tmp_path: Path) -> None:
    made = Run("tictactoe", "td", None, "random", 1)
    made.training.play(50)
    made.export(tmp_path / "agent.safetensors")
    position = game_of("tictactoe").position()
    agent = load_run(tmp_path / "agent.safetensors").agent
    assert agent.values(position) == made.agent.values(position)


def test_training_state_must_be_whole(run: Run, tmp_path: Path) -> None:
    """Shrunk or missing arrays pass only where the header says that it is an agent alone."""
    from dataclasses import replace

    from inarow.learn.saved import write_agent

    run.export(tmp_path / "agent.safetensors", small=True)
    header, arrays = read_agent(tmp_path / "agent.safetensors")
    write_agent(tmp_path / "claims.safetensors", replace(header, resumable=True), arrays)
    with pytest.raises(InputError, match="the arrays are"):
        load_run(tmp_path / "claims.safetensors")


def test_the_shipped_agent_by_name() -> None:
    assert NTUPLE.path.stat().st_size <= 4_000_000
    assert (player("ntuple").name, player("ntuple:4").name) == ("ntuple", "ntuple:4")
    assert (player("ntuple").player.depth, player("ntuple:4").player.depth) == (1, 4)
    with pytest.raises(InputError, match="ntuple plays connect4:6x7, not connect4:5x5"):
        bind_player(player("ntuple"), game_of("connect4:5x5"), make_stream(0))
    for bad in ("ntuple:", "ntuple:x", "ntuple:0", "ntuple@4"):
        with pytest.raises(InputError):
            player(bad)
    with pytest.raises(InputError, match=r"ntuple\[:DEPTH\]"):
        player("nobody")


def test_the_stored_proof_is_of_the_shipped_file() -> None:
    """The whole enumeration takes minutes (`make prove`): this ties its result to the file."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert stored["sha256"] == hashlib.sha256(NTUPLE.path.read_bytes()).hexdigest()
    assert stored["stones"] == NTUPLE.stones
    first = stored["sides"]["first"]
    assert (first["lost"], first["drawn"], first["proven"]) == (0, 0, "wins every game")
    assert max(stored["milliseconds"].values()) <= 50


def test_the_shipped_agent_wins() -> None:
    """Against perfect play of the longest resistance, and of any resistance at all."""
    for replies in ("best", "value"):
        tally, _ = play_perfect(player("ntuple"), 20, 0, 1, replies)
        assert tally.wins == 20


@pytest.mark.parametrize("opponent", ["random", "attack-defense", "minimax:4", "ntuple:4"])
def test_the_shipped_agent_wins_what_it_begins(opponent: str) -> None:
    tally = match("connect4:6x7", "ntuple", opponent, 200, seed=3, side="first").total
    assert tally.wins == tally.games == 200


def test_no_mistake_against_anyone_in_the_first_fourteen_stones() -> None:
    """The first part of the proof, with a judge: 3,000 positions, where corrections began."""
    judge = judged(player("ntuple").player, game_of("connect4:6x7"), 20)
    traversal = play_all_games(game_of("connect4:6x7"), judge, 0, stones=12)
    assert traversal.positions > 2_000
    assert judge.noted[0] == 0


@pytest.mark.parametrize("processor", ["generic", ""])
def test_the_same_moves_on_every_processor(processor: str) -> None:
    """The network's choices in random positions, where sums of floats would differ."""
    program = (
        "import hashlib\n"
        "from tests.lab.moves import moves_of_network\n"
        "print(hashlib.sha256(moves_of_network(20_000).tobytes()).hexdigest())"
    )
    environment = {**os.environ, "NUMBA_CPU_NAME": processor} if processor else dict(os.environ)
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == hashlib.sha256(moves_of_network(20_000).tobytes()).hexdigest()


def test_every_agent_is_described_once() -> None:
    """Descriptions, files and stored measurements are of the same agents."""
    measured = json.loads((DOCS / "results" / "agents.json").read_text(encoding="utf-8"))["games"]
    assert {agent.path for agent in ALL.values()} == set(FOLDER.iterdir())
    assert list(measured) == list(SHIPPED)
    assert sum(agent.path.stat().st_size for agent in ALL.values()) < 8_000_000
    for game, agent in SHIPPED.items():
        header = read_header(agent.path)
        assert (header.game, header.learner) == (game, agent.learner)
        assert (header.games, header.seed, header.against) == (agent.games, agent.seed, None)
        assert header.options.items() >= dict(agent.options).items()
        assert measured[game].items() >= describe(agent).items()
    assert cards(DOCS / "results") == (DOCS / "agents" / "index.md").read_text(encoding="utf-8")
    assert facts(DOCS / "results") == stored_facts()
    assert list(stored_facts()) == list(ALL)


def test_the_small_agent_has_a_proof_of_its_own_file() -> None:
    """The whole enumeration takes minutes (`make prove`): this ties its result to the file."""
    stored = json.loads((DOCS / "results" / "agent-ntuple-small.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(SMALL_AGENT.path.read_bytes()).hexdigest()
    assert (stored["sha256"], stored["stones"]) == (digest, SMALL_AGENT.stones)
    first = stored["sides"]["first"]
    assert (first["proven"], first["drawn"], first["lost"]) == ("wins every game", 0, 0)
    assert stored_facts()[SMALL_AGENT.key]["sha256"] == digest
    agent = player("shipped:connect4:6x7:small")
    assert (agent.name, agent.stones) == (SMALL_AGENT.name, SMALL_AGENT.stones)
    with pytest.raises(InputError):
        player("shipped:connect4:6x7:tiny")


@pytest.mark.parametrize("game", ["tictactoe", "connect4:4x4"])
def test_small_boards_are_proved_again(game: str) -> None:
    found = certify(f"shipped:{game}", game)
    assert found.unbeatable
    assert found.exploitability == 0
    assert [side.mistakes_met for side in found.sides.values()] == [0, 0]


def test_a_board_is_proved_again_against_anyone() -> None:
    found = certify_against_anyone("shipped:connect4:5x5")
    assert {side.result for side in found.sides.values()} == {"never loses"}


@pytest.mark.parametrize("game", SHIPPED)
def test_every_agent_moves(game: str) -> None:
    found, position = player(f"shipped:{game}"), game_of(game).position()
    assert (found.name, found.game) == (f"shipped:{game}", game_of(game))
    assert game_of(game).cells > 64 or bind_player(player("best"), found.game, make_stream(1))
    side = bind_player(found, found.game, make_stream(1))
    for _ in range(2):
        position.push(side.move(position))


def test_what_is_no_shipped_agent() -> None:
    assert shipped_agent("connect4").name == "shipped:connect4:6x7"
    with pytest.raises(InputError, match="no agent for mnk:9x9x5 comes with the package"):
        player("shipped:mnk:9x9x5")
    with pytest.raises(InputError, match="unknown game"):
        player("shipped:nothing")
    with pytest.raises(InputError, match="no strategy for this game is stored"):
        bind_player(player("random+strategy"), game_of("tictactoe"), make_stream(0))


def test_what_the_strategy_and_the_solver_do_not_correct() -> None:
    for name in ("perfect+strategy", "shipped:cube+endgame:40"):
        with pytest.raises(InputError, match="must be a compiled player"):
            player(name)
    with pytest.raises(InputError, match="needs to know the game"):
        LateSolver(player("random"), 30)


def test_the_strategy_of_qubic_comes_before_another_player() -> None:
    tally = match("qubic", "random+strategy", "random", 4, seed=2, side="first").total
    assert tally.wins == tally.games == 4


# Levels of play: from random moves to the strongest player, as far apart as was measured.


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
