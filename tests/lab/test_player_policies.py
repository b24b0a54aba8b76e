"""What compiled players write as their policy, beside what they choose, in every kind of player.

A choice takes one random word at most. So `choose` is asked with every word there is, in effect:
each move has the words of one interval, whose ends are found by bisection. The policy must be the
shares of these intervals, exactly; and the same however the stones came to lie where they are.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from inarow.engine.board import clear, new_board, place
from inarow.engine.contest import Side, write_policy_in, write_policy_on
from inarow.engine.jit import jit
from inarow.engine.pairs import Pairing, play_games
from inarow.engine.rules import RuleList
from inarow.engine.tables import tables_of
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.players import RULE_PLAYERS, SCANS, BoundPlayer, player
from inarow.lab.training import Run
from inarow.search.perfect_play import compiled_perfect

WORDS = 2**64
GAMES = {"tictactoe": "tictactoe", "4x4": "connect4:4x4", "lines": "board:3x3x3,gravity,scoring"}
LEARNERS: dict[str, tuple[str, dict[str, Any], int]] = {
    "td": ("td", {}, 200),
    "td, first of ties": ("td", {"ties": "first"}, 200),
    "ntuple": ("ntuple", {"tuples": 6, "length": 3}, 5),
    "ntuple, no shield": ("ntuple", {"tuples": 4, "length": 3, "shield": False}, 5),
    "ntuple, nothing learned": ("ntuple", {"tuples": 4, "length": 3}, 0),
    "ntuple, search": ("ntuple", {"tuples": 6, "length": 3, "depth": 3}, 5),
    "ntuple, search of nothing": ("ntuple", {"tuples": 4, "length": 3, "depth": 2}, 0),
    "mlp": ("mlp", {"network": "8"}, 50),
    "mlp, lines": ("mlp", {"network": "lines:2,8"}, 50),
    "mlp, nothing learned": ("mlp", {"network": "lines:2", "init_scale": 0.0}, 0),
    "line_td": ("line_td", {}, 20),
    "line_td, nothing learned": ("line_td", {}, 0),
    "monte_carlo": ("monte_carlo", {"hidden": 12}, 50),
    "reinforce": ("reinforce", {}, 500),
    "reinforce, drawn": ("reinforce", {"play": "drawn"}, 500),
}


@cache
def learned(board: str, name: str) -> Any:
    """A compiled agent that has learned a little, or nothing yet."""
    learner, options, games = LEARNERS[name]
    against = "random" if learner == "td" else None
    run = Run(board, learner, options, against, 1)
    if games:
        run.training.play(games)
    return run.agent.compiled(tables_of(game_of(board)))


def kinds() -> list[tuple[str, Any]]:
    """Every kind of player on every game that it plays: its name, and how to make it."""
    found: list[tuple[str, Any]] = []
    for short, board in GAMES.items():
        tables = tables_of(game_of(board))
        for name in LEARNERS:
            if short == "lines" and name.startswith(("td", "mlp, no")):
                continue  # no graph, and all the same in the first position
            found.append((f"{short}: {name}", (board, lambda b=board, n=name: learned(b, n))))
        for name, entry in RULE_PLAYERS.items():
            for scan in SCANS:
                rules = player(f"{name}@{scan}").rules
                if scan != "game" and len(entry.rules.variants) == 1:
                    made = lambda r=rules, t=tables: r.compiled(t)  # noqa: E731
                    found.append((f"{short}: {name}@{scan}", (board, made)))
        for name in ("minimax:1", "minimax:3@central", "minimax:2@descending"):
            made = lambda n=name, t=tables: player(n).compiled(t)  # noqa: E731
            found.append((f"{short}: {name}", (board, made)))
    for choice in ("best", "first", "value"):
        made = lambda c=choice: compiled_perfect(game_of("connect4:4x4"), c)  # noqa: E731
        found.append((f"4x4: perfect@{choice}", ("connect4:4x4", made)))
    return found


KINDS = dict(kinds())
STOCHASTIC = {  # some of those that have several moves in some position: the test sees them
    "tictactoe: td", "tictactoe: ntuple", "tictactoe: ntuple, nothing learned",
    "tictactoe: line_td", "lines: line_td, nothing learned", "tictactoe: reinforce, drawn",
    "4x4: reinforce, drawn", "4x4: perfect@best", "4x4: perfect@value", "4x4: random@lines",
    "lines: benchmark@random",
}  # fmt: skip


def stream_of(word: int) -> Any:
    """A stream whose next word is this one. As long as it is not drawn from, it begins with 0."""
    turned = (word >> 23) | (word << 41) % WORDS
    return np.array([0, 1, 1, turned], dtype=np.uint64)


class Chooser:
    """What a player chooses in one position, by the random word that it draws."""

    def __init__(self, board: str, arrays: Any, position: Position) -> None:
        tables = tables_of(game_of(board))
        self.stream = stream_of(0)
        self.side = Side(tables, new_board(tables), arrays, self.stream)
        self.stones = np.array(position.stones, dtype=np.int8)
        self.known: dict[int, int] = {}

    def move(self, word: int) -> int:
        if word not in self.known:
            self.stream[:] = stream_of(word)
            self.known[word] = self.side.choose_in(self.stones)
        return self.known[word]

    def words(self) -> dict[int, int]:
        """How many words choose each move."""
        counts: dict[int, int] = {}

        def count(low: int, high: int) -> None:
            """Adds the words from low to high, both among them."""
            if self.move(low) == self.move(high):
                counts[self.move(low)] = counts.get(self.move(low), 0) + high - low + 1
                return
            middle = (low + high) // 2
            count(low, middle)
            count(middle + 1, high)

        count(0, WORDS - 1)
        return counts


def written(board: str, arrays: Any, position: Position) -> dict[int, float]:
    tables = tables_of(game_of(board))
    weights = np.ones(tables.columns)  # emptied first
    stones = np.array(position.stones, dtype=np.int8)
    write_policy_in(tables, new_board(tables), stones, arrays, weights)
    return {int(move): float(weights[move]) for move in np.flatnonzero(weights)}


def some_positions(board: str, number: int, seed: int) -> list[Position]:
    """Positions that go on, after random moves."""
    drawn, found = random.Random(seed), [Position(game_of(board))]
    while len(found) < number:
        position = Position(game_of(board))
        for _ in range(drawn.randrange(position.game.cells)):
            position.push(drawn.choice(list(position.legal_moves)))
            if position.outcome is not None:
                break
        if position.outcome is None:
            found.append(position)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_is_the_share_of_words_that_choose_each_move(kind: str) -> None:
    board, make = KINDS[kind]
    arrays, drawn, several = make(), random.Random(2), 0
    for position in some_positions(board, 40, 1):
        chooser, policy = Chooser(board, arrays, position), written(board, arrays, position)
        counts = chooser.words()
        assert set(counts) == set(policy)
        assert set(policy) <= set(position.legal_moves)
        several += len(policy) > 1
        if "drawn" in kind:
            assert {move: weight * 2**11 for move, weight in policy.items()} == counts
        else:  # equally likely, as far as one part in 2^32 goes
            assert set(policy.values()) == {1.0}
            for count in counts.values():
                assert abs(count - WORDS / len(counts)) <= 2**33
        for _ in range(20):  # no move is hidden within an interval of another
            assert chooser.move(drawn.randrange(WORDS)) in policy
    assert several > 0 or kind not in STOCHASTIC


@jit
def place_all(tables, board, history):  # type: ignore[no-untyped-def]
    """Places stones in that order."""
    clear(tables, board)
    for cell in history:
        place(tables, board, cell)


def another_way(position: Position, drawn: random.Random) -> list[int] | None:
    """The same stones in another order of moves, as cells."""
    own = [list(position.moves[side::2]) for side in (0, 1)]
    for _ in range(20):
        for moves in own:
            drawn.shuffle(moves)
        other, cells = Position(position.game), list[int]()
        try:
            for ply in range(position.ply):
                move = own[ply % 2][ply // 2]
                cells.append(other.cell_of(move))
                other.push(move)
        except InputError:
            continue
        if other.stones == position.stones and other.outcome is None:
            return cells
    return None


@pytest.mark.parametrize("kind", [k for k in KINDS if "@" not in k or "random" in k])
def test_a_player_answers_the_position_and_not_the_way_to_it(kind: str) -> None:
    board, make = KINDS[kind]
    arrays, drawn, tables = make(), random.Random(3), tables_of(game_of(board))
    room, stream, ways = new_board(tables), stream_of(0), 0
    side = Side(tables, room, arrays, stream)
    for position in some_positions(board, 60, 4):
        policy = written(board, arrays, position)
        for _ in range(3):
            cells = another_way(position, drawn)
            if cells is None:
                continue
            ways += 1
            weights = np.ones(tables.columns)
            history = np.array(cells, dtype=np.int64)
            stream[:] = stream_of(drawn.randrange(WORDS))
            place_all(tables, room, history)
            write_policy_on(tables, room, arrays, weights)
            move = side.choose()
            assert {int(m): float(weights[m]) for m in np.flatnonzero(weights)} == policy
            assert move in policy
    assert ways > 50


def test_games_are_those_of_the_policy() -> None:
    """Whole games in compiled loops choose what the policy allows, move by move."""
    board = "tictactoe"
    tables = tables_of(game_of(board))
    for name in LEARNERS:
        arrays, other = learned(board, name), player("random").compiled(tables)
        room, counts = new_board(tables), np.zeros(8, dtype=np.int64)
        for seed in range(30):
            streams = stream_of(seed << 50), np.array([1, 2, 3, seed], dtype=np.uint64)
            play_games(tables, room, Pairing(arrays, other, *streams), 1, counts)
            position = Position(game_of(board))
            for cell in room.history[: room.counters[0]].tolist():
                if position.ply % 2 == 0:
                    assert cell in written(board, arrays, position)
                position.push(cell)


@pytest.mark.parametrize("name", ["combined", "attack@game"])
def test_what_was_drawn_before_the_game_is_no_policy(name: str) -> None:
    bound = BoundPlayer(player(name), game_of("tictactoe"), stream_of(1))
    with pytest.raises(InputError, match="polic"):
        bound.policy(Position(game_of("tictactoe")))


def test_a_variant_of_several_is_one() -> None:
    rules = RULE_PLAYERS["combined"].rules
    for variant in rules.variants:
        arrays = RuleList((variant,), rules.scan).compiled(tables_of(game_of("tictactoe")))
        for position in some_positions("tictactoe", 20, 5):
            policy = written("tictactoe", arrays, position)
            assert set(Chooser("tictactoe", arrays, position).words()) == set(policy)


def test_chances_of_a_seated_player_add_up_to_one() -> None:
    agent = Run("tictactoe", "reinforce", {"play": "drawn"}, None, 1).agent
    bound = BoundPlayer(agent, game_of("tictactoe"), stream_of(1))
    position = game_of("tictactoe").position("22 11")
    policy = bound.policy(position)
    assert sum(policy.values()) == pytest.approx(1)
    assert policy == pytest.approx(agent.values(position), abs=1e-6)
    assert bound.moves(position) == list(position.legal_moves)
