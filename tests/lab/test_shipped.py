"""Agents to play with: files without training state, and those that come with the package."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inarow.agents.cards import cards
from inarow.agents.measuring import describe
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.graph.anyone import traverse_against_anyone
from inarow.lab.anyone import certify_against_anyone
from inarow.lab.certify import certify
from inarow.lab.evaluate_perfect import play_perfect
from inarow.lab.match import match
from inarow.lab.player_protocols import bind_player
from inarow.lab.players import player
from inarow.lab.shipped import FOLDER, SHIPPED, shipped_agent
from inarow.lab.training import Run, continue_training, load_run
from inarow.learn.saved import read_agent, read_header
from inarow.search.judged import judged
from inarow.ui.training import train
from tests.lab.moves import moves_of_network

DOCS = Path(__file__).parents[2] / "docs"
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
    traversal = traverse_against_anyone(game_of("connect4:6x7"), judge, 0, stones=12)
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
    assert {agent.path for agent in SHIPPED.values()} == set(FOLDER.iterdir())
    assert list(measured) == list(SHIPPED)
    assert sum(agent.path.stat().st_size for agent in SHIPPED.values()) < 8_000_000
    for game, agent in SHIPPED.items():
        header = read_header(agent.path)
        assert (header.game, header.learner) == (game, agent.learner)
        assert (header.games, header.seed, header.against) == (agent.games, agent.seed, None)
        assert header.options.items() >= dict(agent.options).items()
        assert measured[game].items() >= describe(agent).items()
    assert cards(DOCS / "results") == (DOCS / "agents" / "index.md").read_text(encoding="utf-8")


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
    with pytest.raises(InputError, match=r"no strategy for tictactoe is stored"):
        bind_player(player("random+strategy"), game_of("tictactoe"), make_stream(0))


def test_the_strategy_of_qubic_comes_before_another_player() -> None:
    tally = match("qubic", "random+strategy", "random", 4, seed=2, side="first").total
    assert tally.wins == tally.games == 4
