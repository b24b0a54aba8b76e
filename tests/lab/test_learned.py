"""What an agent has learned: its first mistake is the first, and its variation is its own."""

import pytest

from inarow.engine.bound_player import BoundPlayer
from inarow.engine.streams import make_stream
from inarow.game import Position, game
from inarow.lab.learned import exact_at_once, first_mistake, principal_variation
from inarow.lab.move_values import exact_by_graph
from inarow.lab.training import train

TICTACTOE = game("tictactoe")


@pytest.fixture(scope="module")
def agents():
    """Of one run: hardly trained, and unbeatable as second."""
    return [train("tictactoe", "td", "attack-defense", n, seed=1).agent for n in (400, 100_000)]


def chooses(agent):
    return BoundPlayer(agent, agent.game, make_stream(0)).moves


def plain_first_mistake(position, own, moves_of, line=()):
    """By recursion over all play, with values of the graph: the shortest line to a mistake."""
    if position.outcome is not None:
        return None
    values = {move: v.value for move, v in exact_by_graph(position).moves.items()}
    keeps = [move for move in values if values[move] == max(values.values())]
    chosen = moves_of(position) if position.to_move == own else keeps
    if set(chosen) - set(keeps):
        return line
    found = []
    for move in chosen:
        position.push(move)
        found.append(plain_first_mistake(position, own, moves_of, (*line, move)))
        position.pop()
    return min((one for one in found if one is not None), key=len, default=None)


def test_the_first_mistake_is_the_first(agents):
    weak, strong = agents
    search = first_mistake(TICTACTOE, chooses(weak), "second", seconds=60)
    plain = plain_first_mistake(Position(TICTACTOE), 2, chooses(weak))
    assert len(search.mistake.moves) == len(plain)
    position = TICTACTOE.position("")
    for move in search.mistake.moves:
        position.push(move)
    values = exact_by_graph(position).moves
    assert search.mistake.move in chooses(weak)(position)
    assert values[search.mistake.move].value == search.mistake.value.value < 0
    assert {values[move].value for move in search.mistake.better} == {search.mistake.best.value}

    assert plain_first_mistake(Position(TICTACTOE), 2, chooses(strong)) is None
    search = first_mistake(TICTACTOE, chooses(strong), "second", seconds=60)
    assert (search.mistake, search.plies) == (None, None)
    assert first_mistake(TICTACTOE, chooses(strong), "first", seconds=60).mistake is not None
    assert first_mistake(TICTACTOE, chooses(strong), "both", seconds=60).mistake is not None
    assert first_mistake(TICTACTOE, chooses(strong), "second", seconds=0).plies == 0


def test_the_principal_variation_follows_the_values(agents):
    _, strong = agents
    start = TICTACTOE.position("11")
    moves = principal_variation(strong, start, "second")
    now = start.copy()
    for move in moves:
        values = strong.values(now)
        if now.to_move == 2:
            assert values[move] == max(values.values())
        else:  # the reply that leaves it least, by its own values
            left = {}
            for reply in now.legal_moves:
                after = TICTACTOE.position(now.notation)
                after.push(reply)
                if after.outcome is None:
                    left[reply] = max(strong.values(after).values())
            assert move not in left or left[move] == min(left.values())
        now.push(move)
    assert len(moves) > 2
    assert start.notation == "11"


def test_only_where_exact_values_come_at_once():
    assert exact_at_once(game("cube").position("")) is None
    assert exact_at_once(game("connect4:6x7").position("1212343456567777")) is None
    assert exact_at_once(TICTACTOE.position("11")) is not None
